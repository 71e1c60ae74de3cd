package adaptercmd

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/quote"
	"example.org/ripple/schema"
)

// agentTemplate is the template of an adapter for a new agent.
//
//go:embed agent.yaml.tmpl
var agentTemplate string

// agentDraft holds the values for the agent template.
type agentDraft struct {
	Name, Command string
	Args          []string
	Stdin         bool   // the prompt is written to standard input
	Flag          string // flag before a prompt that is an argument
	NDJSON        bool
	File          string // path of the new adapter
}

// Bare returns the command line without a prompt, with the program's base name, as tests contain
// it.
func (n agentDraft) Bare() []string { return append([]string{filepath.Base(n.Command)}, n.Args...) }

// Argv returns the command line for a prompt.
func (n agentDraft) Argv(prompt string) []string {
	argv := n.Bare()
	if n.Stdin {
		return argv
	}
	if n.Flag != "" {
		argv = append(argv, n.Flag)
		if n.Flag != "--" && strings.HasPrefix(prompt, "-") {
			prompt = "\n" + prompt // as agent.prompt.flag describes
		}
	}
	return append(argv, prompt)
}

// Named returns the file name for the comments in the file.
func (n agentDraft) Named() string { return fileNamed(n.Name, n.File) }

func fileNamed(name, file string) string {
	if file == "-" {
		return name + ".yaml"
	}
	return file
}

// Ext returns the usual extension of recorded output.
func (n agentDraft) Ext() string {
	if n.NDJSON {
		return "ndjson"
	}
	return "txt"
}

func newAdapterNew(a *app) *cobra.Command {
	n, program, with := agentDraft{}, programDraft{}, withFlags{}
	var words []string
	var mode, output, command string
	cmd := &cobra.Command{
		Use:   "new {NAME | --agent NAME} [flags]",
		Short: "Create an adapter as a starting point",
		Long: `Write an adapter for a new program to .ripple/adapters/NAME.yaml, as a starting point for your
own changes. An existing file is not overwritten, except by --with. There are three ways to write one:

  ripple adapter new NAME          fill in a template for a program with a prompt. It works if
                                   --prompt is exactly the program's prompt; comments and
                                   docs/writing-an-adapter.md explain what to add
  ripple adapter new NAME --probe COMMAND
                                   learn the adapter by experiments: start the program, send
                                   it various input, and derive its prompt, its language, and
                                   how to interrupt and end it. Comments name the evidence for
                                   each key; NAME.evidence.txt contains all transcripts. Then
                                   the contract tests are run
  ripple adapter new --agent NAME  fill in a template for a coding agent. The result is
                                   complete: it passes "ripple adapter lint --strict" and its
                                   contract tests

--family is the kind of program: a shell runs other programs, a repl evaluates a language, a
debugger steps through a program. In the values of --probe and --args, quotes group words.

--with AGENT lets a coding agent improve the adapter, in several turns, if tests fail or many do
not apply; without --probe, it improves the existing file. The agent works in a directory of its
own with the adapter, the evidence and the schema. After each turn the tests are run, and the
new version replaces the file if it is better, and never if fewer tests apply to it. The agent
may cost money: --max-cost, --max-turns and --max-runtime limit it.

The exit code is 0 if the file was written; with --with, if all tests pass and --level is
reached, and otherwise that of "ripple run". It is 1 if the program could not be learned, 2 if
the file exists, or if --with would improve an adapter in .ripple/adapters that has not been
approved (see "ripple trust"; one named with -o needs no approval), and 3 if the program is
not installed.`,
		Example: "  ripple adapter new gforth --probe gforth\n  ripple adapter new gforth --prompt '> '\n  ripple adapter new mujs --probe mujs --with auto --max-cost 2\n  ripple adapter new --agent corp-ai --args '--headless --json' --prompt-flag --prompt --output ndjson\n" +
			"  ripple adapter new --agent codellama --command ollama --args 'run codellama' --prompt-mode stdin",
		Args: newArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("probe") || cmd.Flags().Changed("with") {
				return probed{name: args[0], command: command, file: n.File, with: with}.run(cmd, a)
			}
			if err := with.choose(cmd); err != nil {
				return err
			}
			if len(args) > 0 {
				program.Name, program.Command, program.File = args[0], n.Command, n.File
				if err := program.choose(); err != nil {
					return err
				}
				return a.writeDraft(program, program.File)
			}
			if err := n.choose(words, mode, output); err != nil {
				return err
			}
			return a.writeDraft(n, n.File)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&n.Name, "agent", "", "create the adapter of the coding agent `NAME`")
	cmd.Flags().StringVar(&program.Family, "family", string(schema.FamilyREPL), "kind of the program NAME: shell, repl, debugger")
	cmd.Flags().StringVar(&program.Prompt, "prompt", "> ", "the program's prompt exactly, including its last blank")
	cmd.Flags().StringVar(&command, "probe", "", "learn the adapter by experiments with this `COMMAND` line")
	cmd.Flags().StringVar(&n.Command, "command", "", "the program: a name to find in PATH, or a path (default: the name)")
	cmd.Flags().StringArrayVar(&words, "args", nil, "with --agent: arguments before the prompt of every turn; repeatable")
	cmd.Flags().StringVar(&mode, "prompt-mode", "arg", "with --agent: how the prompt is passed: arg, stdin")
	cmd.Flags().StringVar(&n.Flag, "prompt-flag", "", "with --agent: argument before the prompt, such as --prompt or --")
	cmd.Flags().StringVar(&output, "output", "text", "with --agent: its output format: text, ndjson")
	ui.Choices(cmd, "family", string(schema.FamilyShell), string(schema.FamilyREPL), string(schema.FamilyDebugger))
	ui.Choices(cmd, "prompt-mode", "arg", "stdin")
	ui.Choices(cmd, "output", "text", "ndjson")
	with.addTo(a, cmd)
	cmd.Flags().StringVarP(&n.File, "file", "o", "", "output `FILE`, or - (default: .ripple/adapters/NAME.yaml)")
	return cmd
}

