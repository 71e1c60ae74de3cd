package terminal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

var both = []schema.TTYReply{schema.ReplyDA1, schema.ReplyDSR}

func corner(int64) (row, col int) { return 1, 1 }

// replies returns the answers to a program's output that arrives in pieces.
func replies(listed []schema.TTYReply, gone func([]byte) bool, pieces ...string) string {
	a := newAnswers(listed, corner)
	for _, p := range pieces {
		a.feed([]byte(p))
	}
	return waiting(a, gone)
}

// waiting drops the queries whose senders have gone and returns the replies to the others.
func waiting(a *answers, gone func([]byte) bool) string {
	u := a.copied(0)
	j := u.judge(func(q Query) QueryVerdict {
		if gone != nil && gone(q.Since) {
			return QueryAbandoned
		}
		return QueryWaits
	})
	a.drop(&u, j.first)
	return j.reply
}

// A reply is one of a few constants: a program's output never comes back to it as input.
func TestQueriesAreAnsweredWithConstants(t *testing.T) {
	for _, tt := range []struct {
		name    string
		replies []schema.TTYReply
		seen    string
		want    string
	}{
		{"no reply is listed", nil, "\x1b[c\x1b[5n\x1b[6n", ""},
		{"the device", []schema.TTYReply{schema.ReplyDA1}, "a\x1b[cb\x1b[0cc", "\x1b[?62;22c\x1b[?62;22c"},
		{"the status and the cursor", []schema.TTYReply{schema.ReplyDSR}, "\x1b[5n\x1b[6n", "\x1b[0n\x1b[1;1R"},
		{"the cursor is elsewhere", []schema.TTYReply{schema.ReplyDSR}, "\x1b[7;9H\x1b[6n", "\x1b[1;1R"},
		{"one that is not listed", []schema.TTYReply{schema.ReplyDSR}, "\x1b[c", ""},
		{"a part of another sequence", both, "\x1b]0;\x1b[c\x07 \x1b[?5n \x1b[5$n \x1b[1c \x1b[5;6n \x1b[>c", "\x1b[?62;22c"},
		{"a query in a title is part of the title", both, "\x1b]0;[c[5n\x07\x1b_[5n\x1b\\", ""},
		{
			"queries that would return the program's own text",
			both,
			"\x1b]0;rm -rf .\a\x1b[21t\x1b]2;?\a\x1b]11;?\a\x1bP$qm\x1b\\\x1bP+q544e\x1b\\\x1b]52;c;?\a\x05\x1b[>q\x1b[18t", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, replies(tt.replies, nil, tt.seen))
		})
	}
}

// Mode 2027 is reported as it was at the query; other modes are not reported.
func TestModeOfWidthsIsReported(t *testing.T) {
	set := true
	a := newAnswers([]schema.TTYReply{schema.ReplyDA1}, corner)
	a.clusters = func(int64) bool { return set }
	a.feed([]byte("\x1b[?2027$p\x1b[?2026$p\x1b[2027$p\x1b[?2027p"))
	set = false
	a.feed([]byte("\x1b[?2027$p"))
	assert.Equal(t, "\x1b[?2027;1$y\x1b[?2027;2$y", waiting(a, nil))
	assert.Empty(t, replies([]schema.TTYReply{schema.ReplyDSR}, nil, "\x1b[?2027$p"), "not listed")
}

// The sender of a query is judged by the output after its query, not by the output before it.
func TestGoneSenderGetsNoReply(t *testing.T) {
	gone := func(since []byte) bool { return strings.Contains(string(since), "prompt") }
	for _, tt := range []struct {
		name   string
		pieces []string
		want   string
	}{
		{"he waits", []string{"prompt \x1b[5n"}, "\x1b[0n"},
		{"a prompt follows", []string{"\x1b[5n prompt "}, ""},
		{"in another piece", []string{"\x1b[5n", " pro", "mpt "}, ""},
		{"the prompt contains a query too", []string{"\x1b[5n prompt \x1b[6n", "later"}, "\x1b[1;1R"},
		{"one after the other", []string{"\x1b[5n", "\x1b[6n", " prompt \x1b[c"}, "\x1b[?62;22c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, replies(both, gone, tt.pieces...))
		})
	}
	a := newAnswers(both, corner)
	a.feed([]byte("\x1b[5n and \x1b[6n"))
	assert.Equal(t, "\x1b[0n\x1b[1;1R", waiting(a, gone), "asked, and asked again:")
	a.feed([]byte(" prompt \x1b[c"))
	assert.Equal(t, "\x1b[?62;22c", waiting(a, gone))
	a.feed([]byte("more"))
	assert.Equal(t, "\x1b[?62;22c", waiting(a, gone))
}

// The reported cursor position is the one after exactly the output before the query.
func TestCursorIsReportedAtQuery(t *testing.T) {
	text := "text \x1b[1mand\x1b[6nmore\x1b[6n"
	for cut := range len(text) {
		var at []int64
		a := newAnswers(both, func(end int64) (int, int) { at = append(at, end); return 2, 3 })
		a.feed([]byte(text[:cut]))
		a.feed([]byte(text[cut:]))
		require.Equal(t, []int64{16, 24}, at)
		require.Equal(t, "\x1b[2;3R\x1b[2;3R", waiting(a, nil))
	}
}

// The same queries get the same answers, however the output is split.
func FuzzQueriesCutAnywhere(f *testing.F) {
	for _, s := range []string{
		"\x1b[c", "a\x1b[0cb\x1b[5n\x1b[6nend", "\x1b]0;t\x07\x1b[5n", "\x1bP\x1b[5n\x1b\\\x1b[6n", "\x1b[6\nn\x1b[\x1b[c",
		"\u009bc\x1b[5n", "é\x1b[6né", "\x1b[5nprompt\x1b[6n", "\x1b[" + strings.Repeat("0", 4100) + "c\x1b[c",
	} {
		f.Add([]byte(s))
	}
	gone := func(since []byte) bool { return strings.Contains(string(since), "prompt") }
	f.Fuzz(func(t *testing.T, b []byte) {
		want := replies(both, gone, string(b))
		var bytes []string
		for i := range b {
			bytes = append(bytes, string(b[i:i+1]))
			if len(b) > 1000 && i%500 > 1 {
				continue
			}
			if got := replies(both, gone, string(b[:i]), string(b[i:])); got != want {
				t.Fatalf("cut at %d: %q, whole: %q", i, got, want)
			}
		}
		if got := replies(both, gone, bytes...); got != want {
			t.Fatalf("byte by byte: %q, whole: %q", got, want)
		}
	})
}

func TestRingKeepsTheEnd(t *testing.T) {
	for _, limit := range []int{1, 2, 7, 16} {
		for size := range 40 {
			r := ring{limit: limit}
			var all []byte
			for i := 0; len(all) < 200; i++ {
				piece := fmt.Appendf(nil, "%0*d", 1+(size+i)%19, i)
				all = append(all, piece...)
				r.write(piece)
				require.Equal(t, int64(len(all)), r.end)
				require.Equal(t, max(0, r.end-int64(limit)), r.start())
				for from := r.start(); from <= r.end; from++ {
					for to := from; to <= r.end; to++ {
						first, second := r.between(from, to)
						require.Equal(t, string(all[from:to]), string(first)+string(second), "limit %d, %d to %d", limit, from, to)
					}
				}
			}
		}
	}
}
