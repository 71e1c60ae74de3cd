// The reference of reference_test.go: xterm.js without a browser. It reads a
// request a line from standard input and answers with a picture a line.
const { Terminal } = require('@xterm/headless');
const { Unicode11Addon } = require('@xterm/addon-unicode11');

// Faults of xterm.js that are mended, so that they hide nothing else. Saving the
// cursor saves G0 to G3 and which of them is in use (VT510 manual, DECSC), not
// only the set in use; and in origin mode only lines that a program names count
// from the top margin, not those that the cursor is moved from; DECALN fills the
// whole screen there too, and resets the margins and origin mode, as xterm does
// and esctest's test_DECALN_ClearsMargins wants (VT510 manual, DECALN).
function mend(core) {
  const input = core._inputHandler;
  const sets = core._charsetService;
  const { saveCursor, restoreCursor, softReset } = input;
  input.saveCursor = function () {
    this._activeBuffer.savedSets = { charsets: [...sets._charsets], glevel: sets.glevel };
    return saveCursor.call(this);
  };
  input.restoreCursor = function () {
    restoreCursor.call(this);
    const { charsets, glevel } = this._activeBuffer.savedSets || { charsets: [], glevel: 0 };
    sets._charsets = [...charsets];
    sets.setgLevel(glevel);
    return true;
  };
  input.softReset = function (params) {
    this._activeBuffer.savedSets = undefined;
    return softReset.call(this, params);
  };
  const { screenAlignmentPattern } = input;
  input.screenAlignmentPattern = function () {
    core.coreService.decPrivateModes.origin = false;
    this._activeBuffer.scrollTop = 0;
    this._activeBuffer.scrollBottom = core.rows - 1;
    return screenAlignmentPattern.call(this);
  };
  const moveTo = (x, y) => {
    input._activeBuffer.x = x;
    input._activeBuffer.y = y;
    input._restrictCursor();
    return true;
  };
  input._moveCursor = function (x, y) {
    this._restrictCursor();
    moveTo(this._activeBuffer.x + x, this._activeBuffer.y + y);
  };
  input.cursorCharAbsolute = input.charPosAbsolute = function ({ params }) {
    return moveTo((params[0] || 1) - 1, this._activeBuffer.y);
  };
}

function paint({ cols, rows, steps }) {
  const t = new Terminal({ cols, rows, scrollback: 20000, allowProposedApi: true, logLevel: 'off' });
  mend(t._core);
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
