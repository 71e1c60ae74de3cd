package adaptercmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/probe"
	"example.org/ripple/schema"
)

// probed is an adapter to be learned by experiment.
type probed struct {
	name, command, file string
	byName              bool // the file is the project's of that name: the user has not named the file
	with                withFlags
}

// base returns the base name of the file.
func (p probed) base() string { return filepath.Base(p.file) }

// evidenceName returns the base name of the evidence file.
func (p probed) evidenceName() string { return filepath.Base(p.evidenceFile()) }

// byName returns the hint for a file in the project's directory of adapters: the user must approve it
// before its name can be used. For other files it returns "".
func byName(file string) string {
	if filepath.Dir(file) != filepath.Dir(defaultFile("")) {
		return ""
	}
	return "to use it by its name: ripple trust\n"
}

// defaultFile returns the default path of an adapter.
func defaultFile(name string) string { return filepath.Join(".ripple", "adapters", name+".yaml") }

// evidenceFile returns the path of the evidence, next to the adapter.
func (p probed) evidenceFile() string {
	return strings.TrimSuffix(p.file, filepath.Ext(p.file)) + ".evidence.txt"
}

// run learns an adapter, or has an agent improve one.
func (p probed) run(cmd *cobra.Command, a *app) error {
	if p.file == "" {
		p.file, p.byName = defaultFile(p.name), true
	}
	if err := p.with.choose(cmd); err != nil {
		return err
	}
	if !cmd.Flags().Changed("probe") {
		if err := without(cmd, "--with improves an existing file: create it first, or learn it with --probe", "with"); err != nil {
			return err
		}
		return a.Guarded(func() error { return p.improve(cmd.Context(), cmd, a) })
	}
	words, err := p.choose(cmd)
	if err != nil {
		return err
	}
	return a.Guarded(func() error { return p.learn(cmd.Context(), cmd, a, words) })
}

// without refuses the flags for drafts.
func without(cmd *cobra.Command, hint, flag string) error {
	for _, name := range []string{"family", "prompt", "command"} {
		if cmd.Flags().Changed(name) {
			return ui.UsageError(hint, "--%s and --%s cannot be combined", name, flag)
		}
	}
	return nil
}

// choose checks the flags' values and splits the command line into words.
func (p probed) choose(cmd *cobra.Command) (words []string, err error) {
	if err := without(cmd, "--probe needs only the command line", "probe"); err != nil {
		return nil, err
	}
	if strings.TrimSpace(p.command) == "" {
		return nil, ui.UsageError("give the command line that starts the program: --probe 'prog --quiet'", "--probe must not be empty")
	}
	split, err := schema.SplitCommand(p.command)
	if err != nil {
		return nil, ui.UsageError(`quotes group words: --probe 'prog --mode "very quiet"'`, "--probe %q: %w", p.command, err)
	}
	for _, w := range split {
		words = append(words, anywhere(plainWord(w)))
	}
	return words, nil
}

// anywhere returns a word that means the same in any directory: a file relative to the current
// directory becomes an absolute path.
func anywhere(word string) string {
	if word == "" || filepath.IsAbs(word) {
		return word
	}
	if _, err := os.Stat(word); err != nil {
		return word
	}
	if _, err := exec.LookPath(word); err == nil && !strings.ContainsRune(word, filepath.Separator) {
		return word // a program found in PATH
	}
	whole, err := filepath.Abs(word)
	if err != nil {
		return word
	}
	return whole
}

// learn learns the adapter, writes it with its evidence, and reports the test results; an agent may
// improve it afterwards.
func (p probed) learn(ctx context.Context, cmd *cobra.Command, a *app, words []string) error {
	if err := p.checkPaths(); err != nil {
		return err
	}
	var h *helper
	if p.with.agent != "" {
		var err error
		if h, err = p.newHelper(ctx, cmd, a); err != nil {
			return err
		}
		defer h.close()
	}
	result, err := p.experiment(ctx, a, words)
	start, unlearnt := errors.AsType[*probe.StartError](err)
	switch {
	case h != nil && unlearnt:
		h.evidence = result.Evidence
		return h.improveTemplate(ctx, words, start)
	case err != nil:
		return p.learnError(err)
	}
	if err := p.write(a, result); err != nil {
		return err
	}
	if h == nil {
		return p.report(a, result)
	}
	return h.improveLearned(ctx, result)
}

