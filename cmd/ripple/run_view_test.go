package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ripple/runtime/loop"
	"ripple/runtime/registry"
	"ripple/schema"
)

// live is what a person sees of a turn, and the status line at its end.
func live(t *testing.T, width int, colour bool) (screen, line string) {
	t.Helper()
	t.Chdir(t.TempDir())
	turn, err := os.ReadFile(home + "/testdata/screens/turn.ndjson")
	require.NoError(t, err)
	var out bytes.Buffer
	a := newApp(strings.NewReader(""), &out, &out, func(error) {})
	v := a.newLoopView(&registry.Entry{Adapter: &schema.Adapter{Agent: &schema.Agent{}}}, &loop.Config{MaxTurns: 100, CallsPerHour: 100}, loopFlags{})
	v.line, v.tools, v.turns.paged, v.turns.marked = true, true, true, true
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	v.turns.now = func() time.Time { at = at.Add(time.Second); return at }
	v.turns.pageOf = func(any) page { return page{width: width, colour: colour} }
	v.notice(loop.Notice{Kind: loop.NoticeNote, Text: "the prompt is still the template"})
	v.notice(loop.Notice{Kind: loop.NoticeTurnStarted, Turn: 2, Agent: "claude", Branch: "agent/work", Task: "Write the tokenizer", Cost: 1})
	for _, e := range events(t, string(turn)) {
		v.notice(loop.Notice{Kind: loop.NoticeEvent, Turn: 2, Event: &e})
	}
	v.notice(loop.Notice{Kind: loop.NoticeTurnEnded, Turn: 2, Text: "made progress, status IN_PROGRESS, write the screen", Outcome: "made progress, 1 permission denied", OK: true, Cost: 1.25})
	v.notice(loop.Notice{Kind: loop.NoticeCommitted, Turn: 2, Text: "0123456789"})
	v.notice(loop.Notice{Kind: loop.NoticeVerifying, Turn: 2, Text: "make test"})
	v.notice(loop.Notice{Kind: loop.NoticeVerified, Turn: 2, Text: "`make test`: exit code 2: FAIL"})
	v.notice(loop.Notice{Kind: loop.NoticeVerified, Turn: 2, Text: "`make test`: ok", OK: true})
	v.notice(loop.Notice{Kind: loop.NoticeTurnStarted, Turn: 3, Cost: 1.25})
	v.notice(loop.Notice{Kind: loop.NoticeTurnEnded, Turn: 3, Text: "failed (crashed): exit code 9", Outcome: "failed (crashed): exit code 9", Cost: 1.25})
	v.notice(loop.Notice{Kind: loop.NoticeWaiting, Turn: 3, Text: "after a failed turn", Left: 4 * time.Second})
	v.interrupted()
	pieces := strings.Split(out.String(), "\r\x1b[K") // what is printed and the status line take turns
	for i := 1; i < len(pieces); i += 2 {
		screen += pieces[i]
	}
	return screen, pieces[len(pieces)-1]
}

func TestLiveView(t *testing.T) {
	for _, width := range []int{40, 80, 200} {
		screen, line := live(t, width, false)
		fits(t, screen, width)
		golden(t, fmt.Sprintf("live-%d.txt", width), screen)
		assert.Equal(t, "waiting 4s after a failed turn · turn 3/100 · 6s · 100 calls left · $1.25", line)
	}
	screen, _ := live(t, 80, true)
	fits(t, screen, 80)
	golden(t, "live-80-colour.txt", screen)
	plain, _ := live(t, 80, false)
	assert.Equal(t, plain, sgr.ReplaceAllString(screen, ""), "colours add nothing but colours")
}

// The status line has what there is room for, the important first.
func TestFitLine(t *testing.T) {
	waiting := []string{"waiting 59m58s for the limit of 2 calls an hour", "turn 3/100", "4s", "97 calls left", "$0.20"}
	for _, tt := range []struct {
		parts   []string
		columns int
		want    string
	}{
		{waiting, 99, "waiting 59m58s for the limit of 2 calls an hour · turn 3/100 · 4s · 97 calls left · $0.20"},
		{waiting, 79, "waiting 59m58s for the limit of 2 calls an hour · turn 3/100 · 4s · $0.20"},
		{waiting, 39, "waiting 59m58s for the limit of 2 call…"},
		{waiting, 19, "waiting 59m58s for…"},
		{[]string{"turn 3/100", "2m0s", "97 calls left", "circuit CLOSED"}, 19, "turn 3/100 · 2m0s"},
		{[]string{"turn 3/100", "2m0s"}, 5, "turn…"},
		{[]string{"for 日本語", "4s"}, 9, "for 日本…"},
		{nil, 9, ""},
	} {
		got := fitLine(tt.parts, tt.columns)
		assert.Equal(t, tt.want, got)
		assert.LessOrEqual(t, ansi.StringWidth(got), tt.columns)
	}
}
