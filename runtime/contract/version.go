package contract

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/schema"
)

// version asks the program for its version, in the environment of the tests.
func version(ctx context.Context, a *schema.Adapter, path string, around *surroundings) string {
	defer enterExclusion(false)()
	home, err := around.newHome()
	if err != nil {
		return "" // the first session will report it
	}
	return launch.Version(ctx, a, path, around.work, append(os.Environ(), around.env(a, home)...))
}

// checkNeeds checks whether this machine has what a test needs, by running the program itself in the
// environment of the tests, without a terminal. If not, the error is inapplicable and contains the
// last line that the program printed.
func (r *runner) checkNeeds(ctx context.Context, needs *schema.TestNeeds) error {
	if needs == nil {
		return nil
	}
	pattern, err := schema.CompilePattern(needs.Prints)
	if err != nil {
		return unsound{err} // the loader has refused such a pattern
	}
	home, err := r.around.newHome()
	if err != nil {
		return unsound{err}
	}
	cmd := proctree.Command(ctx, r.report.Executable, needs.Args...)
	cmd.Dir, cmd.Env = r.around.work, append(os.Environ(), r.around.env(r.adapter, home)...)
	var printed, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &errs
	cmd.WaitDelay = time.Second // a remaining process may keep the pipe open
	ended := cmd.Run()          // its exit code is meaningless: gdb's is 0 after any error
	if met, err := pattern.MatchString(printed.String()); err != nil || met {
		return err
	}
	said := cmp.Or(lastLine(errs.String()), lastLine(printed.String()), "nothing")
	if ctx.Err() != nil {
		return fmt.Errorf("checking for %s: %w", needs.What, ctx.Err())
	}
	if ended != nil {
		said += " (" + ended.Error() + ")"
	}
	return inapplicablef("needs %s; the program reports: %s", needs.What, said)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return escaped(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]))
}
