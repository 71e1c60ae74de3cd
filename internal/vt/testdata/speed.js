// How fast xterm.js is without a browser: node speed.js FILE COLS ROWS MS writes
// FILE to a terminal again and again and prints how many bytes a second it took.
const { Terminal } = require('@xterm/headless');
const [file, cols, rows, ms] = process.argv.slice(2);
const data = require('fs').readFileSync(file);
const t = new Terminal({ cols: +cols, rows: +rows, scrollback: 1000, allowProposedApi: true, logLevel: 'off' });
const begin = process.hrtime.bigint();
let n = 0;
let took = 0;
while (took < ms * 1e6) {
  t._core.writeSync(data); // write() answers later
  n += data.length;
  took = Number(process.hrtime.bigint() - begin);
}
console.log(Math.round((n * 1e9) / took));
process.exit();
