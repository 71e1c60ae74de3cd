package console

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"example.org/ripple/runtime/internal/tui"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// Agent describes the screen of a coding agent.
type Agent struct {
	// State is ready, working, asks, menu, trust, login, error or ended; empty if the adapter does
	// not recognize the screen.
	State    string   `json:"state"`
	Question string   `json:"question,omitempty"` // text of the question
	Answers  []string `json:"answers,omitempty"`  // names of the accepted answers
}

// agentProgram runs a coding agent on its own screen; the console's commands are prompts.
type agentProgram struct {
	*tui.TUI
	name  string
	print func([]byte)
}

func startAgent(h *host, o session.Options) (*agentProgram, error) {
	t, err := tui.Start(h.adapter, tui.Options{
		From: o.From, Dir: o.Dir, Env: o.Env, Args: o.Args, Executable: o.Executable, Cols: o.Cols, Rows: o.Rows,
		Terminal: h.screen.on, Through: h.start.through, Sole: true, Read: func([]byte, time.Time) { h.printed.signal() },
	})
	if err != nil {
		return nil, err
	}
	return &agentProgram{TUI: t, name: h.adapter.Name, print: h.print}, nil
}

// unknownFor is how long startup waits on a screen that the adapter does not recognize.
const unknownFor = 20 * time.Second

// awaitReady waits until the agent is ready or asks something. It returns an error if the agent ended.
func (a *agentProgram) awaitReady(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, unknownFor)
	defer cancel()
	_, err := a.TUI.WaitState(limit, func(s tui.State) bool { return s.Counts && s.State != schema.ScreenWorking })
	if !errors.Is(err, tui.ErrEnded) {
		return nil
	}
	f := newFault(FaultStartFailed, "%s: %v", a.name, a.exit())
	f.Output = strings.Join(a.Picture().Rows, "\n")
	bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	return errors.Join(f, a.TUI.Close(bye))
}

// describe returns the description of the screen for clients.
func (a *agentProgram) describe() *Agent {
	s := a.TUI.State()
	shown := &Agent{State: s.State, Question: s.Asked}
	for name := range s.Answers {
		shown.Answers = append(shown.Answers, name)
	}
	slices.Sort(shown.Answers)
	return shown
}

// needsAnswer reports whether the agent needs an answer to continue.
func needsAnswer(s tui.State) bool {
	return s.Counts && !s.Answered && slices.Contains([]string{schema.ScreenAsks, schema.ScreenMenu, schema.ScreenTrust, schema.ScreenLogin}, s.State)
}

// acceptsPrompt reports whether the agent accepts a prompt.
func acceptsPrompt(s tui.State) bool {
	return s.Counts && (s.State == schema.ScreenReady || s.State == schema.ScreenError)
}

func (a *agentProgram) State() session.State { return a.state(a.TUI.State()) }

func (a *agentProgram) state(s tui.State) session.State {
	st := session.State{Phase: session.PhaseRunning, PID: a.PID()}
	switch {
	case s.Ended:
		st.Phase = session.PhaseClosed
	case acceptsPrompt(s):
		st.Phase = session.PhaseReady
	case needsAnswer(s):
		st.Waiting, st.NeedsInput = session.WaitingInput, true
	}
	return st
}

func (a *agentProgram) WaitState(ctx context.Context, want func(session.State) bool) (session.State, error) {
	s, err := a.TUI.WaitState(ctx, func(s tui.State) bool { return want(a.state(s)) })
	if errors.Is(err, tui.ErrEnded) {
		err = a.exit()
	}
	return a.state(s), err
}

// exit returns the error that describes how the program ended.
func (a *agentProgram) exit() error {
	code, signal := a.ExitStatus()
	return &session.ExitError{Code: code, Signal: signal}
}

// Submit enters a prompt. The output of the command is the text that is new on the screen at the
// end of the turn.
func (a *agentProgram) Submit(ctx context.Context, prompt string) (func(context.Context) (session.Result, error), error) {
	begun := time.Now()
	wait, err := a.TUI.Submit(ctx, prompt)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (session.Result, error) {
		turn, err := a.turn(ctx, wait)
		if turn.Text != "" {
			a.print([]byte(turn.Text + "\n"))
		}
		if errors.Is(err, tui.ErrEnded) {
			err = a.exit()
		}
		return session.Result{Failed: turn.State.State == schema.ScreenError, Screen: true, Duration: time.Since(begun)}, err
	}, nil
}

// turn waits for the end of a turn, including the questions asked during it.
func (a *agentProgram) turn(ctx context.Context, wait func(context.Context) (tui.Turn, error)) (tui.Turn, error) {
	for {
		turn, err := wait(ctx)
		if err != nil || !needsAnswer(turn.State) {
			return turn, err
		}
		asked := turn.State
		if _, err := a.TUI.WaitState(ctx, func(s tui.State) bool {
			return !needsAnswer(s) || s.State != asked.State || s.Asked != asked.Asked
		}); err != nil {
			return turn, err
		}
	}
}

// Interrupt presses the agent's interrupt keys and waits until it accepts a prompt.
func (a *agentProgram) Interrupt(ctx context.Context) (session.Result, error) {
	if err := a.TUI.Interrupt(ctx); err != nil {
		return session.Result{}, err
	}
	_, err := a.TUI.WaitState(ctx, acceptsPrompt)
	switch {
	case errors.Is(err, tui.ErrEnded):
		err = a.exit()
	case err != nil:
		err = session.ErrTimeout
	}
	return session.Result{}, err
}

// Send types input from a client program.
func (a *agentProgram) Send(_ context.Context, b []byte) error { return a.TUI.Type(b) }

// Type types input from a user.
func (a *agentProgram) Type(_ int, b []byte) error { return a.TUI.Type(b) }

// Detach does nothing: only the agent knows which input a user has left on its screen.
func (a *agentProgram) Detach(int) {}
