package consolecmd

import (
	"context"
	"errors"
	"io"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
)

// Detached returns a function that starts a coding agent on its own screen as a console, enters a
// prompt and detaches.
func Detached(a *ui.App) func(context.Context, console.Spec, string) error {
	return func(ctx context.Context, spec console.Spec, prompt string) error {
		host, err := spawnHost()
		if err != nil {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
		ctx, _, stop := ui.UntilSignal(ctx, true)
		defer stop()
		c, status, err := host.Start(ctx, a.Getenv, spec)
		if err != nil {
			return explain(err)
		}
		defer c.Close()
		a.Printf("%s\n", status.Name)
		if status.State != console.Idle {
			what, hint := "the agent is not ready: the prompt was not entered", "to see its screen: ripple console attach "+status.Name
			if status.Agent != nil {
				what, hint = asks(status)
				what = "the prompt was not entered: " + what
			}
			return ui.FailWith(ui.ExitBlocked, errors.New(what), hint)
		}
		answer, err := c.Exec(ctx, console.ExecRequest{Code: prompt, By: "agent run", Wait: time.Millisecond}, io.Discard)
		if err != nil {
			return explain(err)
		}
		if answer.Reason != "time" { // the turn has ended already, or the agent asks
			_, err := conclude(a, answer, false)
			return err
		}
		a.Note("to see the agent: ripple console attach %s; to wait for its answer: ripple console wait %s", status.Name, status.Name)
		return nil
	}
}
