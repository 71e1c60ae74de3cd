package loopcmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/registry"
)

// loopView shows a running loop. The agent's text goes to standard output; its tools, and on a
// terminal the status line, go to standard error. A stream that is a terminal gets formatted
// output, other streams get plain lines, and with --json events.
type loopView struct {
	*app
	turns  *ui.TurnView
	config *config.Config
	where  string        // the project
	encode *json.Encoder // nil: text for the user
	tools  bool

	mu       sync.Mutex
	loop     journal.View // as reported by the loop
	line     bool         // the terminal has a status line, and standard error is formatted
	started  time.Time
	turn     int
	begun    time.Time // of the turn
	before   float64   // cost of the run before the turn
	cost     float64
	waiting  string
	checking bool // --verify is running
	ending   bool
	summary  *loop.Summary // set at the end
	close    func()        // idempotent
	ended    sync.WaitGroup
}

func (a *app) newLoopView(e *registry.Entry, c *config.Config, f loopFlags) *loopView {
	v := &loopView{
		app: a, turns: a.NewTurnView(e.Adapter, false), config: c, where: cmp.Or(f.project, "."), tools: a.ErrTerminal || f.live || c.Verbose,
		started: time.Now(),
	}
	quit := make(chan struct{})
	v.close = sync.OnceFunc(func() { v.end(quit) })
	if f.json {
		v.encode = json.NewEncoder(a.Out)
		v.encode.SetEscapeHTML(false)
		return v
	}
	if a.ErrTerminal {
		v.line = true
		v.ended.Go(func() { v.tick(quit) })
	}
	return v
}

// end removes the status line.
func (v *loopView) end(quit chan<- struct{}) {
	close(quit)
	v.ended.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear()
	v.line = false
}

// interrupt calls the function that interrupts the loop, and explains the effect. The explanation is
// printed when the loop has been interrupted, and before whatever the loop reports because of that.
func (v *loopView) interrupt(loop func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	loop()
	v.clear()
	switch {
	case v.checking && v.ending:
		v.Note("ending the check")
	case v.checking:
		v.Note("the loop ends after this check; to end the check now: Ctrl-C again")
	case v.begun.IsZero() && v.ending: // shown before
	case v.begun.IsZero():
		v.Note("the loop ends")
	case v.ending:
		v.Note("ending the agent")
	default:
		v.Note("the loop ends after this turn; to end the agent now: Ctrl-C again, or ripple stop --now")
	}
	v.ending = true
	v.draw()
}

// notice receives the notices of the loop.
func (v *loopView) notice(n loop.Notice) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n.Kind != loop.NoticeNote {
		v.checking = n.Kind == loop.NoticeVerifying
	}
	if n.Kind == loop.NoticeTurnStarted {
		v.begun = v.turns.Now()
	}
	if v.encode != nil {
		v.json(n)
	} else {
		v.clear()
		v.count(n)
		if v.line {
			v.show(n)
		} else {
			v.tell(n)
		}
	}
	if n.Kind == loop.NoticeTurnEnded {
		v.begun, v.cost = time.Time{}, n.Cost
	}
	v.draw()
}

// count collects the data of the status line.
func (v *loopView) count(n loop.Notice) {
	if n.Record != nil {
		v.loop.Take(*n.Record)
	}
	waited := v.waiting
	v.waiting = ""
	switch n.Kind {
	case loop.NoticeTurnStarted:
		v.turn = n.Turn
		v.before, v.cost, v.started = n.Cost, n.Cost, v.begun.Add(-n.Elapsed)
	case loop.NoticeEvent:
		if n.Event.Type == event.Usage && n.Event.Tokens != nil {
			v.cost = event.SumUSD(v.before, n.Event.Tokens.CostUSD) // of the turn so far
		}
	case loop.NoticeStopped:
		v.summary = n.Summary
		v.notify(n.Stop.Message)
	case loop.NoticeAsked:
		v.asked(n)
	case loop.NoticeWaiting:
		v.waiting = fmt.Sprintf("waiting %s %s", n.Remaining.Round(time.Second), n.Text)
		if !v.line && waited == "" { // a countdown needs a terminal; elsewhere it is printed once
			v.Note("%s", v.waiting)
		}
	}
}

