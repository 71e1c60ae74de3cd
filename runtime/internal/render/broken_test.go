package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/fault"
)

// A panic costs the output its form, not a byte of its text: what was held back, the rest of the
// piece and everything later arrive as they are, until Close.
func TestAPanicCostsOnlyTheForm(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before string
		damage func(r *Renderer) // makes the next sequence panic
		write  []string
		want   string
	}{
		{"in a sequence", "one\r\ntwo", breakSequences, []string{" and\x1b[Kmore\r\n", "three\r", "\nfour"}, "one\ntwo and\x1b[Kmore\nthree\nfour"},
		{"in a sequence cut in two", "one ", breakSequences, []string{"\x1b[", "Ktwo"}, "one Ktwo"}, // of the sequence only the end is known
		{"in cells", "abc\rX", breakSequences, []string{"\x1b[Kmore\n"}, "Xbc\x1b[Kmore\n"},
		{"on the screen", "a\x1b[2Bb", breakSequences, []string{"\x1b[Kmore\n"}, "a\n\n b\x1b[Kmore\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			var faults []fault.Fault
			r := New(Options{Cols: 20, Rows: 5, Fault: func(f fault.Fault) { faults = append(faults, f) }}, func(b []byte) { out.Write(b) })
			r.Write([]byte(tt.before))
			tt.damage(r)
			for _, b := range tt.write {
				r.Write([]byte(b))
			}
			r.FlushPending()
			assert.Empty(t, r.Pending())
			r.Close()
			assert.Equal(t, tt.want, out.String())
			if assert.Len(t, faults, 1) {
				assert.Contains(t, faults[0].Stack, "render.(*Renderer)")
				assert.Equal(t, "rendering output", faults[0].Doing)
			}

			out.Reset()
			r.Write([]byte("abc\rX"))
			r.Close()
			assert.Equal(t, "Xbc", out.String(), "the next command is rendered again")
		})
	}
}

// A panic while the last text is emitted loses none of it.
func TestAPanicAtTheEnd(t *testing.T) {
	var out strings.Builder
	count := 0
	r := New(Options{Fault: func(fault.Fault) { count++ }}, func(b []byte) { out.Write(b) })
	r.Write([]byte("done\nlast"))
	r.cells = nil
	r.color = color{}
	r.handle = func(*vt.Token) { panic("broken") }
	r.parser.Feed([]byte("\x1b["), r.handle)
	r.Close()
	assert.Equal(t, "done\nlast", out.String())
	assert.Equal(t, 1, count)
}

func breakSequences(r *Renderer) {
	handle := r.handle
	r.handle = func(t *vt.Token) {
		if t.Kind == vt.CSI {
			panic("broken")
		}
		handle(t)
	}
}
