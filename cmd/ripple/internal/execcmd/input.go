package execcmd

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"ripple/cmd/ripple/internal/ui"
	"ripple/internal/lazyregexp"
	"ripple/runtime/session"
	"ripple/schema"
)

// hintAfter is how long a program must wait for input before we say so: some
// look at the terminal in passing.
const hintAfter = 300 * time.Millisecond

// hopelessAfter is how long a program may wait for nothing but input that nobody can
// give before it is interrupted.
const hopelessAfter = 5 * time.Second

// attend watches a running command: when it waits for input, a person at the
// keyboard is asked, or it is said that nobody will answer. hopeless: it waits for
// nothing else, and has done so for long.
func (x *execution) attend(ctx context.Context) (hopeless bool) {
	for told := session.WaitingNo; ; {
		st, err := x.session.WaitState(ctx, waiting)
		if err != nil {
			return false
		}
		if !x.lasts(ctx, hintAfter) {
			if ctx.Err() != nil {
				return false
			}
			continue
		}
		if told != st.Waiting {
			told = st.Waiting
			x.Note("%s", x.waitHint(st))
		}
		switch {
		case x.keyboard != nil:
			err = x.answer(ctx, st)
		case x.lasts(ctx, hopelessAfter):
			if st = x.session.State(); st.Stuck {
				return true
			}
			_, err = x.session.WaitState(ctx, notWaiting)
		default:
			err = ctx.Err()
		}
		if err != nil {
			return false
		}
	}
}

func waiting(s session.State) bool    { return s.Waiting != session.WaitingNo }
func notWaiting(s session.State) bool { return s.Waiting == session.WaitingNo }

// lasts says whether the program still waits after a while.
func (x *execution) lasts(ctx context.Context, d time.Duration) bool {
	while, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	_, err := x.session.WaitState(while, notWaiting)
	return errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
}

func (x *execution) waitHint(s session.State) string {
	what := "input"
	if s.Waiting == session.WaitingSecret {
		what = "a secret"
	}
	if x.keyboard != nil {
		return "the program waits for " + what + ": type it and press Enter; Ctrl-C interrupts"
	}
	hint := "the program waits for " + what + " and none will come: Ctrl-C interrupts it, --timeout limits it"
	if s.Stuck {
		hint += fmt.Sprintf(", and so does ripple after %s", hopelessAfter)
	}
	if last := x.printed.end(s.Partial); promptLike().MatchString(last) {
		hint += fmt.Sprintf("\n  if %q is its prompt, the command has replaced the one that the adapter knows", last)
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

// answer sends the program one typed line.
func (x *execution) answer(ctx context.Context, s session.State) error {
	line, err := x.keyboard.read(ctx, s.Waiting == session.WaitingSecret)
	if err != nil {
		return err
	}
	return x.session.Send(ctx, line)
}

// keyboard is the terminal of the person who started us. It is read only while
// the program waits for input, so that nothing typed ahead for the shell after
// us is taken.
type keyboard struct {
	file  *os.File
	lines *bufio.Reader
	state *term.State // as we found it
	enter string      // what submits a line
	eof   string      // what ends the input; empty: nothing does
}

// newKeyboard is nil when standard input is no terminal.
func newKeyboard(in io.Reader, ad *schema.Adapter) *keyboard {
	if !ui.IsTerminal(in) {
		return nil
	}
	k := &keyboard{file: in.(*os.File), enter: cmp.Or(ad.Input.LineEnding, ad.Process.LineEnding)}
	if ad.Signals.EOF != nil {
		k.eof = *ad.Signals.EOF
	}
	k.lines = bufio.NewReader(k.file)
	k.state, _ = term.GetState(int(k.file.Fd())) // no state: nothing to restore
	return k
}

// restore gives the terminal back as it was: a secret may have been under way.
func (k *keyboard) restore() {
	if k != nil && k.state != nil {
		_ = term.Restore(int(k.file.Fd()), k.state) // the terminal is gone: so is its state
	}
}

// read is one line, or the end of input, as the program is to get it.
func (k *keyboard) read(ctx context.Context, secret bool) ([]byte, error) {
	type typed struct {
		line []byte
		err  error
	}
	got := make(chan typed, 1)
	go func() {
		var t typed
		if secret {
			t.line, t.err = term.ReadPassword(int(k.file.Fd()))
		} else {
			var line string
			line, t.err = k.lines.ReadString('\n')
			t.line = []byte(line)
		}
		got <- t
	}()
	select {
	case t := <-got:
		switch {
		case errors.Is(t.err, io.EOF) && len(t.line) == 0:
			return []byte(k.eof), nil
		case t.err != nil && !errors.Is(t.err, io.EOF):
			return nil, t.err
		}
		return append(bytes.TrimSuffix(t.line, []byte("\n")), k.enter...), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
