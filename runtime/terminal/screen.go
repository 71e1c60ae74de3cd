package terminal

import (
	"bytes"

	"ripple/runtime/internal/vt"
)

// Look calls f with the screen as it is now: text, cells, cursor, title, modes,
// history. While f runs nothing is read from the program; the screen is not
// valid after it.
func (t *Terminal) Look(f func(*vt.Screen)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(t.upToDate())
}

// makeRoom paints what would leave the ring with the next n bytes, if anybody
// will look; t.mu is held.
func (t *Terminal) makeRoom(n int) {
	if (t.screen != nil || t.options.Screen) && t.out.end-t.painted+int64(n) > int64(t.out.limit) {
		t.upToDate()
	}
}

// upToDate is the screen with all that was printed; t.mu is held.
func (t *Terminal) upToDate() *vt.Screen { return t.paintTo(t.out.end) }

func (t *Terminal) paintTo(end int64) *vt.Screen {
	if t.screen == nil {
		t.screen = vt.New(vt.Options{Cols: t.size.now.Cols, Rows: t.size.now.Rows, History: t.options.History})
		t.painted = t.firstLine()
	}
	if end > t.painted {
		first, second := t.out.between(t.painted, end)
		t.screen.Write(first)
		t.screen.Write(second)
		t.painted = end
	}
	return t.screen
}

// firstLine is where what the ring holds begins to make sense: the beginning of
// the stream, else of a line, else of a sequence.
func (t *Terminal) firstLine() int64 {
	at := t.out.start()
	if at == 0 {
		return 0
	}
	for _, c := range []byte{'\n', 0x1b} {
		from := at
		first, second := t.out.between(at, t.out.end)
		for _, part := range [][]byte{first, second} {
			if i := bytes.IndexByte(part, c); i >= 0 {
				return from + int64(i)
			}
			from += int64(len(part))
		}
	}
	return at
}
