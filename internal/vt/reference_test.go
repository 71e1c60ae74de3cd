package vt

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// A reference is @xterm/headless in a node process: testdata/xterm.js.
type reference struct {
	in   *json.Encoder
	out  *json.Decoder
	end  func()
	kill func() error
}

type step struct {
	Write  []byte  `json:"write,omitempty"`
	Resize *[2]int `json:"resize,omitempty"`
}

type request struct {
	Cols  int    `json:"cols"`
	Rows  int    `json:"rows"`
	Steps []step `json:"steps"`
}

// picture is the state that is compared: text, cursor and the displayed screen.
type picture struct {
	Rows      []string `json:"rows"`
	History   []string `json:"history"`
	X, Y      int
	Alternate bool   `json:"alt"`
	Error     string `json:"err,omitempty"`
}

// newReference skips the test if the reference is not installed; tools/xterm installs it.
func newReference(t *testing.T) *reference {
	root, err := filepath.Abs("../../.xterm/node_modules")
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(root, "@xterm/headless")); err != nil {
		t.Skip("@xterm/headless is not installed: tools/xterm")
	}
	cmd := exec.Command("node", "testdata/xterm.js")
	cmd.Env = append(os.Environ(), "NODE_PATH="+root)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	r := &reference{json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out)), func() { in.Close(); cmd.Wait() }, cmd.Process.Kill}
	t.Cleanup(r.end)
	return r
}

// paint returns a picture with an Error if xterm.js throws or loops forever.
func (r *reference) paint(t *testing.T, q request) (p picture) {
	require.NoError(t, r.in.Encode(q))
	watchdog := time.AfterFunc(testkit.Patience(20*time.Second), func() { r.kill() })
	if err := r.out.Decode(&p); err != nil {
		p.Error = "no answer: " + err.Error()
		*r = *newReference(t)
	}
	watchdog.Stop()
	return p
}

// paint does the same with a Screen.
func paint(q request) picture {
	s := New(Options{Cols: q.Cols, Rows: q.Rows, History: 100000})
	for _, step := range q.Steps {
		if step.Resize != nil {
			s.Resize(step.Resize[0], step.Resize[1])
		} else {
			s.Write(step.Write)
		}
	}
	return pictureOf(s)
}

func pictureOf(s *Screen) picture {
	var p picture
	_, rows := s.Size()
	for y := range rows {
		text, _ := s.Row(y)
		p.Rows = append(p.Rows, text)
	}
	p.History = []string{}
	for i := range s.History() {
		text, _ := s.HistoryRow(i)
		p.History = append(p.History, text)
	}
	p.X, p.Y = s.Cursor()
	p.Alternate = s.Alternate()
	return p
}

