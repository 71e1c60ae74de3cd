package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ripple/runtime/event"
	"ripple/runtime/tui"
	"ripple/schema"
)

// lateError is an agent that does not become ready for the prompt.
type lateError struct {
	limit  time.Duration
	screen string
}

func (e *lateError) Error() string {
	shows := e.screen
	if strings.TrimSpace(shows) == "" {
		shows = "nothing"
	}
	return fmt.Sprintf("the agent took longer than %s to be ready for a prompt; its screen shows:\n%s", e.limit, shows)
}

// errUnmoved is a turn of which nothing was seen.
var errUnmoved = errors.New("the prompt was sent, and the agent's screen shows neither that it worked nor an answer")

// play enters the prompt and returns when its turn is over, or waits for a login or an
// answer that nobody gives. Errors: *lateError, errUnmoved, those of tui.Submit, the context's.
func (s *stage) play(ctx context.Context, prompt string) error {
	wait, err := s.enter(ctx, strings.TrimSpace(prompt))
	if err != nil || wait == nil {
		return err
	}
	for {
		s.turn, err = wait(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			s.stop()
			return err
		case err != nil:
			return err
		case s.turn.Unmoved:
			return errUnmoved
		case isReady(s.turn.State):
			return nil
		}
		if goesOn, err := s.answer(ctx, s.turn.State, false); err != nil || !goesOn {
			if ctx.Err() != nil {
				s.stop()
			}
			return err
		}
	}
}

// openings is how often something may open over a prompt that is being entered.
const openings = 3

// enter enters the prompt as soon as the agent takes one; a nil wait is an agent that does
// not come to that. What opens over the prompt is answered, and the prompt entered anew.
func (s *stage) enter(ctx context.Context, prompt string) (wait func(context.Context) (tui.Turn, error), err error) {
	for range openings {
		var ready bool
		if ready, err = s.begin(ctx); err != nil || !ready {
			return nil, err
		}
		wait, err = s.Submit(ctx, prompt)
		if _, late := errors.AsType[*tui.NotReadyError](err); !late {
			return wait, err
		}
	}
	return nil, err
}

func isReady(s tui.State) bool {
	return s.State == schema.ScreenReady || s.State == schema.ScreenError
}

// begin waits until the agent takes a prompt, past what stands before the first one.
func (s *stage) begin(ctx context.Context) (ready bool, err error) {
	for {
		state, err := s.settle(ctx)
		if err != nil || isReady(state) {
			return err == nil, err
		}
		if goesOn, err := s.answer(ctx, state, true); err != nil || !goesOn {
			s.turn.State = state
			return false, err
		}
	}
}

// settle waits for what the agent shows when it has started, or was given an answer. A
// person takes his time.
func (s *stage) settle(ctx context.Context) (tui.State, error) {
	limit := time.Duration(s.a.Agent.Screen.StartMS) * time.Millisecond
	if s.o.Seat != nil {
		return s.Rest(ctx, nil)
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	state, err := s.Rest(bounded, nil)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		err = &lateError{limit, s.lastRows()}
	}
	return state, err
}

// stop interrupts a turn that is cut off: the agent keeps its session, then.
func (s *stage) stop() {
	limit, cancel := context.WithTimeout(context.Background(), s.o.Grace)
	defer cancel()
	if s.Interrupt(limit) == nil {
		_, _ = s.Rest(limit, nil) // else it is ended as it is
	}
}

// answer has a question answered. It says whether the turn goes on.
func (s *stage) answer(ctx context.Context, state tui.State, first bool) (goesOn bool, err error) {
	switch {
	case state.State == schema.ScreenEnded:
		_, err := s.WaitState(ctx, func(now tui.State) bool { return now.State != state.State })
		return true, err
	case s.o.Seat != nil:
		return true, s.leftTo(ctx, state)
	case state.State == schema.ScreenLogin:
		return false, nil
	case first && state.State != schema.ScreenAsks:
		for _, name := range []string{"accept", "cancel"} {
			if _, has := state.Answers[name]; has {
				return true, s.Answer(ctx, name)
			}
		}
	}
	return s.decide(ctx, state)
}

