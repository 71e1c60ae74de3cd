// ripple's OSC 633 integration for Node.js 16 and later, started as `node THIS`.
//
// Node's own REPL from the public repl module, configured like that of the command line, with a reader that passes one
// line at a time, and a prompt. At the prompt the terminal is raw, so there is no echo and no limit for a line; while
// code runs it has its original mode. Steps for each command:
//
//   raw, D P A prompt B (one write), read a line, normal, C, run it.
'use strict';

const fs = require('fs');
const repl = require('repl');
const { PassThrough } = require('stream');
const { inspect } = require('util');
const { Script } = require('vm');

// Ours, whatever becomes of the globals.
const { process, Buffer, setImmediate, clearImmediate, setInterval, clearInterval } = globalThis;
const key = ';{nonce}\x07';
const { stdin, stdout } = process;
const write = stdout.write.bind(stdout); // a terminal: synchronous, so in order with everything else

// Nothing of this file is to be seen from the prompt.
process.argv.length = 1;
delete process.mainModule;
delete require.cache[__filename];
const known = process.listeners('newListener');
const server = repl.start({
  prompt: '', // the prompt comes when all is in place
  input: new PassThrough(), // never used: lines are handed over
  output: stdout,
  terminal: false,
  useGlobal: true,
  breakEvalOnSigint: true,
  replMode: process.env.NODE_REPL_MODE === 'strict' ? repl.REPL_MODE_STRICT : repl.REPL_MODE_SLOPPY,
});
// Features of the command line's REPL that a REPL started by a program lacks.
for (const listener of process.listeners('newListener')) {
  if (!known.includes(listener)) process.removeListener('newListener', listener); // it refuses 'uncaughtException'
}
repl.repl = server;
Object.defineProperty(inspect, 'replDefaults', {
  get: () => repl.writer.options,
  set: (options) => Object.assign(repl.writer.options, options),
  enumerable: true,
  configurable: true,
});

let lines = []; // typed and not yet handed over
let pieces = []; // of the line that is being typed
let running = false; // a command has been handed over and its prompt has not been shown
let begun = false; // C is out
let due = false; // the prompt will be shown in this turn of the event loop
let ended = false; // a command's end is to be announced
let elsewhere = false; // an error of something else is being reported
let displaying = false; // a value is being shown: what fails now is the command
let handed = null; // a line on its way to the REPL
let status = 0;
let keepAlive = null; // while a command waits and nothing of ours reads

const mark = (code, argument = '') => `\x1b]633;${code}${argument}${key}`;

function directory() {
  try {
    const path = process.cwd();
    const escaped = path.replace(/[\\;\x00-\x1f\x7f]/g, (c) =>
      c === '\\' ? '\\\\' : '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0'));
    return mark('P', ';Cwd=' + escaped);
  } catch {
    return ''; // it was removed
  }
}

// The REPL calls this just before it runs a script, when that is known to be complete, and just after it.
server._setRawMode = (mode) => {
  if (mode === false) begin();
  else stdin.setRawMode(true);
};

function begin() {
  if (begun) return;
  begun = true;
  stdin.setRawMode(false);
  write(mark('C'));
}

// The REPL calls this when a command has ended, when it is incomplete, and when an error was reported.
server.prompt = () => {
  displaying = false;
  if (elsewhere || server.closed) return;
  if (server.getPrompt() !== server._initialPrompt) {
    running = false;
    write(mark('F') + server.getPrompt() + mark('G'));
    setImmediate(next);
  } else if (!due) {
    due = true;
    setImmediate(show); // after the rejections that the command left behind
  }
};

// The REPL asks for it to show the value of a command, and comes to the prompt after that.
let { writer } = server;
Object.defineProperty(server, 'writer', {
  get: () => ((displaying = true), writer),
  set: (other) => (writer = other),
  enumerable: true,
  configurable: true,
});

function show() {
  due = running = begun = false;
  if (keepAlive) {
    clearInterval(keepAlive);
    keepAlive = null;
    stdin.on('data', onData);
  }
  stdin.resume();
  stdin.setRawMode(true);
  write((ended ? mark('D', ';' + status) : '') + directory() + mark('A') + server.getPrompt() + mark('B'));
  ended = false;
  next();
}

// An interrupt in the middle of a write leaves a stream that waits for the end of it, and keeps what follows.
function finishWrite(stream) {
  const state = stream._writableState;
  if (state?.writing) state.onwrite?.();
}

// Node.js may keep a second interrupt of a script for a later one: the thread that waits for interrupts ends with the
// script, and one of the same moment stays in its semaphore. An endless script takes what is left.
const endless = new Script('for (;;);');

