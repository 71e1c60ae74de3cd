package execcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/runtime/session"
)

// hintAfter is how long a program must wait for input before a hint is printed: some
// programs poll the terminal briefly.
const hintAfter = 300 * time.Millisecond

// hopelessAfter is how long a program may wait only for input that nobody can give before
// it is interrupted.
const hopelessAfter = 5 * time.Second

// attend watches a running command. If it waits for input, or may do so, the user at the
// keyboard is asked, or a hint says that nobody will answer. hopeless reports that it has
// waited only for input for hopelessAfter.
func (x *execution) attend(ctx context.Context) (hopeless bool) {
	defer x.keyboard.leave()
	var last session.State
	for told := ""; ; {
		st, err := x.asked(ctx)
		if err != nil {
			return false
		}
		if otherThan(last)(st) && !stays(ctx, x.session, st, hintAfter) {
			if ctx.Err() != nil {
				return false
			}
			continue
		}
		last = st
		if hint := x.waitHint(st); hint != "" && told != string(st.Waiting) {
			told = string(st.Waiting)
			x.Note("%s", hint)
		}
		switch {
		case x.keyboard != nil:
			err = x.answer(ctx, st)
		case stays(ctx, x.session, st, hopelessAfter):
			if st = x.session.State(); st.NeedsInput {
				return true
			}
			if st.EchoHint != session.EchoHintNone && told != string(st.EchoHint) {
				told = string(st.EchoHint)
				x.Note("the program runs as another user, so ripple cannot see whether it waits for input, which nobody can type here; to interrupt it: Ctrl-C; to limit the wait: --timeout")
			}
			_, err = x.session.WaitState(ctx, otherThan(st))
		default:
			err = ctx.Err()
		}
		if err != nil {
			return false
		}
	}
}

// asked returns when the program waits for input, or may.
func (x *execution) asked(ctx context.Context) (session.State, error) {
	soon, cancel := context.WithTimeout(ctx, hintAfter)
	defer cancel()
	st, err := x.session.WaitState(soon, asks)
	if err == nil || soon.Err() == nil {
		return st, err
	}
	x.keyboard.leave() // it had time to ask on
	return x.session.WaitState(ctx, asks)
}

// asks reports whether the user should be told that the program may wait for input.
func asks(s session.State) bool {
	return s.Waiting != session.WaitingNone || s.EchoHint != session.EchoHintNone
}

// otherThan is true when a program does not wait, or not known to, as it did in before.
func otherThan(before session.State) func(session.State) bool {
	return func(s session.State) bool {
		return s.Waiting != before.Waiting || s.EchoHint != before.EchoHint || isStopped(s) != isStopped(before)
	}
}

// stays reports whether the program still waits in the same way after d.
func stays(ctx context.Context, s *session.Session, st session.State, d time.Duration) bool {
	while, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	_, err := s.WaitState(while, otherThan(st))
	return errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
}

// waitHint is empty if it is not known whether the program waits.
func (x *execution) waitHint(s session.State) string {
	what := "input"
	if s.Waiting == session.WaitingNone {
		return ""
	}
	if s.Waiting == session.WaitingSecret {
		what = "a secret"
	}
	if x.keyboard != nil {
		return "the program waits for " + what + ": type it and press Enter; to interrupt: Ctrl-C"
	}
	hint := "the program waits for " + what + " that nobody can type"
	if s.NeedsInput {
		hint += fmt.Sprintf(" (it will be interrupted after %s)", hopelessAfter)
	}
	hint += "; to interrupt it: Ctrl-C; to limit the wait: --timeout"
	if last := x.printed.end(s.Partial); promptLike().MatchString(last) {
		hint += fmt.Sprintf("\n  if %q is the program's prompt now, the command has replaced the prompt that the adapter recognizes", last)
	}
	return hint
}

// lastLine is the unfinished line at the end of what was printed, as far as it may be
// a prompt.
type lastLine struct {
	mu   sync.Mutex
	text []byte
}

// longestPrompt is how many bytes of the line are kept.
const longestPrompt = 120

func (l *lastLine) add(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		l.text, b = l.text[:0], b[i+1:]
	}
	l.text = append(l.text, b[:min(len(b), longestPrompt-len(l.text))]...)
}

// end is the last line of partial, or the one that was kept where that is empty.
func (l *lastLine) end(partial string) string {
	if partial != "" {
		return partial[strings.LastIndexByte(partial, '\n')+1:]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// promptLike is how prompts end.
var promptLike = lazyregexp.New(`^.{0,80}[>#$%»❯] ?$`)
