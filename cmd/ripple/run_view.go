package main

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ripple/runtime/event"
	"ripple/runtime/loop"
	"ripple/runtime/registry"
)

// loopView shows a loop as it runs. The agent's text goes to standard output; on
// a terminal its tools, and on the last line how the loop stands, go to standard
// error. Elsewhere there are plain lines; with --json there are events.
type loopView struct {
	*app
	turns  *turnView
	config *loop.Config
	encode *json.Encoder // nil: for people
	tools  bool

	mu      sync.Mutex
	line    bool // a status line is on the terminal
	started time.Time
	turn    int
	begun   time.Time // of the turn
	cost    float64
	waiting string
	ending  bool
	quit    chan struct{}
	ended   sync.WaitGroup
	once    sync.Once
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

// tick keeps the clock on the status line going.
func (v *loopView) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			v.mu.Lock()
			v.draw()
			v.mu.Unlock()
		case <-v.quit:
			return
		}
	}
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

// jsonNotice is what --json prints for what is no event of the agent.
type jsonNotice struct {
	Turn     int     `json:"turn"`
	Type     string  `json:"type"`
	Text     string  `json:"text,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`
	Reason   string  `json:"reason,omitempty"`
	ExitCode *int    `json:"exit_code,omitempty"`
	Next     string  `json:"next,omitempty"`
	Verified bool    `json:"verified,omitempty"`
	OK       *bool   `json:"ok,omitempty"`       // verified: whether it succeeded
	CostUSD  float64 `json:"cost_usd,omitempty"` // turn_ended: of the run so far
}

// jsonEvent is an event of the agent with its turn.
type jsonEvent struct {
	turn int
	e    event.Event
}

func (j jsonEvent) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(j.e)
	if err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, `{"turn":%d,`, j.turn), b[1:]...), nil
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
	v.show(n)
	v.draw()
}

func (v *loopView) json(n loop.Notice) {
	switch {
	case n.Event != nil:
		_ = v.encode.Encode(jsonEvent{n.Turn, *n.Event}) // v.out remembers its error
	case n.Stop != nil:
		_ = v.encode.Encode(jsonNotice{
			Turn: n.Turn, Type: n.Kind, Text: n.Stop.Why, Reason: n.Stop.Reason, ExitCode: &n.Stop.ExitCode, Next: n.Stop.Next, Verified: n.Stop.Verified,
		}) // see above
	default:
		j := jsonNotice{Turn: n.Turn, Type: n.Kind, Text: n.Text, Seconds: n.Left.Seconds()}
		switch n.Kind {
		case loop.NoticeVerified:
			j.OK = &n.OK
		case loop.NoticeTurnEnded:
			j.CostUSD = n.Cost
		}
		_ = v.encode.Encode(j) // see above
	}
}

func (v *loopView) show(n loop.Notice) {
	waited := v.waiting
	v.waiting = ""
	switch n.Kind {
	case loop.NoticeTurnStarted:
		v.turn, v.begun = n.Turn, time.Now()
		v.cost, v.started = n.Cost, v.begun.Add(-n.Elapsed)
		v.note("turn %d", n.Turn)
	case loop.NoticeEvent:
		v.event(*n.Event)
	case loop.NoticeTurnEnded:
		v.note("turn %d: %s", n.Turn, n.Text)
		v.begun, v.cost = time.Time{}, n.Cost
	case loop.NoticeWaiting:
		v.waiting = fmt.Sprintf("waiting %s %s", n.Left.Round(time.Second), n.Text)
		if !v.line && waited == "" { // a countdown is for terminals; elsewhere it is said once
			v.note("%s", v.waiting)
		}
	case loop.NoticeVerifying:
		v.note("verifying: %s", n.Text)
	case loop.NoticeVerified, loop.NoticeNote:
		v.note("%s", n.Text)
	case loop.NoticeCommitted:
		v.note("committed %s", n.Text)
	}
}

func (v *loopView) event(e event.Event) {
	if e.Type == event.Usage && e.Tokens != nil {
		v.cost += e.Tokens.CostUSD
	}
	if e.Type == event.Text || v.tools {
		v.turns.event(e)
	}
}

// draw writes the status line; whoever prints clears it first.
func (v *loopView) draw() {
	if v.line {
		fmt.Fprintf(v.err, "\r\x1b[K%s", fitLine(v.parts(), v.columns()))
	}
}

// parts are those of the status line, the important first.
func (v *loopView) parts() []string {
	var parts []string
	if v.waiting != "" {
		parts = append(parts, v.waiting)
	}
	parts = append(parts, fmt.Sprintf("turn %d/%d", v.turn, v.config.MaxTurns), time.Since(v.started).Round(time.Second).String())
	s, err := loop.ReadStanding(".")
	known := err == nil // the loop itself says what is wrong
	if known && s.Breaker.State != "CLOSED" && s.Breaker.State != "" {
		parts = append(parts, "circuit "+s.Breaker.State)
	}
	if known {
		parts = append(parts, fmt.Sprintf("%d calls left", max(0, v.config.CallsPerHour-s.Status.CallsMade)))
	}
	if v.cost > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f", v.cost))
	}
	if total := s.OpenTasks + s.DoneTasks; known && total > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d tasks open", s.OpenTasks, total))
	}
	if known && s.Breaker.State == "CLOSED" {
		parts = append(parts, "circuit CLOSED")
	}
	if !v.begun.IsZero() {
		parts = append(parts, "this turn "+time.Since(v.begun).Round(time.Second).String())
	}
	return parts
}

// fitLine joins the parts that have room on a line; the first is there in any
// case, cut where it must be. A wrapped line could not be rewritten.
func fitLine(parts []string, columns int) string {
	var line string
	for _, part := range parts {
		longer := firstLine(part)
		if line != "" {
			longer = line + " · " + longer
		}
		if line == "" || ansi.StringWidth(longer) <= columns {
			line = longer
		}
	}
	return ansi.Truncate(line, columns, "…")
}

func (v *loopView) clear() {
	if v.line {
		fmt.Fprint(v.err, "\r\x1b[K")
	}
}
