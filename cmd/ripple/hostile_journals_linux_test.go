package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/testkit"
)

const (
	journalTurn = `{"turn":2,"seq":1002,"time":"2026-01-01T00:00:01Z","type":"turn_started","adapter":"rehearsal"}
{"turn":2,"seq":1003,"time":"2026-01-01T00:00:02Z","type":"text","text":"words"}
{"turn":2,"seq":1004,"time":"2026-01-01T00:00:03Z","type":"turn_ended","outcome":{"success":true},"state":{"run":"r","turn":2}}
`
	journalEnds = `{"turn":2,"seq":1009,"time":"2026-01-01T00:00:09Z","type":"stopped","reason":"limit","why":"2 turns taken.","state":{"run":"r","turn":2}}` + "\n"
)

// hostileJournal writes what no loop has written after the events of a real run.
type hostileJournal struct {
	name string
	text func(t *testing.T, w io.Writer)
}

// hostileJournals are of several kinds, of which the tests usually take the first journal each.
var hostileJournals = [][]hostileJournal{{
	{"many turns", func(t *testing.T, w io.Writer) {
		for n := range testkit.Times(t, 5_000, 300_000) {
			fmt.Fprintf(w, `{"turn":%d,"seq":%d,"time":"2026-01-01T00:00:01Z","type":"turn_started","adapter":"rehearsal"}
{"turn":%[1]d,"seq":%[3]d,"time":"2026-01-01T00:00:02Z","type":"turn_ended","outcome":{"success":true},"state":{"run":"r","turn":%[1]d}}
`, n+2, 2*n+1002, 2*n+1003)
		}
	}},
	{"blank lines", func(_ *testing.T, w io.Writer) { fmt.Fprint(w, strings.Repeat("\n", 100_000)) }},
	{"a line of 70 MB", func(_ *testing.T, w io.Writer) {
		fmt.Fprint(w, `{"turn":2,"type":"text","text":"`)
		for range 70 {
			fmt.Fprint(w, strings.Repeat("x", 1<<20))
		}
		fmt.Fprint(w, "\"}\n"+journalEnds)
	}},
}, {
	{"huge numbers", func(_ *testing.T, w io.Writer) {
		fmt.Fprint(w, `{"turn":9223372036854775807,"seq":9223372036854775807,"time":"9999-01-01T00:00:01Z","type":"turn_started"}
{"turn":9223372036854775807,"seq":9223372036854775807,"time":"9999-12-31T23:59:59Z","type":"stopped","reason":"limit","why":"w","state":{"run":"r","turn":9223372036854775807,"lost":9223372036854775807,"elapsed_ms":9223372036854775807,"cost_usd":1e308,"tokens":{"input":9223372036854775807},"failures":9223372036854775807,"waited_ns":9223372036854775807}}
{"turn":1e999,"seq":1,"type":"stopped"}
`)
	}},
	{"negative numbers", func(_ *testing.T, w io.Writer) {
		fmt.Fprint(w, `{"turn":-1,"seq":-2,"time":"2026-01-01T00:00:01Z","type":"turn_started","adapter":"rehearsal"}
{"turn":-1,"seq":-3,"time":"0000-01-01T00:00:02Z","type":"usage","tokens":{"input":-5,"output":-6,"cost_usd":-7}}
{"turn":-1,"seq":-9,"time":"2026-01-01T00:00:09Z","type":"stopped","reason":"limit","why":"w","state":{"run":"r","turn":-5,"lost":-1,"cut":-1,"elapsed_ms":-9,"cost_usd":-3,"tokens":{"input":-1},"failures":-9,"limits":-1,"waited_ns":-99,"claims":-1,"removed":-1}}
`)
	}},
}, {
	{"deep nesting", func(_ *testing.T, w io.Writer) {
		deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
		fmt.Fprint(w, `{"turn":2,"seq":1002,"type":"tool_use","input":`+deep+"}\n"+
			`{"turn":2,"seq":1003,"type":"turn_ended","state":`+strings.Repeat(`{"state":`, 100_000)+"1"+strings.Repeat("}", 100_000)+"}\n"+deep+"\n"+journalEnds)
	}},
	{"nesting that JSON allows", func(_ *testing.T, w io.Writer) {
		fmt.Fprint(w, `{"turn":2,"seq":1002,"type":"tool_use","input":`+strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)+"}\n"+journalEnds)
	}},
}, {
	{"a torn end", func(_ *testing.T, w io.Writer) { fmt.Fprint(w, journalTurn+journalEnds[:40]) }},
	{"no line end at the end", func(_ *testing.T, w io.Writer) {
		fmt.Fprint(w, journalTurn+strings.TrimSuffix(journalEnds, "\n"))
	}},
	{"nothing more", func(*testing.T, io.Writer) {}},
}, {
	{"NUL bytes", func(_ *testing.T, w io.Writer) {
		fmt.Fprint(w, strings.Repeat("\x00", 1<<20)+"\n"+strings.ReplaceAll(journalTurn, "words", "wo\x00rds")+journalEnds+strings.Repeat("\x00", 4096))
	}},
	{"binary", func(_ *testing.T, w io.Writer) {
		fmt.Fprint(w, strings.Repeat("\xff\xfe\x80\x01\n\r", 10_000)+journalEnds)
	}},
}, {
	{"wrong types", func(_ *testing.T, w io.Writer) {
		fmt.Fprint(w, `{"turn":"1","seq":[],"time":5,"type":"run_started"}
{"turn":1,"seq":2,"type":7}
{"type":"stopped","state":"r"}
{"turn":1,"seq":3,"time":"2026-01-01T00:00:03Z","type":"turn_ended","outcome":[],"state":[]}
{"turn":1,"seq":3,"time":"2026-01-01T00:00:03Z","type":"asked","question":7}
[] null 1 "x" true
null
{"turn":1,"seq":9,"time":"2026-01-01T00:00:09Z","type":"stopped","reason":{},"why":1,"state":{"run":5,"turn":"x","questions":{"id":1}}}
`)
	}},
	{"null everywhere", func(_ *testing.T, w io.Writer) {
		fmt.Fprint(w, `{"turn":null,"seq":null,"time":null,"type":"run_started","settings":null}
{"turn":1,"seq":3,"time":null,"type":"turn_ended","outcome":null,"state":null}
{"turn":1,"seq":9,"time":null,"type":"stopped","reason":null,"why":null,"state":{"run":null,"turn":null,"questions":[null],"moves":[null],"limited":null}}
`)
	}},
}}

