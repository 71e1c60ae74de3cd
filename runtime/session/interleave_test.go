package session_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/internal/vt"
	"example.org/ripple/runtime/session"
)

// record returns what the program prints at its start, and from then on while it runs the codes.
func record(t *testing.T, name string, codes []string) (replay *session.Replay, start, stream []byte) {
	t.Helper()
	var mu sync.Mutex
	var parts [2][]byte
	part := 0
	s := open(t, name, session.Options{Dir: t.TempDir(), Observer: session.ObserverFunc(func(e session.Event) {
		mu.Lock()
		defer mu.Unlock()
		switch e.Kind {
		case session.EventRead:
			parts[part] = append(parts[part], e.Data...)
		case session.EventWrite:
			part = 1
		}
	})})
	replay = s.Replay(t)
	for _, code := range codes {
		eval(t, s, code)
	}
	require.NoError(t, s.Close(deadline(t)))
	return replay, parts[0], parts[1]
}

var words = regexp.MustCompile(` +|\n|[^ \n]+ ?\n?`)

// pieces splits a stream where a program may have ended a write: none is within a sequence.
func pieces(stream []byte) (list [][]byte) {
	tokens := vt.ForText()
	tokens.Feed(stream, func(t *vt.Token) {
		if t.Inside {
			return
		}
		if t.Kind != vt.Text {
			list = append(list, slices.Clone(t.Raw))
			return
		}
		for _, word := range words.FindAll(t.Raw, -1) {
			list = append(list, slices.Clone(word))
		}
	})
	return list
}

// A line that a background job prints arrives, wherever in the program's own output it comes, and
// also if the first prompt was drawn so slowly that the session did not wait for its end.
func TestLineOfAJobAnywhere(t *testing.T) {
	codes := []string{"true", "echo cmd 1", "echo cmd 2", "true"}
	replay, start, stream := record(t, "fish", codes)
	drawn := bytes.Index(start, []byte("633;A;"))
	require.Positive(t, drawn)
	drawn += bytes.IndexByte(start[drawn:], '\a') + 1
	rest := append(pieces(start[drawn:]), pieces(stream)...)
	for name, reads := range map[string][][]byte{
		"at a prompt":              append([][]byte{start}, pieces(stream)...),
		"before a prompt is drawn": append([][]byte{start[:drawn]}, rest...),
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, "cmd 1\ncmd 2\n", printed(replay.Run(t, codes, reads)))
			const job = "bg 1\r\nbg 2\r\n"
			end := len(reads) - 1 // at the beginning of the last command's output
			for !bytes.Contains(reads[end], []byte(fmt.Sprintf("633;C;%d;", len(codes)))) {
				end--
			}
			for at := 1; at <= end; at++ {
				alone := slices.Insert(slices.Clone(reads), at, []byte(job))
				together := slices.Clone(reads)
				together[at-1] = slices.Concat(reads[at-1], []byte(job))
				for _, with := range [][][]byte{alone, together} {
					got := printed(replay.Run(t, codes, with))
					for line := range strings.Lines(job) {
						line = strings.TrimRight(line, "\r\n")
						assert.Equal(t, 1, strings.Count(got, line), "%s between %q and %q: %q", line, reads[max(0, at-4):at], reads[at:min(len(reads), at+4)], got)
					}
				}
			}
		})
	}
}

// printed returns all that the results have.
func printed(results []session.Result) (text string) {
	for _, r := range results {
		text += r.OutOfBand + r.Output
	}
	return text
}
