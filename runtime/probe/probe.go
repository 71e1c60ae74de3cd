// Package probe learns an adapter by experiment: it starts an unknown program on a terminal, sends
// it input, and examines the output. The kernel reports when the program waits for input, so the
// end of each answer is known without any knowledge of the program.
//
// Run is the entry point. Its result is an adapter with a reason next to each key, and the
// transcript of all experiments. The adapter's contract tests then measure how reliable it is; keys
// whose tests fail are varied and tested again.
//
// The package names no program. Its only prior knowledge is a table of languages.
package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/schema"
)

// Options describe the program to learn.
type Options struct {
	Name    string   // name of the adapter
	Command []string // the program and its arguments
	File    string   // name of the adapter's file, for its comments
	Header  string   // comment at the beginning of the file
	// Versions are options that commonly print a program's version; the first that works is used.
	Versions []string

	// ExperimentTimeout is the time limit for the experiments, excluding five starts (0: 60 s).
	ExperimentTimeout time.Duration
	// StartTimeout is the time limit for the program's first wait for input; 0: 40 s.
	StartTimeout time.Duration
	// Progress is called with a description of each step.
	Progress func(string)
}

func (o *Options) patience() patience {
	start := cmp.Or(o.StartTimeout, 40*time.Second)
	return patience{start: start, late: start / 40, answer: 3 * time.Second, quiet: 400 * time.Millisecond}
}

func (o *Options) progress(text string) {
	if o.Progress != nil {
		o.Progress(text)
	}
}

// Result is the result of learning.
type Result struct {
	Adapter  []byte           // the adapter file
	Evidence []byte           // the transcript; never empty
	Language string           // language of the program; empty if unknown
	Report   *contract.Report // results of the adapter's contract tests
}

// StartError reports a program that cannot be learned, because it never waits for a line of input.
type StartError struct {
	Reason, Output string
}

func (e *StartError) Error() string { return e.Reason }

// Run learns an adapter for the program of the options. The result contains the evidence even if
// Run fails. All processes that Run started have ended when it returns.
//
// Errors: *launch.MissingError if the program does not exist, *StartError if it never waits for
// input, and that of the context.
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
	report, err := runContracts(ctx, l)
	return Result{Adapter: l.draft.yaml(), Language: l.tongue.language.Name, Report: report}, err
}

// slowStarts is the number of starts whose duration is added to the time limit of the experiments.
const slowStarts = 5

// experiment runs the experiments. When their time is over, it continues with the results so far.
func experiment(ctx context.Context, l *lab) error {
	if err := lookAtStart(ctx, l); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, cmp.Or(l.o.ExperimentTimeout, time.Minute)+slowStarts*l.startup)
	defer cancel()
	if err := findTerminal(within, l); err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return err
	} else if err != nil {
		l.log.say("stopped: how the program evaluates code: %v", err)
	}
	for _, e := range []struct {
		what string
		do   func(context.Context, *lab) error
	}{
		{"its language", findLanguage},
		{"something incomplete", findContinuation},
		{"errors", findErrors},
		{"Ctrl-C, Ctrl-D and commands that end it", findSignals},
		{"long lines", findLineLimit},
		{"another prompt", findPromptSetting},
	} {
		if l.tongue.spelling == "" {
			break // no answer could be interpreted
		}
		l.o.progress(e.what)
		if err := e.do(within, l); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			l.log.say("stopped: %s: %v", e.what, err)
		}
	}
	conclude(l)
	l.o.progress("its version")
	if err := findOrigin(ctx, l); err != nil {
		return err
	}
	return l.stop()
}

// newDraft returns a draft of what is known before any experiment.
func newDraft(o Options) *draft {
	d := &draft{head: o.Header}
	d.plain("schema", 1)
	d.plain("name", o.Name)
	d.plain("version", "0.1.0")
	d.plain("description", filepath.Base(o.Command[0])+", learned by experiment")
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

// neverWaits returns the error for a program that does not wait for input, which all experiments
// require.
func neverWaits(l *lab, r reply) error {
	printed := r.text()
	what := fmt.Sprintf("%s did not wait for input within %s", l.o.Command[0], l.o.patience().start)
	if r.how == ended {
		what = fmt.Sprintf("%s %s before it waited for input", l.o.Command[0], l.talk.exit())
	}
	return &StartError{Reason: what, Output: printed}
}