// experiment runs the experiments with the program.
func (p probed) experiment(ctx context.Context, a *app, words []string) (probe.Result, error) {
	head, err := ui.Fill(probeHead, map[string]string{"name": p.name, "named": fileNamed(p.name, p.file), "evidence": p.evidenceName()})
	if err != nil {
		return probe.Result{}, ui.FailWith(ui.ExitFailed, err, "")
	}
	ctx, _, stop := ui.UntilSignal(ctx, true)
	defer stop()
	progress := a.NewProgress()
	defer progress.Stop()
	result, err := probe.Run(ctx, probe.Options{
		Name: p.name, Command: words, File: fileNamed(p.name, p.file), Header: head,
		Versions: []string{"--version", "-version", "-V", "-v", "version"},
		Progress: func(text string) { progress.Update(p.name, contract.Progress{Name: text}) },
	})
	if ctx.Err() != nil {
		err = ui.FailWith(ui.ExitInterrupted, errors.New("interrupted; nothing was written"), "")
	}
	return result, err
}

// checkPaths returns an error if one of the files cannot be written, before the experiments take a
// minute.
func (p probed) checkPaths() error {
	if p.file == "-" {
		return nil
	}
	for _, file := range []string{p.file, p.evidenceFile()} {
		if _, err := os.Lstat(file); err == nil {
			return ui.UsageError("to write another file: -o FILE", "%s already exists", file)
		}
		if err := ui.Outside(file); err != nil {
			return notHere(file, err)
		}
	}
	return nil
}

// learnError returns the error for a program that could not be learned.
func (p probed) learnError(err error) error {
	var missing *launch.MissingError
	var start *probe.StartError
	var told *ui.ExitError
	switch {
	case errors.As(err, &told):
		return err
	case errors.As(err, &missing):
		return ui.FailWith(ui.ExitMissing, fmt.Errorf("--probe %q: %w", p.command, err), "")
	case errors.As(err, &start):
		hint := "nothing was written; to see why, start the program by hand: ripple can learn only a program that waits for a line of input"
		if printed := strings.TrimSpace(start.Output); printed != "" {
			hint = "it printed:\n" + ui.Indent(printed) + "\n" + hint
		}
		return ui.FailWith(ui.ExitFailed, err, hint)
	}
	return ui.FailWith(ui.ExitFailed, err, "nothing was written")
}

// write writes the adapter and its evidence.
func (p probed) write(a *app, result probe.Result) error {
	if p.file == "-" {
		a.Printf("%s", result.Adapter)
		return nil
	}
	if err := writeNew(p.file, result.Adapter); err != nil {
		return err
	}
	return writeNew(p.evidenceFile(), result.Evidence)
}

// report reports on the written files.
func (p probed) report(a *app, result probe.Result) error {
	if p.file == "-" {
		return nil
	}
	if err := contract.WriteText(a.Out, []*contract.Report{result.Report}, contract.TextOptions{}); err != nil && a.OutError() == nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	a.Printf("%s\n%s\n", p.file, p.evidenceFile())
	_, _ = fmt.Fprintf(a.Err, "next: read it, write tests, then\n  ripple adapter test %s\n%s", p.file, byName(p.file)) // only a hint
	return nil
}

// probeHead is the comment at the beginning of the file.
const probeHead = `# yaml-language-server: $schema=adapter.schema.json
# The line above lets an editor complete and check this file: ripple schema > adapter.schema.json in its directory.
#
# The adapter of {{name}}, learned by experiment. The comment above each key states its confidence and its
# experiment; {{evidence}} contains the transcripts. SCHEMA.md describes every key. After a change:
#   ripple adapter lint {{named}}
#   ripple adapter test {{named}}
`
