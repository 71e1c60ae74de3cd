package contract

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

func startsAndEnds(ctx context.Context, t *testRun) error {
	if err := t.openOwn(ctx, session.Options{}); err != nil {
		return err
	}
	if err := t.usable(ctx, "first command"); err != nil {
		return errors.Join(err, t.closeOwn(ctx))
	}
	if err := t.closeOwn(ctx); err != nil {
		return err
	}
	// It is not a failure: on a busy machine a program may need longer than its grace_ms.
	if command := t.adapter.Lifecycle.Shutdown.Command; command != "" && strings.Contains(t.trace.ended(), "by a signal") {
		t.note("lifecycle.shutdown.command, %q, did not end the program in time: %s", command, t.trace.ended())
	}
	return nil
}

// openOwn starts a session for a test that opens its own sessions.
func (t *testRun) openOwn(ctx context.Context, o session.Options) error {
	t.begin("start", "")
	t.trace = &trace{}
	ev, err := t.run.openWith(ctx, o, t.trace)
	if err != nil {
		return fmt.Errorf("the program did not start: %w", err)
	}
	t.ev = ev
	t.trace.reset()
	return nil
}

// closeOwn ends it; the test can open another session.
func (t *testRun) closeOwn(ctx context.Context) error {
	t.begin("close", t.adapter.Lifecycle.Shutdown.Command)
	ev := t.ev
	t.ev = nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := ev.Close(ctx); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

func printsText(ctx context.Context, t *testRun) error {
	for _, text := range []string{token("Hello, world: ") + " (a-z) 1+1=2 x/y_z.", token("short")} {
		if _, err := t.prints(ctx, "print", text); err != nil {
			return err
		}
	}
	return nil
}

func statePersists(ctx context.Context, t *testRun) error {
	s := t.adapter.Samples
	for _, n := range []int{4711, 815} {
		if err := t.setVariable(ctx, "set_var", withNumber(s.SetVar, n), n); err != nil {
			return err
		}
	}
	if s.Print == "" || s.Multiline == "" {
		return nil
	}
	const n = 2611
	block := withNumber(s.SetVar, n) + "\n" + withText(s.Print, token("set"))
	return t.setVariable(ctx, "set_var in a block", block, n)
}

// setVariable evaluates code that sets the samples' variable to n, and requires the next command to
// see it.
func (t *testRun) setVariable(ctx context.Context, step, code string, n int) error {
	if _, err := t.succeeds(ctx, step, code); err != nil {
		return err
	}
	return t.variableIs(ctx, step, n)
}

// variableIs reads the variable that a step has set to n.
func (t *testRun) variableIs(ctx context.Context, step string, n int) error {
	r, err := t.succeeds(ctx, "get_var", t.adapter.Samples.GetVar)
	if err != nil {
		return err
	}
	value := strconv.Itoa(n)
	if !strings.Contains(r.Output, value) {
		return failf("the variable was set to %d (%s), but its value was not printed", n, step)
	}
	return nil // other output is allowed: a debugger lists earlier settings
}

func multilineBlock(ctx context.Context, t *testRun) error {
	for _, n := range []int{4100, 77, 512} {
		r, err := t.succeeds(ctx, "multiline", withNumber(t.adapter.Samples.Multiline, n))
		if err != nil {
			return err
		}
		value := strconv.Itoa(n + 1)
		if !strings.Contains(r.Output, value) {
			return failf("samples.multiline with n = %d should print %s", n, value)
		}
		if err := t.shaped("multiline", value, r); err != nil {
			return err
		}
	}
	return t.usable(ctx, "after the block")
}

func usableAfterError(ctx context.Context, t *testRun) error {
	r, err := t.eval(ctx, "error", t.adapter.Samples.Error)
	if err != nil {
		return err
	}
	if errorsAreSeen(t.adapter) && !r.Failed {
		return failf("the error was not seen: %s, mode %q, and output.error_pattern did not match", exitCode(r), r.Mode)
	}
	if err := t.usable(ctx, "after the error"); err != nil {
		return err
	}
	return backToDefaultMode(ctx, t)
}

// errorsAreSeen reports whether the adapter can distinguish a failed command from a successful one.
func errorsAreSeen(a *schema.Adapter) bool {
	if a.Capabilities.ExitCode == schema.ExitCodeTrue || a.Output.ErrorPattern != "" {
		return true
	}
	for _, m := range a.Modes {
		if m.AutoEnter {
			return true
		}
	}
	return false
}

func exitCodesAsDeclared(ctx context.Context, t *testRun) error {
	reliable := t.adapter.Capabilities.ExitCode == schema.ExitCodeTrue
	good, err := t.prints(ctx, "print", token("good"))
	if err != nil {
		return err
	}
	switch code := good.ExitCode; {
	case reliable && code == nil:
		return failf("capabilities.exit_code is true, but no exit code was reported")
	case reliable && *code != 0:
		return failf("samples.print ended with exit code %d", *code)
	case !reliable && code != nil:
		return failf("capabilities.exit_code is false, but exit code %d was reported", *code)
	}
	if !reliable || t.adapter.Samples.Error == "" {
		return nil
	}
	bad, err := t.eval(ctx, "error", t.adapter.Samples.Error)
	if err != nil {
		return err
	}
	if bad.ExitCode == nil || *bad.ExitCode == 0 {
		return failf("capabilities.exit_code is true, but samples.error ended with %s", exitCode(bad))
	}
	return backToDefaultMode(ctx, t)
}

// cwdAsDeclared uses a directory whose name contains a blank and a non-ASCII letter, and a quote if
// the adapter declares how to escape it.
func cwdAsDeclared(ctx context.Context, t *testRun) error {
	parent := t.run.around.work
	for _, name := range []string{"plain", "with blank ünï", "it's (a) \"quote\""} {
		dir := filepath.Join(parent, name)
		code, ok := t.cdTo(dir)
		if !ok {
			t.note("not tried, because the adapter does not say how to quote it: %s", name)
			continue
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return unsound{err}
		}
		r, err := t.succeeds(ctx, "cd to "+name, code)
		if err != nil {
			return err
		}
		if r.Cwd != dir {
			return failf("cwd: want %q, got %q", dir, r.Cwd)
		}
	}
	if err := t.usable(ctx, "in the new directory"); err != nil {
		return err
	}
	if got := t.ev.State().Cwd; got == "" || filepath.Dir(got) != parent {
		return failf("cwd: the session lost the directory during a command that does not change it: %q", got)
	}
	return nil
}

// cdTo returns code that changes the directory. capabilities.cd_command declares how to quote;
// samples.cd does not, so it only gets names that every quoting preserves.
func (t *testRun) cdTo(dir string) (code string, ok bool) {
	if c := t.adapter.Capabilities; c.CdCommand != "" {
		path, err := launch.Quote(c.CdCommandQuote, dir)
		return strings.ReplaceAll(c.CdCommand, "{path}", path), err == nil
	}
	path, err := launch.Quote("", dir)
	return strings.ReplaceAll(t.adapter.Samples.Cd, "{path}", path), err == nil
}

func emptyInput(ctx context.Context, t *testRun) error {
	if err := t.usable(ctx, "before empty input"); err != nil { // a shell reports its exit code again
		return err
	}
	if _, err := t.succeeds(ctx, "empty input", ""); errors.Is(err, session.ErrTimeout) {
		return fmt.Errorf("%w; if the program prints nothing for an empty line, set input.empty_line: none", err)
	} else if err != nil {
		return err
	}
	if c := t.adapter.Samples.Comment; c == "" {
		t.note("comment-only input was not tried: samples.comment is not declared")
	} else if r, err := t.succeeds(ctx, "comment", c); err != nil {
		return err
	} else if err := t.noEcho(c, r); err != nil {
		return err
	}
	return t.usable(ctx, "after empty input")
}

// backToBack evaluates one command right after the other and then two from different goroutines:
// each gets its own output and nothing of the other one's.
func backToBack(ctx context.Context, t *testRun) error {
	last := ""
	for range 10 {
		text := token("turn")
		r, err := t.prints(ctx, "print", text)
		if err != nil {
			return err
		}
		if last != "" && strings.Contains(r.Output, last) {
			return failf("the output contains %s, which the previous command printed", last)
		}
		last = text
	}
	return concurrently(ctx, t)
}

func concurrently(ctx context.Context, t *testRun) error {
	t.begin("two commands at once", t.adapter.Samples.Print)
	texts := [2]string{token("left"), token("right")}
	type answer struct {
		r   session.Result
		err error
	}
	var answers [2]chan answer
	for i, text := range texts {
		answers[i] = make(chan answer, 1)
		go func() {
			r, err := t.ev.Eval(ctx, withText(t.adapter.Samples.Print, text))
			answers[i] <- answer{r, err}
		}()
	}
	var err error
	for i, text := range texts {
		a := <-answers[i] // wait for both, so that none is left behind
		if a.err != nil {
			err = errors.Join(err, explain(a.err))
		} else if !strings.Contains(a.r.Output, text) || strings.Contains(a.r.Output, texts[1-i]) {
			t.result = a.r
			err = errors.Join(err, failf("one of two queued commands did not get its own output (%s)", text))
		} else if wrong := errors.Join(good(t.adapter, a.r), t.shaped("print", text, a.r)); wrong != nil {
			t.result = a.r
			err = errors.Join(err, wrong)
		}
	}
	return err
}
