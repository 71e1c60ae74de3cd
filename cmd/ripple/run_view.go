package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"ripple/runtime/event"
	"ripple/runtime/loop"
	"ripple/runtime/registry"
)

// loopView shows a loop as it runs. The agent's text goes to standard output; its
// tools, and on a terminal's last line how the loop stands, go to standard error.
// A stream that is a terminal gets pages; elsewhere there are plain lines, and with
// --json there are events.
type loopView struct {
	*app
	turns  *turnView
	config *loop.Config
	encode *json.Encoder // nil: for people
	tools  bool

	mu       sync.Mutex
	line     bool // a status line is on the terminal, and standard error gets pages
	started  time.Time
	turn     int
	begun    time.Time // of the turn
	before   float64   // cost of the run before the turn
	cost     float64
	waiting  string
	checking bool // --verify is under way
	ending   bool
	summary  *loop.Summary // at the end
	quit     chan struct{}
	ended    sync.WaitGroup
	once     sync.Once
}

func (a *app) newLoopView(e *registry.Entry, c *loop.Config, f loopFlags) *loopView {
	v := &loopView{
		app: a, turns: a.newTurnView(e.Adapter, false), config: c, tools: a.errTerminal || f.live || c.Verbose,
		started: time.Now(), quit: make(chan struct{}),
	}
	if f.json {
		v.encode = json.NewEncoder(a.out)
		v.encode.SetEscapeHTML(false)
		return v
	}
	if a.errTerminal {
		v.line = true
		v.ended.Go(v.tick)
	}
	return v
}

func (v *loopView) close() {
	v.once.Do(func() {
		close(v.quit)
		v.ended.Wait()
		v.mu.Lock()
		defer v.mu.Unlock()
		v.clear()
		v.line = false
	})
}

// interrupted says what Ctrl-C does.
func (v *loopView) interrupted() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear()
	switch {
	case v.checking && v.ending:
		v.note("ending the check")
	case v.checking:
		v.note("the loop ends after this check; Ctrl-C again ends the check now")
	case v.begun.IsZero():
		v.note("the loop ends")
	case v.ending:
		v.note("ending the agent")
	default:
		v.note("the loop ends after this turn; Ctrl-C again ends the agent now")
	}
	v.ending = true
	v.draw()
}

// notice gets what happens in the loop.
func (v *loopView) notice(n loop.Notice) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.encode != nil {
		v.json(n)
		return
	}
	v.clear()
	v.count(n)
	if v.line {
		v.show(n)
	} else {
		v.tell(n)
	}
	v.draw()
}

// count takes in what the status line tells.
func (v *loopView) count(n loop.Notice) {
	waited := v.waiting
	v.waiting = ""
	if n.Kind != loop.NoticeNote {
		v.checking = n.Kind == loop.NoticeVerifying
	}
	switch n.Kind {
	case loop.NoticeTurnStarted:
		v.turn, v.begun = n.Turn, v.turns.now()
		v.before, v.cost, v.started = n.Cost, n.Cost, v.begun.Add(-n.Elapsed)
	case loop.NoticeEvent:
		if n.Event.Type == event.Usage && n.Event.Tokens != nil {
			v.cost = event.SumUSD(v.before, n.Event.Tokens.CostUSD) // of the turn so far
		}
	case loop.NoticeStopped:
		v.summary = n.Summary
	case loop.NoticeWaiting:
		v.waiting = fmt.Sprintf("waiting %s %s", n.Left.Round(time.Second), n.Text)
		if !v.line && waited == "" { // a countdown is for terminals; elsewhere it is said once
			v.note("%s", v.waiting)
		}
	}
}

// tell writes plain lines.
func (v *loopView) tell(n loop.Notice) {
	switch n.Kind {
	case loop.NoticeTurnStarted:
		v.note("turn %d", n.Turn)
	case loop.NoticeEvent:
		if n.Event.Type == event.Text || v.tools {
			v.turns.event(*n.Event)
		}
	case loop.NoticeTurnEnded:
		v.note("turn %d: %s", n.Turn, n.Text)
		v.begun, v.cost = time.Time{}, n.Cost
	case loop.NoticeVerifying:
		v.note("verifying: %s", n.Text)
	case loop.NoticeVerified, loop.NoticeNote:
		v.note("%s", n.Text)
	case loop.NoticeCommitted:
		v.note("committed %s", n.Text)
	}
}

// show writes pages, the agent's words to standard output.
func (v *loopView) show(n loop.Notice) {
	p := v.turns.pageOf(v.err)
	switch n.Kind {
	case loop.NoticeTurnStarted:
		v.turns.lines(v.err, append([]string{""}, p.head(heading{turn: n.Turn, most: v.config.MaxTurns, agent: n.Agent, branch: n.Branch, task: n.Task})...))
	case loop.NoticeEvent:
		v.turns.event(*n.Event)
	case loop.NoticeTurnEnded:
		v.turns.end()
		v.turns.lines(v.err, v.result(p, n))
		v.begun, v.cost = time.Time{}, n.Cost
	case loop.NoticeVerifying:
		v.turns.lines(v.err, p.aside(cyan, "…", "verifying: "+n.Text))
	case loop.NoticeVerified:
		mark, colour := "✗", red
		if n.OK {
			mark, colour = "✓", green
		}
		v.turns.lines(v.err, p.aside(colour, mark, n.Text))
	case loop.NoticeNote:
		v.turns.lines(v.err, p.aside(magenta, "!", n.Text))
	case loop.NoticeCommitted:
		v.turns.lines(v.err, p.aside(green, "✓", "committed "+n.Text))
	}
}

// result is the line below a turn.
func (v *loopView) result(p page, n loop.Notice) []string {
	mark, colour := "·", dim
	switch {
	case strings.HasPrefix(n.Outcome, "failed"):
		mark, colour = "✗", red
	case n.OK:
		mark, colour = "✓", green
	}
	text := fmt.Sprintf("%s · %s", cmp.Or(n.Outcome, n.Text), v.turns.now().Sub(v.begun).Round(time.Second))
	if cost := event.SumUSD(n.Cost, -v.before); cost > 0 {
		text += " · " + loop.Dollars(cost)
	}
	return p.aside(colour, mark, text)
}
