// Package probe learns an adapter by experiment: it starts a program of which nothing is
// known on a terminal, sends it this and that, and looks at what comes back. Its oracle is
// the kernel, which says when the program waits for input: so the end of each answer is
// known before anything is known about the program.
//
// Run is the main path. What it found is an adapter with the reason of each key beside it,
// and the transcript of all experiments; the adapter's contract tests then say how far it
// can be relied on, and keys that fail are varied and tried again.
//
// The package names no program. What it knows beforehand is a table of languages.
package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"ripple/runtime/contract"
	"ripple/runtime/launch"
	"ripple/schema"
)

// Options say what is to be learnt.
type Options struct {
	Name    string   // of the adapter
	Command []string // the program and its arguments
	File    string   // what the adapter's file will be called; for its comments
	Head    string   // comment that begins the file
	// Versions are arguments with one of which programs print their version.
	Versions []string

	// How long the experiments may take over five starts (0: 60 s), and how long after the contract tests
	// another variation of what failed is begun (0: 30 s).
	Experiments, Variations time.Duration
	// Start is how long the program may take to its first wait; 0: 40 s.
	Start time.Duration
	// Progress is told what is done next.
	Progress func(string)
}

func (o *Options) patience() patience {
	start := cmp.Or(o.Start, 40*time.Second)
	return patience{start: start, late: start / 40, answer: 3 * time.Second, quiet: 400 * time.Millisecond}
}

func (o *Options) progress(text string) {
	if o.Progress != nil {
		o.Progress(text)
	}
}

// Result is what was learnt.
type Result struct {
	Adapter  []byte           // the file
	Evidence []byte           // the transcript; there is one in any case
	Language string           // of the program; empty: it could not be found out
	Report   *contract.Report // of the adapter's contract tests
}

// StartError is a program that cannot be learnt, because it does not come to wait for a
// line of input.
type StartError struct {
	Reason, Printed string
}

func (e *StartError) Error() string { return e.Reason }

// Run experiments and gives what it found; the result has the evidence in any case. Nothing
// that it started is left. Errors: *launch.MissingError for a program that is not there,
// *StartError for one that never waits, and that of the context.
func Run(ctx context.Context, o Options) (result Result, err error) {
	a, err := newDraft(o).adapter(o.File)
	if err != nil {
		return Result{}, err
	}
	if _, err := launch.Locate(a, launch.OSHost(), ""); err != nil {
		return Result{}, err
	}
	l, err := newLab(o)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		closing := l.close()
		if err == nil {
			err = closing
		}
		result.Evidence = l.log.b.Bytes()
	}()
	if err := experiment(ctx, l); err != nil {
		return Result{}, err
	}
	report, err := prove(ctx, l)
	return Result{Adapter: l.draft.yaml(), Language: l.tongue.language.Name, Report: report}, err
}

// slowStarts is how many starts the time of the experiments is made longer by.
const slowStarts = 5

// experiment does the experiments. When their time is over, what is known has to do.
func experiment(ctx context.Context, l *lab) error {
	if err := lookAtStart(ctx, l); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, cmp.Or(l.o.Experiments, time.Minute)+slowStarts*l.startup)
	defer cancel()
	if err := meet(within, l); err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return err
	} else if err != nil {
		l.log.say("given up: how it evaluates: %v", err)
	}
	for _, e := range []struct {
		what string
		do   func(context.Context, *lab) error
	}{
		{"its language", findLanguage},
		{"something incomplete", findContinuation},
		{"errors", findErrors},
		{"Ctrl-C, Ctrl-D and its end", findSignals},
		{"long lines", findLineLimit},
		{"another prompt", findPromptSetting},
	} {
		if l.tongue.spelling == "" {
			break // nothing could be told from an answer
		}
		l.o.progress(e.what)
		if err := e.do(within, l); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			l.log.say("given up: %s: %v", e.what, err)
		}
	}
	conclude(l)
	l.o.progress("its version")
	if err := findOrigin(ctx, l); err != nil {
		return err
	}
	return l.stop()
}

// newDraft is what is known before anything was tried.
func newDraft(o Options) *draft {
	d := &draft{head: o.Head}
	d.plain("schema", 1)
	d.plain("name", o.Name)
	d.plain("version", "0.1.0")
	d.plain("description", filepath.Base(o.Command[0])+", as learnt by experiment")
	d.plain("family", string(schema.FamilyREPL))
	d.plain("process.executable", o.Command[0])
	if len(o.Command) > 1 {
		d.plain("process.args", o.Command[1:])
	}
	d.plain("ready.wait_for_event", "regex")
	d.plain("init.strategy", "regex")
	d.plain("prompt.strategy", "regex")
	d.plain("prompt.primary", `^\x00$`)
	return d
}

// neverWaits says that the program does not do what all experiments need.
func neverWaits(l *lab, r reply) error {
	printed := r.text()
	what := fmt.Sprintf("%s did not wait for input within %s", l.o.Command[0], l.o.patience().start)
	if r.how == ended {
		what = fmt.Sprintf("%s %s before it waited for input", l.o.Command[0], l.talk.exit())
	}
	return &StartError{Reason: what, Printed: printed}
}
