// Package session drives one interactive program through a PTY.
package session

import (
	"context"
	"os"

	"ripple/schema"
)

// Session is one running program.
type Session struct{}

// Open starts the adapter's program and returns at its first prompt.
func Open(ctx context.Context, a *schema.Adapter, o Options) (*Session, error) { panic("todo") }

// Eval runs code and returns when it is known to have ended.
func (s *Session) Eval(ctx context.Context, code string) (Result, error) { panic("todo") }

// Wait waits on for a command whose Eval timed out.
func (s *Session) Wait(ctx context.Context) (Result, error) { panic("todo") }

// Interrupt interrupts the running command and waits for the prompt; the
// interrupted command's result is returned.
func (s *Session) Interrupt(ctx context.Context) (Result, error) { panic("todo") }

// Send writes raw input to the program while a command runs.
func (s *Session) Send(ctx context.Context, input []byte) error { panic("todo") }

// State is a snapshot.
func (s *Session) State() State { panic("todo") }

// WaitState blocks until the predicate holds for the state.
func (s *Session) WaitState(ctx context.Context, want func(State) bool) (State, error) { panic("todo") }

// Resize changes the terminal's size.
func (s *Session) Resize(cols, rows int) error { panic("todo") }

// Signal sends a signal to the program's foreground process group.
func (s *Session) Signal(sig os.Signal) error { panic("todo") }

// Done is closed when the program has ended.
func (s *Session) Done() <-chan struct{} { panic("todo") }

// Close ends the program and its descendants and removes the session's files.
// It reports processes that could not be ended.
func (s *Session) Close(ctx context.Context) error { panic("todo") }
