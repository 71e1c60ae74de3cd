package loopcmd

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// live returns the user's view of a turn, and the status line at its end.
func live(t *testing.T, width int, color bool) (screen, line string) {
	t.Helper()
	t.Chdir(t.TempDir())
	turn, err := os.ReadFile(home + "/testdata/screens/turn.ndjson")
	require.NoError(t, err)
	var out bytes.Buffer
	a := &app{ui.NewApp(strings.NewReader(""), &out, &out, func(error) {})}
	v := a.newLoopView(&registry.Entry{Adapter: &schema.Adapter{Agent: &schema.Agent{}}}, &config.Config{MaxTurns: 100, CallsPerHour: 100}, loopFlags{})
	v.line, v.tools, v.turns.Paged, v.turns.Marked = true, true, true, true
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	v.turns.Now = func() time.Time { at = at.Add(time.Second); return at }
	v.turns.PageOf = func(any) ui.Page { return ui.Page{Width: width, Color: color} }
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
	v.notice(loop.Notice{Kind: loop.NoticeWaiting, Turn: 3, Text: "after a failed turn", Remaining: 4 * time.Second})
	v.interrupt(func() {})
	pieces := strings.Split(out.String(), "\r\x1b[K") // output and the status line alternate
	for i := 1; i < len(pieces); i += 2 {
		screen += pieces[i]
	}
	return screen, pieces[len(pieces)-1]
}

// An interrupt is explained in the same words whether events or text are printed.
func TestAnInterruptIsExplained(t *testing.T) {
	for name, c := range map[string]struct {
		notices []loop.Notice
		want    []string
	}{
		"before the first turn": {nil, []string{"the loop ends"}},
		"in a turn": {
			[]loop.Notice{{Kind: loop.NoticeTurnStarted, Turn: 1}},
			[]string{"the loop ends after this turn; to end the agent now: Ctrl-C again, or ripple stop --now", "ending the agent"},
		},
		"between turns": {
			[]loop.Notice{{Kind: loop.NoticeTurnStarted, Turn: 1}, {Kind: loop.NoticeTurnEnded, Turn: 1}, {Kind: loop.NoticeNote, Turn: 1, Text: "a note"}},
			[]string{"the loop ends"},
		},
		"in a check": {
			[]loop.Notice{{Kind: loop.NoticeTurnStarted, Turn: 1}, {Kind: loop.NoticeTurnEnded, Turn: 1}, {Kind: loop.NoticeVerifying, Turn: 1, Text: "make"}},
			[]string{"the loop ends after this check; to end the check now: Ctrl-C again", "ending the check"},
		},
	} {
		for _, asJSON := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, json %t", name, asJSON), func(t *testing.T) {
				var stdout, stderr bytes.Buffer
				a := &app{ui.NewApp(strings.NewReader(""), &stdout, &stderr, func(error) {})}
				v := a.newLoopView(&registry.Entry{Adapter: &schema.Adapter{Agent: &schema.Agent{}}}, &config.Config{}, loopFlags{json: asJSON})
				defer v.close()
				for _, n := range c.notices {
					v.notice(n)
				}
				for _, want := range c.want {
					stderr.Reset()
					calls := 0
					v.interrupt(func() { calls++; assert.Empty(t, stderr.String(), "the loop is interrupted first") })
					assert.Equal(t, 1, calls)
					assert.Equal(t, "ripple: "+want+"\n", stderr.String())
				}
			})
		}
	}
}

// On the terminal of a loop, what is typed there answers nothing.
func TestAQuestionIsAnsweredInAnotherTerminal(t *testing.T) {
	var out bytes.Buffer
	a := &app{ui.NewApp(strings.NewReader(""), &out, &out, func(error) {})}
	v := a.newLoopView(&registry.Entry{Adapter: &schema.Adapter{Agent: &schema.Agent{}}}, &config.Config{}, loopFlags{})
	defer v.close()
	v.line = true
	v.notice(loop.Notice{Kind: loop.NoticeAsked, OK: true, Question: &record.Question{Question: event.Question{ID: "q1", Kind: event.AskText, Text: "Which?"}}})
	assert.Contains(t, out.String(), "in another terminal: ripple answer q1 'TEXT'\n")
}

func TestLiveView(t *testing.T) {
	for _, width := range []int{40, 80, 200} {
		screen, line := live(t, width, false)
		testkit.ScreenFits(t, screen, width)
		golden(t, fmt.Sprintf("live-%d.txt", width), screen)
		assert.Equal(t, "waiting 4s after a failed turn · turn 3/100 · 6s · 100 calls left · $1.25", line)
	}
	screen, _ := live(t, 80, true)
	testkit.ScreenFits(t, screen, 80)
	golden(t, "live-80-color.txt", screen)
	plain, _ := live(t, 80, false)
	assert.Equal(t, plain, testkit.WithoutColors(screen), "colors add nothing but colors")
}
