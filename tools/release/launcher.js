#!/usr/bin/env node
// Starts the binary of the package for this machine; it replaces this process if node supports that.
"use strict";
const self = require("../package.json").name; // with its scope
const name = `${self}-${process.platform}-${process.arch}`;
let file;
try {
  file = require.resolve(`${name}/bin/ripple${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`ripple: there is no binary for ${process.platform} ${process.arch}: the package ${name} is not installed`);
  console.error(`  install ${self} again, from where you have it, without --omit=optional; where there is no such package, build it with Go`);
  process.exit(3);
}
const args = process.argv.slice(2);
if (process.execve) {
  const noWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    process.execve(file, [file, ...args], process.env);
  } catch {
    process.emitWarning = noWarning;
  }
}
const child = require("child_process").spawn(file, args, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (e) => { console.error(`ripple: ${e.message}`); process.exit(1); });
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  for (const s of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(s);
  process.kill(process.pid, signal);
});
