package cast

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// at returns a recording of pieces, each written one step after the one before.
func at(step, pause time.Duration, pieces ...string) *Recording {
	r := New(20, 4, pause)
	for i, p := range pieces {
		r.Output(time.Duration(i)*step, []byte(p))
	}
	return r.Finish(time.Duration(len(pieces)) * step)
}

// shown returns the lines that a recording shows after its last frame.
func shown(f *Recording) []string {
	lines := make([]string, f.Rows)
	for _, frame := range f.Frames {
		for _, l := range frame.Lines {
			var text string
			at := 0
			for _, run := range l.Runs {
				text += strings.Repeat(" ", max(0, run.Column-at)) + run.Text
				at = run.Column + run.Width
			}
			if l.Row < len(lines) {
				lines[l.Row] = text
			}
		}
	}
	return lines
}

func TestFrames(t *testing.T) {
	f := at(time.Second, 0, "\x1b[?25lone", "\r\ntwo", "\x1b[1;1Hten", "\x1b[?25l")
	require.Len(t, f.Frames, 3, "output that changes nothing makes no frame")
	assert.Equal(t, []time.Duration{0, time.Second, 2 * time.Second}, []time.Duration{f.Frames[0].At, f.Frames[1].At, f.Frames[2].At})
	assert.Equal(t, []Line{{1, []Run{{0, 3, "two", Style{}}}}}, f.Frames[1].Lines, "only the changed lines")
	assert.Equal(t, 4*time.Second, f.Length)
	assert.Equal(t, [2]int{3, 2}, [2]int{f.Cols, f.Rows}, "the cells that are used")
	assert.Equal(t, []string{"ten", "two"}, shown(f))
}

// Long pauses are shortened, and changes at nearly the same time are one frame.
func TestLongPausesAreShortened(t *testing.T) {
	f := at(time.Hour, 2*time.Second, "a", "b", "c")
	assert.Equal(t, 6*time.Second, f.Length)
	f = at(time.Millisecond, 0, strings.Split(strings.Repeat("x", 330), "")...)
	assert.InDelta(t, 11, len(f.Frames), 2)
	assert.Equal(t, strings.Repeat("x", 20), shown(f)[0])
}

func TestStyles(t *testing.T) {
	f := at(time.Second, 0, "\x1b[?25l\x1b[1;31mred\x1b[0m \x1b[38;5;196;48;2;1;2;3mx\x1b[0m\x1b[7minv\x1b[0m\x1b[8mpw\x1b[0m.  ")
	assert.Equal(t, []Run{
		{0, 3, "red", Style{Fg: basic[1], Bold: true}},
		{4, 1, "x", Style{Fg: "#ff0000", Bg: "#010203"}},
		{5, 3, "inv", Style{Fg: Background, Bg: Foreground}},
		{8, 3, "  .", Style{}},
	}, f.Frames[0].Lines[0].Runs, "neither hidden text nor blanks at the end are recorded")
	f = at(time.Second, 0, "日本x")
	assert.Equal(t, []Run{{0, 4, "日本", Style{}}, {4, 1, "x", Style{}}, {5, 1, " ", Style{Fg: Background, Bg: Foreground}}}, f.Frames[0].Lines[0].Runs, "with the cursor")
}

// The last frame does not depend on how the output is split.
func FuzzCut(f *testing.F) {
	f.Add("a\x1b[31mb\r\nü日\x1b[2J\x1b[Hc", uint8(3))
	f.Fuzz(func(t *testing.T, text string, cut uint8) {
		whole := at(time.Second, 0, text)
		n := int(cut) % (len(text) + 1)
		parts := at(time.Second, 0, text[:n], text[n:])
		if strings.TrimRight(strings.Join(shown(whole), "\n"), "\n") != strings.TrimRight(strings.Join(shown(parts), "\n"), "\n") {
			t.Errorf("%q cut at %d: %q, not %q", text, n, shown(parts), shown(whole))
		}
	})
}

func TestRead(t *testing.T) {
	for name, text := range map[string]string{
		"v3": `{"version":3,"term":{"cols":20,"rows":4}}
# a comment
[0.5, "o", "login: "]
[1.0, "i", "hunter2\r"]
[1.0, "o", "\r\nhello"]
[0.1, "r", "30x5"]
[1.0, "x", "0"]
`,
		"v2": `{"version":2,"width":20,"height":4}
[0.5, "o", "login: "]
[1.5, "i", "hunter2\r"]
[2.5, "o", "\r\nhello"]
[2.6, "r", "30x5"]
[3.6, "x", "0"]
`,
	} {
		f, err := Read(strings.NewReader(text), 0)
		require.NoError(t, err, name)
		assert.Equal(t, []string{"login:", "hello "}, shown(f), name)
		assert.NotContains(t, fmt.Sprint(f), "hunter2", "typed text is not recorded")
		assert.Equal(t, 2*time.Second, f.Frames[1].At, name)
	}
	for text, want := range map[string]string{
		"":                                     "not an asciicast: no first line: unexpected EOF",
		"{}":                                   "line 1: not the header",
		"x":                                    "line 1",
		`{"version":2}` + "\n[1]":              "line 2: not an event [SECONDS, CODE, DATA]: it has 1 values",
		`{"version":2}` + "\n" + `[-1,"o",""]`: "line 2: not an event [SECONDS, CODE, DATA]: SECONDS is -1",
		`{"version":2}` + "\n" + `[1e300,"o",""]`: "line 2: not an event",
		`{"version":3}` + "\n" + `[1,"r","x"]`:    `line 2: invalid size "x"`,
	} {
		_, err := Read(strings.NewReader(text), 0)
		require.ErrorContains(t, err, want, text)
	}
}

// The size of a recording is bounded.
func TestBounds(t *testing.T) {
	r := New(200, 50, 0)
	for i := range 30 {
		r.Output(time.Duration(i)*time.Second, []byte("\x1b[H"+strings.Repeat(fmt.Sprintf("\x1b[31m%d\x1b[32m%d", i%10, i%10), 200*50/2)))
	}
	f := r.Finish(30 * time.Second)
	assert.True(t, f.Cut)
	runs := 0
	for _, frame := range f.Frames {
		for _, l := range frame.Lines {
			runs += len(l.Runs)
		}
	}
	assert.Less(t, runs, maxRuns+200*50)
}

// The sizes in a file, which may be any, take neither unbounded memory nor unbounded time.
func TestSizesAreBounded(t *testing.T) {
	r := New(100_000_000, 100_000_000, 0)
	for _, resize := range []func(){func() {}, func() { r.Resize(0, 10_000, 10_000) }} {
		resize()
		cols, rows := r.screen.Size()
		assert.Equal(t, []int{maxCols, maxRows}, []int{cols, rows})
	}
	r.cells = maxCells - 3*maxCols*maxRows
	for i := range 6 {
		r.Resize(time.Duration(i)*time.Second, maxCols-i%2, maxRows)
		r.Output(time.Duration(i)*time.Second, []byte{'a' + byte(i)})
	}
	f := r.Finish(6 * time.Second)
	assert.True(t, f.Cut)
	assert.Len(t, f.Frames, 2)
	assert.LessOrEqual(t, r.cells, maxCells+maxCols*maxRows)
}