// stream returns output of a hostile or merely unusual program: about n bytes.
func stream(r *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		b = append(b, piece(r)...)
	}
	return b
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func piece(r *rand.Rand) string {
	num := func() string {
		return pick(r, "", "0", "1", "2", "3", "5", "7", "10", "12", "20", "40", "79", "80", "81", "132")
	}
	switch r.IntN(24) {
	case 0, 1, 2, 3, 4:
		return strings.Repeat(pick(r, "a", "b", "xyz ", "hello", "     ", "#", "0123456789"), 1+r.IntN(12))
	case 5:
		return pick(r, "日本", "한", "é", "e\u0301", "a\u0308\u0323", "\u0301", "😀", "─┼", "ﬁ", "ü")
	case 6:
		return pick(r, "\r\n", "\n", "\r", "\b", "\t", "\x0b", "\x0c", "\a", "\x00", "\x7f", "\x0e", "\x0f", "\u0084", "\u0085", "\u0088")
	case 7, 8:
		return "\r\n"
	case 9, 10, 11:
		return "\x1b[" + num() + pick(r, "A", "B", "C", "D", "E", "F", "G", "d", "a", "e", "`", "I", "Z")
	case 12, 13:
		return "\x1b[" + num() + ";" + num() + pick(r, "H", "f")
	case 14, 15:
		return "\x1b[" + pick(r, "", "0", "1", "2", "3") + pick(r, "J", "K", "K")
	case 16:
		return "\x1b[" + num() + pick(r, "@", "P", "X", "L", "M", "S", "T")
	case 17:
		return pick(r, "", "\x1b[C") + "\x1b[" + pick(r, "", "0", "1", "2", "3", "5", "7", "12", "20", "33") + "b" + pick(r, "", "\x1b["+num()+pick(r, "g", " @", " A", "S", "T")+
			pick(r, "", "\x1b[C\x1b["+num()+pick(r, "'}", "'~"))) // after the last column they affect the first one in xterm.js
	case 18:
		return "\x1b[" + pick(r, "", "0", "1", "31", "44", "38;5;200", "48;2;1;2;3", "7", "4:3", "39;49") + "m"
	case 19:
		return pick(r, "\x1b7", "\x1b8", "\x1b[s", "\x1b[u", "\x1bD", "\x1bE", "\x1bH", "\x1bM", "\x1b#8", "\x1bc", "\x1b[!p", "\x1b=", "\x1b>")
	case 20:
		return "\x1b[" + num() + ";" + num() + "r"
	case 21:
		return "\x1b[" + pick(r, "4", "?6", "?7", "?45", "?25", "?1", "?1049", "?47", "?1047", "?1048", "?2004", "?2026") + pick(r, "h", "l")
	case 22:
		return pick(r, "\x1b(0", "\x1b(B", "\x1b)0", "\x1b*0", "\x1b+A", "\x1bn", "\x1bo", "\x1b~", "\x1b]0;title\a", "\x1b]2;t\x1b\\", "\x1b]8;;http://x\a", "\x1bPq#1\x1b\\", "\x1b_x\x1b\\", "\x1b%G")
	}
	return pick(r, "\x1b[", "\x1b", "\x1b[3", "\x1b[?", "\x1b[1;2", "\xe3\x81", "\xe3\x81\x1b[2C\x82", "\x82", "\xff", "\x1b[1\n2C", "\x18", "\x1a", "\x1b[>1c", "\x1b[3 ", "\u009b2C", "\x1b[1:2;3m", "\x1b[<5h", "\x1b P")
}

func TestLikeXterm(t *testing.T) {
	ref := newReference(t)
	const streams, length, seed = 300, 2000, 1
	differ, failed := 0, 0
	t.Cleanup(func() { t.Log(differ, "of", streams, "differ; xterm.js failed in", failed) })
	for i := range streams {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		q := request{Cols: pick(r, 80, 20, 40, 11, 132), Rows: pick(r, 24, 5, 10, 3)}
		b := stream(r, length)
		q.Steps = []step{{Write: b}}
		got, want := paint(q), ref.paint(t, q)
		if i%200 == 199 {
			ref.end()
			ref = newReference(t) // its memory grows
		}
		if want.X > q.Cols { // a combining character after the last column
			want.Error = "its cursor is outside of the screen"
		}
		if want.Error != "" {
			t.Logf("stream %d: xterm.js: %s", i, want.Error)
			failed++
			continue
		}
		if equal(got, want) {
			continue
		}
		differ++
		if differ <= 5 {
			report(t, ref, q, fmt.Sprintf("stream %d", i))
		}
	}
	require.LessOrEqual(t, differ*1000, streams, "%d of %d streams differ", differ, streams)
}

func equal(a, b picture) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// report finds the shortest prefix of the stream that differs.
func report(t *testing.T, ref *reference, q request, name string) {
	b := q.Steps[0].Write
	lo, hi := 0, len(b)
	for lo+1 < hi {
		mid := (lo + hi) / 2
		q.Steps = []step{{Write: b[:mid]}}
		if equal(paint(q), ref.paint(t, q)) {
			lo = mid
		} else {
			hi = mid
		}
	}
	q.Steps = []step{{Write: b[:hi]}}
	t.Errorf("%s, %d×%d: the first %d bytes differ: …%q\nripple: %+v\nxterm: %+v", name, q.Cols, q.Rows, hi, b[max(0, hi-80):hi], paint(q), ref.paint(t, q))
}