// newArgs accepts a program or an agent, and the flags that apply to it.
func newArgs(cmd *cobra.Command, args []string) error {
	agent := cmd.Flags().Changed("agent")
	switch {
	case agent && len(args) > 0, len(args) > 1:
		return ui.UsageError("create one adapter at a time", "give one NAME, or --agent NAME: unexpected %q", args[len(args)-1])
	case !agent && len(args) == 0:
		return ui.UsageError("for a program with a prompt: ripple adapter new NAME; for a coding agent: ripple adapter new --agent NAME", "NAME is missing")
	}
	name := cmd.Flag("agent").Value.String()
	if !agent {
		name = args[0]
	}
	if err := schema.CheckName(name); err != nil {
		return ui.UsageError("", "%w", err)
	}
	foreign := []string{"family", "prompt", "probe", "with"}
	if !agent {
		foreign = []string{"args", "prompt-mode", "prompt-flag", "output"}
	}
	for _, name := range foreign {
		if cmd.Flags().Changed(name) && agent {
			return ui.UsageError("", "--%s cannot be used with --agent", name)
		} else if cmd.Flags().Changed(name) {
			return ui.UsageError("", "--%s needs --agent", name)
		}
	}
	return nil
}

// choose checks the flags' values and derives further values from them.
func (n *agentDraft) choose(words []string, mode, output string) error {
	switch {
	case mode != "arg" && mode != "stdin":
		return ui.UsageError("", "--prompt-mode must be arg or stdin, not %q", mode)
	case output != "text" && output != "ndjson":
		return ui.UsageError("", "--output must be text or ndjson, not %q", output)
	case mode == "stdin" && n.Flag != "":
		return ui.UsageError("put an argument that selects standard input, such as -, into --args", "--prompt-flag needs prompts that are arguments")
	}
	n.Stdin, n.NDJSON = mode == "stdin", output == "ndjson"
	n.Command, n.File = cmp.Or(n.Command, n.Name), cmp.Or(n.File, defaultFile(n.Name))
	n.Args = []string{}
	for _, text := range words {
		split, err := schema.SplitCommand(text)
		if err != nil {
			return ui.UsageError("quotes group words: --args '--mode \"very careful\"'", "--args %q: %w", text, err)
		}
		for _, w := range split {
			n.Args = append(n.Args, plainWord(w))
		}
	}
	return nil
}

// plainWord escapes a word for a command template, so that it contains no placeholder.
func plainWord(w schema.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		b.WriteString(p.Text)
		if p.Placeholder != "" {
			b.WriteString("{" + p.Placeholder + "}")
		}
	}
	return b.String()
}

// render fills the template. A value that is invalid in an adapter is a usage error.
func (n agentDraft) render() ([]byte, error) {
	on := map[bool]string{true: "on"}
	return renderDraft(agentTemplate, map[string]string{
		"name": n.Name, "named": n.Named(), "ext": n.Ext(), "description": ui.MustQuoteJSON(n.Name + ", a coding agent"),
		"name.json": ui.MustQuoteJSON(n.Name), "command.json": ui.MustQuoteJSON(n.Command),
		"args.json": ui.MustQuoteJSON(n.Args), "bare.json": ui.MustQuoteJSON(n.Bare()),
		"stdin": on[n.Stdin], "ndjson": on[n.NDJSON], "flag": n.Flag, "flag.json": ui.MustQuoteJSON(n.Flag),
		"argv.hi":      ui.MustQuoteJSON(n.Argv("say hi")),
		"argv.dash":    ui.MustQuoteJSON(n.Argv("- write the tests")),
		"argv.context": ui.MustQuoteJSON(n.Argv("you are careful\n\ngo on")),
	}, n.File)
}

// writeDraft writes a new adapter to file, or to standard output if file is "-".
func (a *app) writeDraft(draft interface{ render() ([]byte, error) }, file string) error {
	text, err := draft.render()
	if err != nil {
		return err
	}
	if file == "-" {
		a.Printf("%s", text)
		return nil
	}
	if err := writeNew(file, text); err != nil {
		return err
	}
	a.Printf("%s\n", file)
	_, _ = fmt.Fprintf(a.Err, "next: fill it in, then\n  ripple adapter lint --strict %s\n  ripple adapter test %s\n%s", file, file, byName(file)) // only a hint
	return nil
}

// writeNew creates a file, whole or not at all; it never changes an existing one.
func writeNew(path string, text []byte) error {
	err := ui.CreateFile(path, text, 0o666)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return ui.UsageError("to write another file: -o FILE", "%s already exists", path)
	}
	return notHere(path, err)
}

// notHere returns the error for a file that is not created.
func notHere(path string, err error) error {
	if outside, is := errors.AsType[*ui.OutsideError](err); is {
		return ui.UsageError("to write to that place: -o "+quote.Shell(filepath.Join(outside.Target, filepath.Base(path))), "%w", err)
	}
	return ui.FailWith(ui.ExitFailed, err, "")
}
