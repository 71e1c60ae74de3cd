package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/schema"
)

// Turn is the result of a prompt.
type Turn struct {
	State State    // ready, or a state in which the agent does not continue by itself: asks, menu, login, error
	Text  string   // new text on the screen
	Parts []string // its parts, as divided by agent.screen.text.mark

	// Unmoved means that the agent is ready but was not seen at work and shows nothing new. This
	// may be the result of a command for the interface itself, but not of a turn.
	Unmoved bool
}

// unseen is how long the agent must be ready again after a prompt was sent if it was not seen at
// work and shows nothing new. Tests shorten it.
var unseen = 20 * time.Second

// Submit enters a prompt and returns when it was sent. wait waits until the agent is ready
// again, or asks something; it may be called again, also after the agent was given an
// answer. The answer is known only from the screen: rows that have scrolled off the alternate screen are
// lost. Errors: *NotReadyError, ErrEnded, that of the context, and others if the prompt cannot be
// typed; wait returns only ErrEnded and that of the context, with the Turn up to then.
func (t *TUI) Submit(ctx context.Context, prompt string) (wait func(context.Context) (Turn, error), err error) {
	select {
	case <-t.turn:
		defer func() { t.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var before []string
	failed := t.try("entering a prompt", func() {
		before = t.allRows()
		if err = t.faults.failure(); err == nil {
			err = t.enter(ctx, prompt)
		}
	})
	if err = cmp.Or(failed, err); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (turn Turn, err error) {
		failed := t.try("reading the agent's answer", func() { turn, err = t.await(ctx, prompt, before) })
		return turn, cmp.Or(failed, err, t.faults.failure())
	}, nil
}

// await waits for the result of a prompt or an answer.
func (t *TUI) await(ctx context.Context, prompt string, before []string) (Turn, error) {
	answer := func() []string { return t.rules.text.answer(prompt, before, t.allRows()) }
	s, err := t.Rest(ctx, func(s State) bool {
		return s.State == schema.ScreenReady && t.rules.text.answered(prompt, before, t.allRows())
	})
	rows := answer()
	if s.box > 0 { // a question is not an answer
		all := t.allRows()
		rows = t.rules.text.answer(prompt, before, all[:max(len(all)-s.box, 0)])
	}
	unmoved := err == nil && s.State == schema.ScreenReady && len(rows) == 0 && !s.moved
	return Turn{State: s, Text: strings.Join(rows, "\n"), Parts: t.rules.text.parts(rows), Unmoved: unmoved}, err
}

// Rest waits until the agent no longer works: it is ready, or asks something. The state
// shown when keys were last typed does not count at once, unless again reports that it
// appeared again; nil: it never does. Errors: ErrEnded, and that of the context.
func (t *TUI) Rest(ctx context.Context, again func(State) bool) (State, error) {
	t.mu.Lock()
	late, cancel := context.WithDeadline(ctx, t.watch.typed.Add(unseen))
	t.mu.Unlock()
	defer cancel()
	rests := func(s State) bool { return s.Counts && s.State != schema.ScreenWorking }
	s, err := t.WaitState(late, func(s State) bool { return rests(s) && (s.moved || again != nil && again(s)) })
	if err != nil && ctx.Err() == nil && late.Err() != nil {
		s, err = t.WaitState(ctx, rests)
	}
	return s, err
}

// unknownAnswerError reports an answer for which the adapter has no keys.
type unknownAnswerError struct {
	Name, Answer string
	State        State
}

func (e *unknownAnswerError) Error() string {
	if len(e.State.Answers) == 0 {
		return fmt.Sprintf("%s does not ask a question to which its adapter has answers (state: %s): send keys instead", e.Name, e.State.State)
	}
	return fmt.Sprintf("%s: %q is not an answer to this question: use one of %s", e.Name, e.Answer, strings.Join(slices.Sorted(maps.Keys(e.State.Answers)), ", "))
}

// Answer answers what the agent asks, by a name of the rule's answers. Errors:
// that of the context, and one that lists the answers if name is none of them.
func (t *TUI) Answer(ctx context.Context, name string) error {
	s := t.State()
	keys, known := s.Answers[name]
	if !known {
		return &unknownAnswerError{t.name, name, s}
	}
	if err := t.press(ctx, keys...); err != nil {
		return err
	}
	t.mu.Lock()
	t.replied = true
	t.changed()
	t.mu.Unlock()
	time.AfterFunc(unseen, func() { // the screen may not change again
		t.mu.Lock()
		defer t.mu.Unlock()
		t.changed()
	})
	return nil
}

// Interrupt interrupts the agent's work. It returns when the keys have been pressed.
func (t *TUI) Interrupt(ctx context.Context) error {
	t.term.Discard()
	return t.press(ctx, t.screen.Interrupt...)
}

// leaveLimit is how long the agent may take to exit when asked to.
var leaveLimit = 5 * time.Second

const (
	// killLimit is how long Close tries to kill the remaining processes.
	killLimit = 5 * time.Second
	// tellLimit is leaveLimit for an agent that shows the ID of its session when it exits.
	tellLimit = 15 * time.Second
	// leavePatience is how long an agent that was asked to exit must be ready again before it
	// is asked again.
	leavePatience = time.Second
)

// leave presses the keys that exit the agent, one by one as long as it has not begun to exit:
// once it has restored the screen, a key would act like a signal. An agent that accepts a
// prompt again has interpreted them differently, or several of them as one: they are
// pressed again. It returns when the agent exits. Errors: ErrEnded, and that of the context.
func leave(ctx context.Context, t *TUI) error {
	goes := going(t)
	for {
		for _, key := range t.screen.Leave {
			switch {
			case isClosed(t.silent):
				return ErrEnded
			case goes():
				return nil
			}
			if err := t.Type([]byte(key)); err != nil {
				return err
			}
			if err := heeded(ctx, t); err != nil {
				return err
			}
		}
		if err := stays(ctx, t, goes); err != nil {
			return err
		}
	}
}

// going returns a function that reports whether the program has begun to exit since this call: it
// has restored the screen, or the terminal converts keys to signals again.
func going(t *TUI) func() bool {
	look := func() (alternate, raw bool) {
		t.term.WithScreen(func(s *vt.Screen) { alternate = s.Alternate() })
		return alternate, !t.term.Interrupts()
	}
	alternate, raw := look()
	return func() bool {
		nowAlternate, nowRaw := look()
		return alternate && !nowAlternate || raw && !nowRaw
	}
}

// stays waits until the program exits, or is idle without exiting.
func stays(ctx context.Context, t *TUI, goes func() bool) error {
	patience, cancel := context.WithTimeout(ctx, leavePatience)
	defer cancel()
	_, err := t.WaitState(patience, func(State) bool { return goes() })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		_, err = t.WaitState(ctx, func(s State) bool { return goes() || s.Counts })
	}
	return err
}

// Close ends the agent: by the keys that leave it, then by signals, then with all its
// remaining processes. It returns when all have ended, or reports the processes that
// resisted. The context limits the steps before killing only. Close may be called again.
func (t *TUI) Close(ctx context.Context) error {
	t.term.RecordMembers()
	limit := leaveLimit
	if t.screen.Session != "" && t.Session() == "" {
		limit = tellLimit
	}
	polite, cancel := context.WithTimeout(ctx, limit)
	if leave(polite, t) == nil {
		select {
		case <-t.silent:
		case <-polite.Done():
		}
	}
	cancel()
	killing, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLimit)
	defer cancel()
	err := t.term.Close(killing, proctree.Step{Signal: syscall.SIGHUP, Grace: 500 * time.Millisecond}, proctree.Step{Signal: syscall.SIGTERM, Grace: 500 * time.Millisecond})
	<-t.over
	t.scratch.Remove()
	return err
}