function dropInterrupts() {
  let code;
  do {
    try {
      endless.runInThisContext({ breakOnSigint: true, timeout: 20 });
    } catch (error) {
      ({ code } = error);
    }
  } while (code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED'); // otherwise the time is over
}

// Errors come to a listener of the REPL's domain, and since Node.js 26, where it has none, to a method. What nothing
// caught, such as a timer's, has the domain's mark, or passes us first.
const domain = server._domain;
const [report] = domain ? domain.listeners('error') : [server._handleError];
const uncaught = [];

function onError(error) {
  const caught = domain ? error?.domainThrown !== true : uncaught.pop() !== error;
  if (running) {
    status = 1;
    if (error?.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') {
      status = 130;
      finishWrite(stdout);
      finishWrite(process.stderr);
      dropInterrupts();
    }
    begin();
  }
  if (process.listenerCount('uncaughtException') > 0) {
    process.nextTick(() => {
      process.emit('uncaughtException', error);
      server.clearBufferedCommand();
      server.displayPrompt();
    });
    return;
  }
  elsewhere = running && !due && !displaying && !caught; // the command itself goes on
  report.call(this, error);
  elsewhere = displaying = false;
}

if (domain) {
  domain.removeListener('error', report);
  domain.on('error', onError);
} else {
  server._handleError = onError;
  process.addUncaughtExceptionCaptureCallback((error) => {
    if (!displaying) {
      uncaught[0] = error;
      return false; // the REPL's own comes next
    }
    server._handleError(error); // of a value that cannot be shown: Node.js itself would end
    return true;
  });
}

// Runs the code. The stack then has no function of this script.
const handOver = server._onLine.bind(server);

function next() {
  if (running || due || lines.length === 0) return;
  const line = lines.shift();
  running = ended = true;
  status = 0;
  process.removeListener('SIGINT', onSignal);
  handed = setImmediate(handOver, block(line) ?? line);
  setImmediate(stepAside);
  const word = line.trim();
  if (word[0] === '.' && word[1] !== '.' && isNaN(parseFloat(word)) && server.getPrompt() === server._initialPrompt) {
    begin(); // a command of the REPL's: no script is run
  }
}

// A block of several lines comes in a file, and `.load` is how the REPL itself would take it. Read here it stays
// what it is: no second line splitting, no prompt inside.
function block(line) {
  if (!line.startsWith('.load ') || !line.includes('/.ripple-exec-')) return undefined;
  try {
    return fs.readFileSync(line.slice(6), 'utf8').replace(/\n$/, '');
  } catch {
    return undefined; // .load says what is wrong
  }
}

// While a command waits for something, standard input is the command's.
function stepAside() {
  process.on('SIGINT', onSignal);
  if (!running || due) return;
  stdin.setRawMode(false);
  stdin.removeListener('data', onData);
  if (stdin.listenerCount('data') + stdin.listenerCount('readable') === 0) stdin.pause();
  keepAlive = setInterval(() => {}, 0x7fffffff);
}

function onData(chunk) {
  let start = 0;
  for (let i = 0; i < chunk.length; i++) {
    const c = chunk[i];
    if (c === 10 || c === 13) {
      lines.push(Buffer.concat([...pieces, chunk.subarray(start, i)]).toString());
      if (c === 13 && chunk[i + 1] === 10) i++;
    } else if (c === 3) {
      cancel(start < i || pieces.length > 0);
    } else if (c !== 4) {
      continue;
    } else if (start === i && pieces.length === 0 && lines.length === 0) {
      write('\n');
      server.close();
    }
    pieces = [];
    start = i + 1;
  }
  if (start < chunk.length) pieces.push(chunk.subarray(start));
  next();
}

// An interrupt drops what was typed and shows a new prompt. Where nothing was, it comes too late for a command that
// has ended and shown its prompt already: a second prompt would be taken for the end of the next command.
function cancel(typed) {
  const nothing = !typed && !running && lines.length === 0 && server.getPrompt() === server._initialPrompt;
  lines = [];
  if (due || nothing) return;
  if (running) clearImmediate(handed); // read together with its interrupt: it has not begun
  running = false;
  write('\n');
  server.clearBufferedCommand();
  server.lines.level = [];
  ended = true;
  status = 130;
  server.displayPrompt();
}

// Not in place while a script runs: the REPL ends a loop by a handler of its own, and taking a listener away
// then, as node:vm does, would leave SIGINT to its default. Where there is none the terminal is raw.
function onSignal() {
  // At the prompt the key arrives as a byte: a signal there comes too late for the command that it was meant for.
  if (running && !due) server.emit('SIGINT'); // ends an await
}

process.on('SIGINT', onSignal);
stdin.on('end', () => server.close());
stdin.on('data', onData);
server.on('exit', () => process.exit());
server.setPrompt('> ');
server.displayPrompt();