// tell writes plain lines.
func (v *loopView) tell(n loop.Notice) {
	switch n.Kind {
	case loop.NoticeTurnStarted:
		v.Note("%s", turnWords(n.Turn, n.Hat, n.Subject))
	case loop.NoticeEvent:
		if n.Event.Type == event.Text || v.tools {
			v.turns.Event(*n.Event)
		}
	case loop.NoticeTurnEnded:
		v.Note("turn %d: %s", n.Turn, n.Text)
		for _, t := range n.Topics {
			v.Note("  %s", topicWords(t))
		}
	case loop.NoticeVerifying:
		v.Note("verifying: %s", n.Text)
	case loop.NoticeVerified, loop.NoticeNote:
		v.Note("%s", n.Text)
	case loop.NoticeCommitted:
		v.Note("committed %s", n.Text)
	case loop.NoticeAsked:
		v.Note("%s", asksWords(*n.Question))
		if n.OK {
			v.Note("the loop waits: %s", ways(*n.Question))
		}
	case loop.NoticeAnswered:
		v.Note("%s", givenWords(*n.Question))
	case loop.NoticeDecided:
		if v.tools {
			v.Note("%s", givenWords(*n.Question))
		}
	case loop.NoticeGuided:
		v.Note("message for the next turn: %s", ui.Harmless(ui.FirstLine(n.Text)))
	}
}

// show writes formatted output, the agent's text to standard output.
func (v *loopView) show(n loop.Notice) {
	p := v.turns.PageOf(v.Err)
	switch n.Kind {
	case loop.NoticeTurnStarted:
		v.turns.Lines(v.Err, append([]string{""}, p.Head(ui.Heading{Turn: n.Turn, Most: v.mostTurns(), Hat: n.Hat, Subject: n.Subject, Agent: n.Agent, Branch: n.Branch, Task: n.Task})...))
	case loop.NoticeEvent:
		v.turns.Event(*n.Event)
	case loop.NoticeTurnEnded:
		v.turns.End()
		v.turns.Lines(v.Err, v.result(p, n))
		for _, t := range n.Topics {
			v.turns.Lines(v.Err, p.Aside(ui.Cyan, "→", topicWords(t)))
		}
	case loop.NoticeVerifying:
		v.turns.Lines(v.Err, p.Aside(ui.Cyan, "…", "verifying: "+n.Text))
	case loop.NoticeVerified:
		mark, color := "✗", ui.Red
		if n.OK {
			mark, color = "✓", ui.Green
		}
		v.turns.Lines(v.Err, p.Aside(color, mark, n.Text))
	case loop.NoticeNote:
		v.turns.Lines(v.Err, p.Aside(ui.Magenta, "!", n.Text))
	case loop.NoticeCommitted:
		v.turns.Lines(v.Err, p.Aside(ui.Green, "✓", "committed "+n.Text))
	case loop.NoticeAsked:
		v.turns.Lines(v.Err, p.Aside(ui.Magenta, "?", asksWords(*n.Question)))
		v.turns.Lines(v.Err, p.Aside(ui.Dim, " ", "in another terminal: "+ways(*n.Question)))
	case loop.NoticeAnswered:
		v.turns.Lines(v.Err, p.Aside(ui.Cyan, "→", givenWords(*n.Question)))
	case loop.NoticeDecided:
		v.turns.Lines(v.Err, p.Aside(ui.Dim, "→", givenWords(*n.Question)))
	case loop.NoticeGuided:
		v.turns.Lines(v.Err, p.Aside(ui.Cyan, "→", "message for the next turn: "+ui.FirstLine(n.Text)))
	}
}

// result returns the line below a turn.
func (v *loopView) result(p ui.Page, n loop.Notice) []string {
	mark, color := "·", ui.Dim
	switch {
	case strings.HasPrefix(n.Outcome, "failed"):
		mark, color = "✗", ui.Red
	case n.OK:
		mark, color = "✓", ui.Green
	}
	text := fmt.Sprintf("%s · %s", cmp.Or(n.Outcome, n.Text), v.turns.Now().Sub(v.begun).Round(time.Second))
	if cost := event.SumUSD(n.Cost, -v.before); cost > 0 {
		text += " · " + loop.FormatUSD(cost)
	}
	return p.Aside(color, mark, text)
}
