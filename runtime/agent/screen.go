package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/internal/tui"
	"example.org/ripple/runtime/terminal"
	"example.org/ripple/schema"
)

// stage is a turn on the agent's own screen. It connects the interface, which is driven,
// the reader, which collects events, and the callers that answer questions. One goroutine
// runs it; another one watches the clocks.
type stage struct {
	*tui.TUI
	a      *schema.Adapter
	r      *reader
	policy unattended
	o      Options
	turn   tui.Turn

	failed  string    // why, as the screen says it
	asked   int       // questions so far
	waiting chan bool // whether a question is with somebody: the clocks stand
	copied  error     // of the copy of the output
}

// The size of an invisible screen is the one that adapters' rules are tested with; wider
// screens have side bars, which are not part of an answer.
const screenCols, screenRows = 120, 40

// takeScreen takes a turn on the agent's own screen.
func takeScreen(ctx context.Context, a *schema.Adapter, t Turn, c Command, o Options, _ string) (Outcome, error) {
	s := &stage{a: a, o: o, waiting: make(chan bool)}
	var err error
	if s.r, err = newReader(a.Agent, o.PriorTokens, o.OnEvent); err != nil {
		return Outcome{}, err
	}
	s.r.faults.Dir = o.FaultDir
	if s.policy, err = newUnattended(a.Agent.Screen.Permission, a, t); err != nil {
		return Outcome{}, fmt.Errorf("%s: agent.screen.permission: %w", a.Name, err)
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return Outcome{}, err
	}
	s.policy.rules = s.policy.rules.In(dir)
	var term *terminal.Terminal
	s.TUI, err = tui.Start(a, tui.Options{
		Dir: o.Dir, Env: environment(c, o), Args: c.Args, Executable: o.Executable, Box: o.Box, Sole: o.OwnsOrphans, FaultDir: o.FaultDir,
		Cols: cmp.Or(o.Cols, screenCols), Rows: cmp.Or(o.Rows, screenRows),
		Read: s.copies(o.Output), Terminal: func(t *terminal.Terminal) { term = t },
	})
	if err != nil {
		return Outcome{}, err
	}
	if o.Attach != nil {
		o.Attach(Attachment{Screen: term, Type: s.Type})
	}
	forced, played := s.run(ctx, c.Message)
	caught := fault.Catch("reading the agent's answer", nil, s.told)
	s.end(ctx)
	if caught == nil {
		caught = fault.Catch("ending the turn", nil, func() { s.over(played) })
	}
	if caught != nil {
		forced = s.r.failedUnless(forced, caught)
	}
	code, signal := s.ExitStatus()
	return s.r.judged(ending{code: code, signal: signal, forced: forced}), nil
}

// Attachment is the user's side of a turn on the agent's own screen.
type Attachment struct {
	Screen *terminal.Terminal   // the agent's terminal, to be shown to the user
	Type   func(b []byte) error // sends keys that the user typed
}

// copies gives output to a copy of it, until that fails.
func (s *stage) copies(to io.Writer) func([]byte, time.Time) {
	return func(b []byte, _ time.Time) {
		if to != nil && s.copied == nil {
			_, s.copied = to.Write(b)
		}
	}
}

// idleParts is how often in its limit the conversation is looked at for something new.
const idleParts = 8

// run plays the turn within its limits. forced is why it was ended by us; err is what
// else kept it from its end.
func (s *stage) run(ctx context.Context, prompt string) (forced *event.Failure, err error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	wall, idle := newClock(s.o.Timeout), newClock(s.o.IdleTimeout/idleParts)
	defer wall.stop()
	defer idle.stop()
	over := make(chan error, 1)
	go func() {
		var err error
		if caught := fault.Catch("taking the turn on the agent's screen", nil, func() { err = s.play(limited, prompt) }); caught != nil {
			err = caught
		}
		over <- err
	}()
	force := func(kind event.Kind, format string, args ...any) {
		if forced == nil {
			forced = &event.Failure{Kind: kind, Message: fmt.Sprintf(format, args...)}
		}
		cancel()
	}
	seen, still := "", 0
	done := ctx.Done()
	for {
		select {
		case err := <-over:
			return s.cause(forced, err), err
		case waiting := <-s.waiting:
			wall.stand(waiting)
			idle.stand(waiting)
		case <-done:
			done = nil
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				force(event.Timeout, "the caller's deadline came first")
			} else {
				force(event.Interrupted, "the turn was interrupted")
			}
		case <-wall.C:
			force(event.Timeout, "the turn took longer than %s; %s", s.o.Timeout, s.shows())
		case <-idle.C:
			idle.reset()
			if now := s.Conversation(); now != seen {
				seen, still = now, 0
			} else if still++; still >= idleParts {
				force(event.Timeout, "the agent's screen showed nothing new for %s; %s", s.o.IdleTimeout, s.shows())
			}
		}
	}
}

// cause returns why a turn was not finished, and nil if the program has ended, whose exit says
// more.
func (s *stage) cause(forced *event.Failure, err error) *event.Failure {
	var late *lateError
	var caught *fault.Fault
	switch {
	case err == nil:
		return nil // it came first
	case forced != nil:
		return forced
	case errors.Is(err, tui.ErrEnded):
		return nil
	case errors.As(err, &caught):
		return s.r.failedBy(caught)
	case errors.As(err, &late):
		return &event.Failure{Kind: event.Timeout, Message: late.Error()}
	}
	return &event.Failure{Kind: event.Crashed, Message: err.Error()}
}

// told reports the answer as the screen showed it; if the turn failed, the last part is
// the reason.
func (s *stage) told() {
	parts := s.turn.Parts
	if n := len(parts); n > 0 && s.turn.State.State == schema.ScreenError {
		parts, s.failed = parts[:n-1], parts[n-1]
	}
	for _, part := range parts {
		s.r.take(event.Event{Type: event.Text, Text: part})
	}
}

// over reports the end of the turn, and why it was not played to its end.
func (s *stage) over(played error) {
	if id := s.Session(); id != "" {
		s.r.take(event.Event{Type: event.Session, ID: id})
	}
	if played == nil {
		s.r.take(s.finish())
	} else if errors.Is(played, tui.ErrEnded) {
		s.r.plain.write([]byte(s.lastRows()))
	}
}

// finish is the end of a turn that was played.
func (s *stage) finish() event.Event {
	switch state := s.turn.State; state.State {
	case schema.ScreenError:
		return event.Event{Type: event.Finished, IsError: true, Result: s.failed}
	case schema.ScreenLogin:
		return event.Event{Type: event.Finished, IsError: true, Kind: event.Auth, Result: strings.TrimSpace("it asks for a login\n" + state.Asked)}
	}
	return event.Event{Type: event.Finished}
}

// end ends the agent with all that it started.
func (s *stage) end(ctx context.Context) {
	s.r.resisted(s.Close(context.WithoutCancel(ctx)))
	for _, notice := range s.Notices() {
		s.r.problem(notice)
	}
	if s.copied != nil {
		s.r.problem("copying the agent's output: " + s.copied.Error())
	}
}

// maxRows is the most rows of a screen in a message.
const maxRows = 10

// shows returns the text on the screen, for the message about a limit.
func (s *stage) shows() string {
	rows := s.lastRows()
	if strings.TrimSpace(rows) == "" {
		return "its screen shows nothing"
	}
	return "its screen shows:\n" + rows
}

func (s *stage) lastRows() string {
	rows := s.Picture().Rows
	return strings.Join(rows[max(0, len(rows)-maxRows):], "\n")
}
