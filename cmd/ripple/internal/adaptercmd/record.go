package adaptercmd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/attached"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

func newAdapterRecord(a *app) *cobra.Command {
	var f tryFlags
	var file string
	var failed bool
	cmd := &cobra.Command{
		Use:   "record {FILE | NAME} [-o FILE]",
		Short: "Record contract tests at a program's prompt",
		Long: `Use a program's own prompt, as with "ripple adapter try". Each command becomes a test
that expects its output. When you leave, the tests are run as part of the adapter:
expectations that fail are removed, and the remaining tests, which pass, are added
after the tests of the file. Comments and layout stay.

A command that fails is recorded only with --errors. A command that you typed input to is
never recorded, so that a secret does not become part of a test. If standard input or
output is not a terminal, each line of the input is a command.`,
		Example:           "  ripple adapter record my.yaml\n  printf 'x = 20\\nx + 1\\n' | ripple adapter record my.yaml -o with-tests.yaml",
		Args:              oneAdapter,
		ValidArgsFunction: ui.CompleteAdapter(a.App),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withTerminal(a, func(ctx context.Context, s *attached.Terminal) error {
				rec, err := newRecording(a, args[0], file, failed)
				if err != nil {
					return err
				}
				if s == nil {
					err = tryLines(a, ctx, rec.entry, f, rec)
				} else {
					err = newBench(a, s, args[0], rec.entry, f, rec).run(ctx)
				}
				if err != nil {
					return err
				}
				return rec.write(ctx, f.session.Executable)
			}, cmd.Context())
		},
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&file, "file", "o", "", "write to this `FILE`, and leave the original unchanged")
	cmd.Flags().BoolVar(&failed, "errors", false, "also record commands that fail, as tests that expect the error")
	return cmd
}

// recording records the commands at a program's prompt as tests.
type recording struct {
	*app
	entry *registry.Entry
	text  []byte // text of the adapter's file
	file  string // path of the result

	mu       sync.Mutex
	recorded contract.RecordedTests
}

func newRecording(a *app, name, file string, failed bool) (*recording, error) {
	e, err := a.Adapter(name)
	e, err = tried(e, err, false)
	if err != nil {
		return nil, err
	}
	c := &recording{app: a, entry: e, text: e.Text, file: file, recorded: contract.RecordedTests{Adapter: e.Adapter, IncludeErrors: failed}}
	switch {
	case file != "":
		if _, err := os.Lstat(file); err == nil {
			return nil, ui.UsageError("to write another file: -o FILE", "%s already exists", file)
		}
	case e.Origin == registry.OriginEmbedded:
		return nil, ui.UsageError("to write a new file: -o FILE", "%s is part of ripple: there is no file to add tests to", e.Name)
	default:
		c.file = e.Path
	}
	probe := []schema.NewTest{{Name: "a test", Eval: "1"}}
	if _, err := schema.AppendTests(c.text, probe); err != nil { // checked before the user types anything
		return nil, ui.FailWith(ui.ExitUsage, errors.New(e.Path+": "+err.Error()), "")
	}
	return c, nil
}

// add records a command and returns a message about it.
func (c *recording) add(code string, r session.Result, err error, fed bool) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	refusal := "keys were typed while it ran"
	if !fed || err != nil {
		refusal = c.recorded.Add(code, r, err)
	}
	if refusal != "" {
		return "not recorded: " + ui.FirstLine(code) + ": " + refusal
	}
	return "recorded: " + ui.FirstLine(code)
}

// write runs the tests and writes those that pass.
func (c *recording) write(ctx context.Context, executable string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.recorded.Tests) == 0 {
		c.Note("no command was recorded: nothing was written")
		return nil
	}
	progress := c.NewProgress()
	text, taken, report, err := c.recorded.Verify(ctx, c.text, parserOf(c.entry, c.file), contract.Options{Executable: executable, Files: c.entry.Files, Progress: func(t contract.Progress) { progress.Update(c.entry.Name, t) }})
	progress.Stop()
	switch {
	case ctx.Err() != nil:
		return ui.FailWith(ui.ExitInterrupted, errors.New("interrupted; nothing was written"), "")
	case err != nil:
		return ui.FailWith(ui.ExitFailed, err, "nothing was written")
	}
	for _, t := range taken {
		c.Note("%s", t)
	}
	if len(c.recorded.Tests) == 0 {
		return ui.FailWith(ui.ExitFailed, errors.New("none of the recorded tests passes: nothing was written"), "")
	}
	if err := c.save(text); err != nil {
		return err
	}
	if err := contract.WriteText(c.Out, []*contract.Report{report}, contract.TextOptions{}); err != nil && c.OutError() == nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	c.Note("%s: %s recorded", c.file, ui.Count(len(c.recorded.Tests), "test"))
	return nil
}

// save writes the file, unless it has been changed in the meantime.
func (c *recording) save(text []byte) error {
	if c.file != c.entry.Path {
		return writeNew(c.file, text)
	}
	now, err := projectfile.Read(c.file, projectfile.MaxText)
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "nothing was written")
	}
	if !bytes.Equal(now, c.text) {
		return ui.FailWith(ui.ExitFailed, errors.New(c.file+" was changed in the meantime: nothing was written"), "record it again")
	}
	if err := ui.ReplaceFile(c.file, text); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "nothing was written")
	}
	return nil
}
