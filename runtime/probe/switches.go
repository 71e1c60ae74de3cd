package probe

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/proctree"
)

// plainSwitch matches a line of a program's help about a switch that disables its line editor: one
// that negates it, or one for a simple prompt.
var plainSwitch = lazyregexp.New(`(?m)^[ \t]*(?:-\w,?[ \t]+)?(?:(--no-?(?:readline|line-?edit\w*|edit(?:ing|or)?))|(--no[-a-z]*)[ \t].*(?i:\breadline\b|\bline.?edit|\beditor\b).*|(--simple-prompt))(?:[ \t,].*)?$`)

// switchesIn returns the switches in a help text.
func switchesIn(help string) (found []string) {
	for _, m := range plainSwitch().FindAllStringSubmatch(help, -1) {
		if name := m[1] + m[2] + m[3]; !slices.Contains(found, name) { // exactly one of the three is set
			found = append(found, name)
		}
	}
	return found
}

// withoutEditor starts a program that has a line editor even on a dumb terminal with each switch of
// its help that should disable the editor, and keeps a switch that does.
func withoutEditor(ctx context.Context, l *lab, before reply) (reply, error) {
	help, err := helpOf(ctx, l)
	found := switchesIn(help)
	if err != nil || len(found) == 0 {
		return before, err
	}
	l.log.experiment(1, "start with "+strings.Join(found, " ")+", of its --help")
	l.draft.set("process.args", slices.Concat(l.o.Command[1:], found), sure, 1, "--help lists these arguments, which turn the line editor off")
	r, err := l.start(ctx)
	if err != nil {
		return r, err
	}
	if r.idle() && !observe(l, r) {
		return r, nil
	}
	l.log.say("that does not disable the line editor")
	if l.draft.drop("process.args"); len(l.o.Command) > 1 {
		l.draft.plain("process.args", l.o.Command[1:])
	}
	return before, l.stop()
}

// helpOf returns the program's help text, printed without a terminal.
func helpOf(ctx context.Context, l *lab) (string, error) {
	a, err := l.draft.adapter(l.o.File)
	if err != nil {
		return "", err
	}
	path, err := launch.Locate(a, launch.OSHost(), "")
	if err != nil {
		return "", err
	}
	within, cancel := context.WithTimeout(ctx, l.o.patience().start/8)
	defer cancel()
	var out bytes.Buffer
	cmd := proctree.Command(within, path, append(slices.Clone(l.o.Command[1:]), "--help")...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = l.dirs.work, l.environ(a), &out, &out
	cmd.WaitDelay = time.Second // a child may keep the pipe open
	_ = cmd.Run()               // many programs print help with a nonzero exit code
	return out.String(), ctx.Err()
}