// No journal makes a command that reads it hang, panic or use much memory, and none of them changes
// what is there. A run that continues from it only adds to it.
func TestHostileJournals(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute")
	}
	t.Parallel()
	for _, j := range testkit.FirstOfEach(t, hostileJournals) {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			h := newHostile(t, map[string]string{"work": "mine\n"})
			out, code := h.run("run", "--prompt", "x", "--adapter", "rehearsal", "--max-turns", "1")
			require.Equal(t, ui.ExitLimit, code, out)
			path := filepath.Join(h.dir, layout.Dir, layout.EventsFile)
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			w := bufio.NewWriter(f)
			j.text(t, w)
			require.NoError(t, errors.Join(w.Flush(), f.Close()))
			size, whole := journalSizes(t, path)
			sum := sumOf(t, path, whole)
			begun, err := os.Stat(path)
			require.NoError(t, err)
			for _, line := range []string{
				"status", "status --json", "events", "watch", "replay", "replay --turn 1", "replay --html=" + filepath.Join(filepath.Dir(h.dir), "page.html"),
				"run --resume --dry-run --trust",
			} {
				h.bounded(strings.Fields(line)...)
				now, err := os.Stat(path)
				require.NoError(t, err)
				assert.Equal(t, size, now.Size(), line)
				assert.Equal(t, begun.ModTime(), now.ModTime(), line)
			}
			assert.Equal(t, sum, sumOf(t, path, whole))
			h.bounded("run", "--resume", "--trust", "--max-turns", "2") // removes a torn last line
			assert.Equal(t, sum, sumOf(t, path, whole), "the resumed run changed lines of the journal")
			text, err := os.ReadFile(filepath.Join(h.dir, "work"))
			require.NoError(t, err)
			assert.Equal(t, "mine\n", string(text))
		})
	}
}

// journalSizes returns the size of a journal, and the end of its last complete line that is not blank.
func journalSizes(t *testing.T, path string) (size, whole int64) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for r := bufio.NewReader(f); ; {
		part, err := r.ReadSlice('\n')
		size += int64(len(part))
		switch {
		case err == nil && len(part) > 1: // blank lines at the end are removed like a torn one
			whole = size
		case err == nil:
		case errors.Is(err, io.EOF):
			return size, whole
		case !errors.Is(err, bufio.ErrBufferFull):
			require.NoError(t, err)
		}
	}
}

// sumOf returns the hash of the beginning of a file.
func sumOf(t *testing.T, path string, size int64) [sha256.Size]byte {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	sum := sha256.New()
	_, err = io.CopyN(sum, f, size)
	require.NoError(t, err)
	return [sha256.Size]byte(sum.Sum(nil))
}

// maxResident is the memory, in KB, that a command may use for a file of a hostile project.
const maxResident = 512 << 10

// bounded runs a command line that must end soon, without a panic and with little memory, and returns
// its output.
func (h *hostile) bounded(args ...string) string {
	h.t.Helper()
	path, err := binary()
	require.NoError(h.t, err)
	ctx, cancel := context.WithTimeout(h.t.Context(), 5*commandTimeout) // many turns, on a busy machine
	defer cancel()
	cmd, peak := measuredCommand(ctx, h.t, path, args...)
	cmd.Dir, cmd.Env = h.dir, h.environ
	out, err := cmd.CombinedOutput()
	require.NoError(h.t, ctx.Err(), "ripple %s hangs", strings.Join(args, " "))
	if err != nil {
		assert.NotEmpty(h.t, out, "ripple %s failed without a word: %v", strings.Join(args, " "), err)
	}
	code := cmd.ProcessState.ExitCode()
	assert.Falsef(h.t, code < 0 || bytes.Contains(out, []byte("panic")) || bytes.Contains(out, []byte("goroutine ")),
		"ripple %s: %d %s", strings.Join(args, " "), code, out[:min(len(out), 4096)])
	used := peak()
	assert.Lessf(h.t, used, int64(maxResident), "KB of memory: ripple %s", strings.Join(args, " "))
	h.t.Logf("ripple %s: code %d, %d ms, %d KB, %d bytes: %.200q", strings.Join(args, " "), code, cmd.ProcessState.UserTime().Milliseconds(), used, len(out), out)
	return string(out)
}