// leftTo waits until a person has answered at the screen.
func (s *stage) leftTo(ctx context.Context, state tui.State) error {
	if err := s.stand(ctx, true); err != nil {
		return err
	}
	err := s.answered(ctx, state)
	return cmp.Or(err, s.stand(ctx, false))
}

// stand stops the clocks of the turn, or lets them go on.
func (s *stage) stand(ctx context.Context, still bool) error {
	select {
	case s.waiting <- still:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answered waits until a question is not asked any more.
func (s *stage) answered(ctx context.Context, asked tui.State) error {
	_, err := s.WaitState(ctx, func(now tui.State) bool { return now.State != asked.State || now.Asked != asked.Asked })
	return err
}

// question is what a screen asks.
func (s *stage) question(state tui.State) event.Question {
	s.asked++
	q := event.Question{ID: fmt.Sprintf("q%d", s.asked), Kind: event.AskChoice, Text: state.Asked, Name: state.Tool}
	kinds := []event.OptionKind{event.AllowOnce, event.AllowAlways, event.RejectOnce, event.RejectAlways}
	for _, name := range slices.Sorted(maps.Keys(state.Answers)) {
		o := event.Option{ID: name, Name: strings.ReplaceAll(name, "_", " ")}
		if kind := event.OptionKind(name); slices.Contains(kinds, kind) {
			o.Kind, q.Kind = kind, event.AskPermission
		}
		q.Options = append(q.Options, o)
	}
	if state.Tool == "" {
		return q
	}
	q.Tool = event.Tool(s.a.Agent.Tools.Canonical[state.Tool])
	key := "path"
	if q.Tool == event.Command {
		key = "command"
	}
	if state.Input != "" {
		q.Input, _ = json.Marshal(map[string]string{key: state.Input}) // strings always have a form
	}
	return q
}

// decide answers by a rule, by whoever is asked, or by what the adapter says of nobody.
func (s *stage) decide(ctx context.Context, state tui.State) (goesOn bool, err error) {
	q := s.question(state)
	a, decided := s.desk.rules.Decide(q)
	refused := byRule + a.By
	switch {
	case decided:
	case s.o.Ask == nil:
		a, refused = s.desk.unasked(s.r, q)
	default:
		var gone bool
		if a, gone, err = s.ask(ctx, q, state); gone || ctx.Err() != nil {
			return true, err
		}
		if refused = ""; err != nil {
			refused = err.Error()
			s.r.asked = append(s.r.asked, askedText(q))
		}
	}
	o, _ := q.Option(a.Option)
	if q.Kind == event.AskPermission && !o.Kind.Allows() && refused != "" {
		s.r.take(event.Event{Type: event.PermissionDenied, ID: q.ID, Tool: q.Tool, Name: q.Name, Detail: refused})
	}
	return s.give(ctx, state, o.ID)
}

// give presses the keys of an answer, or of what comes closest to none.
func (s *stage) give(ctx context.Context, state tui.State, name string) (goesOn bool, err error) {
	for _, name := range []string{name, "reject_once", "reject", "cancel"} {
		if _, has := state.Answers[name]; has {
			return true, s.Answer(ctx, name)
		}
	}
	return false, nil
}

// ask asks whoever is there, until somebody has answered at the screen itself: then the
// question is gone.
func (s *stage) ask(ctx context.Context, q event.Question, state tui.State) (a event.Answer, gone bool, err error) {
	if err := s.stand(ctx, true); err != nil {
		return a, false, err
	}
	open, cancel := context.WithCancel(ctx)
	defer cancel()
	replied := make(chan struct{})
	go func() {
		defer close(replied)
		a, err = s.o.Ask(open, q)
	}()
	left := make(chan error, 1)
	go func() { left <- s.answered(open, state) }()
	select {
	case <-replied:
		cancel()
		<-left
	case end := <-left:
		cancel()
		<-replied
		a, gone, err = event.Answer{}, ctx.Err() == nil, end
	}
	return a, gone, cmp.Or(err, s.stand(ctx, false))
}
