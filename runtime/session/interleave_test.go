package session_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/session"
)

// record returns what the program prints at its start, and from then on while it runs the codes.
func record(t *testing.T, name string, env, codes []string) (replay *session.Replay, start, stream []byte) {
	t.Helper()
	var mu sync.Mutex
	var parts [2][]byte
	part := 0
	s := open(t, name, session.Options{Dir: t.TempDir(), Env: env, Observer: session.ObserverFunc(func(e session.Event) {
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
	replay, start, stream := record(t, "fish", nil, codes)
	drawn := firstPrompt(t, start)
	rest := append(pieces(start[drawn:]), pieces(stream)...)
	for name, reads := range map[string][][]byte{
		"at a prompt":              append([][]byte{start}, pieces(stream)...),
		"before a prompt is drawn": append([][]byte{start[:drawn]}, rest...),
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, "cmd 1\ncmd 2\n", printed(replay.Run(t, codes, reads)))
			eachPlaceOfAJob(t, len(codes), reads, func(at int, with [][]byte) {
				got := printed(replay.Run(t, codes, with))
				for line := range strings.Lines(job) {
					line = strings.TrimRight(line, "\r\n")
					assert.Equal(t, 1, strings.Count(got, line), "%s between %q and %q: %q", line, reads[max(0, at-4):at], reads[at:min(len(reads), at+4)], got)
				}
			})
		})
	}
}

const job = "bg 1\r\nbg 2\r\n"

// firstPrompt returns the position of the first prompt's text.
func firstPrompt(t *testing.T, start []byte) int {
	t.Helper()
	at := bytes.Index(start, []byte("633;A;"))
	require.Positive(t, at)
	return at + bytes.IndexByte(start[at:], '\a') + 1
}

// eachPlaceOfAJob calls f with the reads and the job's lines before each of them, alone and in the
// read before it, up to the output of the last command. Under -short it does so at a few of these places.
func eachPlaceOfAJob(t *testing.T, commands int, reads [][]byte, f func(at int, with [][]byte)) {
	end := len(reads) - 1
	for !bytes.Contains(reads[end], []byte(fmt.Sprintf("633;C;%d;", commands))) {
		end--
	}
	places := testkit.Fewer(t, 20, end)
	for i := range places {
		at := 1 + i*end/places
		f(at, slices.Insert(slices.Clone(reads), at, []byte(job)))
		together := slices.Clone(reads)
		together[at-1] = slices.Concat(reads[at-1], []byte(job))
		f(at, together)
	}
}

// If only the first line of the first prompt has arrived when the session begins, that line is the
// prompt's, and so is the first line of each later prompt.
func TestFirstPromptOfTwoLinesIsDrawnSlowly(t *testing.T) {
	config := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(config, "fish"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(config, "fish", "config.fish"), []byte("function fish_prompt; echo above; echo -n 'below> '; end\n"), 0o600))
	codes := []string{"true", "echo cmd 1", "echo cmd 2", "true"}
	replay, start, stream := record(t, "fish", []string{"XDG_CONFIG_HOME=" + config}, codes)
	drawn := firstPrompt(t, start)
	drawn += bytes.IndexByte(start[drawn:], '\n') + 1
	require.Contains(t, string(start[:drawn]), "above", "%q", start)
	reads := slices.Concat([][]byte{start[:drawn]}, pieces(start[drawn:]), pieces(stream))
	require.Equal(t, "cmd 1\ncmd 2\n", printed(replay.Run(t, codes, reads)))
	eachPlaceOfAJob(t, len(codes), reads, func(at int, with [][]byte) {
		got := printed(replay.Run(t, codes, with))
		where := fmt.Sprintf("between %q and %q", reads[max(0, at-4):at], reads[at:min(len(reads), at+4)])
		assert.Equal(t, 1, strings.Count(got, "bg 1"), "%s: %q", where, got)
		assert.Equal(t, 1, strings.Count(got, "bg 2"), "%s: %q", where, got)
		if !strings.Contains(got, "abovebg") { // the job printed within that line
			assert.NotContains(t, got, "above", where)
		}
	})
}

// printed returns all that the results have.
func printed(results []session.Result) (text string) {
	for _, r := range results {
		text += r.OutOfBand + r.Output
	}
	return text
}
