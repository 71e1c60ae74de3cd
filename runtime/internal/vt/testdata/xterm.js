// The reference of reference_test.go: xterm.js without a browser. It reads a
// request a line from standard input and answers with a picture a line.
const { Terminal } = require('@xterm/headless');
const { Unicode11Addon } = require('@xterm/addon-unicode11');

function paint({ cols, rows, steps }) {
  const t = new Terminal({ cols, rows, scrollback: 20000, allowProposedApi: true, logLevel: 'off' });
  t.loadAddon(new Unicode11Addon());
  t.unicode.activeVersion = '11';
  let err;
  try {
    for (const { write, resize } of steps) {
      if (resize) t.resize(...resize);
      else t._core.writeSync(Buffer.from(write, 'base64')); // write() answers later
    }
  } catch (e) {
    err = String(e);
  }
  const text = (buffer, from, to) => {
    const out = [];
    for (let y = from; y < to; y++) {
      const line = buffer.getLine(y);
      out.push(line ? line.translateToString(true).replace(/ +$/, '') : '');
    }
    return out;
  };
  const { active, normal } = t.buffer;
  const picture = {
    rows: text(active, active.baseY, active.baseY + t.rows),
    history: text(normal, 0, normal.baseY),
    x: active.cursorX,
    y: active.cursorY,
    alt: active.type === 'alternate',
    err,
  };
  t.dispose();
  return picture;
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  console.log(JSON.stringify(paint(JSON.parse(line))));
});
