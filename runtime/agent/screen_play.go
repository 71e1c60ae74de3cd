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

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/tui"
	"example.org/ripple/schema"
)

// lateError is returned for an agent that does not become ready for the prompt.
type lateError struct {
	limit time.Duration
	shows string
}

func (e *lateError) Error() string {
	return fmt.Sprintf("the agent took longer than %s to be ready for a prompt; %s", e.limit, e.shows)
}

// errUnmoved is returned for a turn without a visible effect.
var errUnmoved = errors.New("the prompt was sent, but the agent's screen shows neither work nor an answer")

// play enters the prompt and returns when its turn is over, or when it waits for a login or an
// answer that nobody can give. Errors: *lateError, errUnmoved, those of tui.Submit, the
// context's.
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

// openings is the maximum number of dialogs that may open over a prompt being entered.
const openings = 3

// enter enters the prompt as soon as the agent accepts one; a nil wait means that it never did.
// Questions that open before that are answered, and the prompt is entered again.
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

// begin waits until the agent accepts a prompt, answering dialogs that come first.
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

// settle waits for the next state after the agent's start or an answer. Time that the user takes
// does not count.
func (s *stage) settle(ctx context.Context) (tui.State, error) {
	limit := time.Duration(s.a.Agent.Screen.StartMS) * time.Millisecond
	if s.o.Attach != nil {
		return s.Rest(ctx, nil)
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	state, err := s.Rest(bounded, nil)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		err = &lateError{limit, s.shows()}
	}
	return state, err
}

// stop interrupts a turn that is cut off, so that the agent keeps its session.
func (s *stage) stop() {
	limit, cancel := context.WithTimeout(context.Background(), s.o.Grace)
	defer cancel()
	if s.Interrupt(limit) == nil {
		_, _ = s.Rest(limit, nil) // otherwise it is ended without waiting
	}
}

// answer gets a question answered. It reports whether the turn continues.
func (s *stage) answer(ctx context.Context, state tui.State, first bool) (goesOn bool, err error) {
	switch {
	case state.State == schema.ScreenEnded:
		_, err := s.WaitState(ctx, func(now tui.State) bool { return now.State != state.State })
		return true, err
	case s.o.Attach != nil:
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

// leftTo waits until the user has answered on the screen.
func (s *stage) leftTo(ctx context.Context, state tui.State) error {
	if err := s.stand(ctx, true); err != nil {
		return err
	}
	err := s.answered(ctx, state)
	return cmp.Or(err, s.stand(ctx, false))
}

// stand pauses or resumes the clocks of the turn.
func (s *stage) stand(ctx context.Context, still bool) error {
	select {
	case s.waiting <- still:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answered waits until a question is closed.
func (s *stage) answered(ctx context.Context, asked tui.State) error {
	_, err := s.WaitState(ctx, func(now tui.State) bool { return now.State != asked.State || now.Asked != asked.Asked })
	return err
}

// question returns the question on a screen.
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
	if q.Tool == event.ToolCommand {
		key = "command"
	}
	if state.Input != "" {
		q.Input, _ = json.Marshal(map[string]string{key: state.Input}) // strings always marshal
	}
	return q
}

// decide answers by a rule, by asking, or by the adapter's policy for unattended turns.
func (s *stage) decide(ctx context.Context, state tui.State) (goesOn bool, err error) {
	q := s.question(state)
	a, decided := s.policy.rules.Decide(q)
	refused := byRule + a.By
	switch {
	case decided:
	case s.o.Ask == nil:
		a, refused = s.policy.unasked(s.r, q)
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

// give presses the keys of an answer, or of its closest equivalent.
func (s *stage) give(ctx context.Context, state tui.State, name string) (goesOn bool, err error) {
	for _, name := range []string{name, "reject_once", "reject", "cancel"} {
		if _, has := state.Answers[name]; has {
			return true, s.Answer(ctx, name)
		}
	}
	return false, nil
}

// ask asks all sources of answers, until the user answers on the screen itself, which closes the
// question.
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
