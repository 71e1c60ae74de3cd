package adaptercmd

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/schema"
)

// agentTemplate is the adapter of an agent that nobody has described yet.
//
//go:embed agent.yaml.tmpl
var agentTemplate string

// agentDraft is what the template knows about the agent.
type agentDraft struct {
	Name, Command string
	Args          []string
	Stdin         bool   // the prompt goes by standard input
	Flag          string // before a prompt that is an argument
	NDJSON        bool
	File          string // where the adapter goes
}

// Bare is the command line without a prompt, the program by its name as tests have it.
func (n agentDraft) Bare() []string { return append([]string{filepath.Base(n.Command)}, n.Args...) }

// Argv is the command line of a prompt.
func (n agentDraft) Argv(prompt string) []string {
	argv := n.Bare()
	if n.Stdin {
		return argv
	}
	if n.Flag != "" {
		argv = append(argv, n.Flag)
	}
	return append(argv, prompt)
}

// Named is how the file is called in its comments.
func (n agentDraft) Named() string { return fileNamed(n.Name, n.File) }

func fileNamed(name, file string) string {
	if file == "-" {
		return name + ".yaml"
	}
	return file
}

// Ext is the usual extension of recorded output.
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
		Short: "Write an adapter to start from",
		Long: `Write an adapter with comments that say what else it can declare: of the program NAME
that has a prompt, or of a coding agent. That of an agent is complete: it passes
"ripple adapter lint --strict" and its contract tests. That of a program runs when
--prompt is what it shows; docs/writing-an-adapter.md goes on from there. A file that
exists is left alone. --family says what the program is: a shell runs other programs,
a repl (the default) evaluates a language, a debugger steps through a program.

With --probe the adapter is learnt by experiment: the program is started, and what it
does with this and that says what its prompt is, which language it speaks, how it is
interrupted and ended. Each key has a comment with its evidence, all transcripts stand in
a file beside it, and the contract tests say how far it can be relied on.

--with has a coding agent go on where they do not all pass, or many do not apply: turn after
turn, in a directory of its own with the adapter, the evidence and the schema. After each
turn the tests are run, and a version that is better replaces the file; one that is worse,
or that has less to pass, never does. All tests pass and --level is reached: exit code 0;
else it is that of "ripple run". Without --probe the agent goes on with the file that is there.`,
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
	cmd.Flags().StringVar(&n.Name, "agent", "", "the name of a coding agent's adapter")
	cmd.Flags().StringVar(&program.Family, "family", string(schema.FamilyREPL), "what a program NAME is: shell, repl, debugger")
	cmd.Flags().StringVar(&program.Prompt, "prompt", "> ", "the prompt of a program NAME as it shows it, to the last blank")
	cmd.Flags().StringVar(&command, "probe", "", "learn the adapter of a program NAME by experiment: its `COMMAND` line; quotes group")
	cmd.Flags().StringVar(&n.Command, "command", "", "its program: a name to look for in PATH, or a path (default: the name)")
	cmd.Flags().StringArrayVar(&words, "args", nil, "arguments of every turn, before the prompt; quotes group, repeat it for more")
	cmd.Flags().StringVar(&mode, "prompt-mode", "arg", "how the prompt gets there: arg, stdin")
	cmd.Flags().StringVar(&n.Flag, "prompt-flag", "", "argument before the prompt, such as --prompt or --")
	cmd.Flags().StringVar(&output, "output", "text", "what it prints: text, ndjson")
	ui.Choices(cmd, "family", string(schema.FamilyShell), string(schema.FamilyREPL), string(schema.FamilyDebugger))
	ui.Choices(cmd, "prompt-mode", "arg", "stdin")
	ui.Choices(cmd, "output", "text", "ndjson")
	with.addTo(a, cmd)
	cmd.Flags().StringVarP(&n.File, "file", "o", "", "where to write it; - is standard output (default: .ripple/adapters/NAME.yaml)")
	return cmd
}

// newArgs: a program or an agent, and the flags of the one that it is.
func newArgs(cmd *cobra.Command, args []string) error {
	agent := cmd.Flags().Changed("agent")
	switch {
	case agent && len(args) > 0, len(args) > 1:
		return ui.UsageError("write one adapter after the other", "one NAME, or --agent NAME: %q is too much", args[len(args)-1])
	case !agent && len(args) == 0:
		return ui.UsageError("ripple adapter new NAME for a program with a prompt, ripple adapter new --agent NAME for a coding agent", "NAME is missing")
	}
	foreign := []string{"family", "prompt", "probe", "with"}
	if !agent {
		foreign = []string{"args", "prompt-mode", "prompt-flag", "output"}
	}
	for _, name := range foreign {
		if cmd.Flags().Changed(name) && agent {
			return ui.UsageError("", "--%s is for a program with a prompt, not for an agent", name)
		} else if cmd.Flags().Changed(name) {
			return ui.UsageError("", "--%s is for --agent", name)
		}
	}
	return nil
}

// choose checks the flags' values and fills in what follows from them.
func (n *agentDraft) choose(words []string, mode, output string) error {
	switch {
	case mode != "arg" && mode != "stdin":
		return ui.UsageError("", "--prompt-mode takes arg or stdin, and got %q", mode)
	case output != "text" && output != "ndjson":
		return ui.UsageError("", "--output takes text or ndjson, and got %q", output)
	case mode == "stdin" && n.Flag != "":
		return ui.UsageError("what announces standard input, such as -, goes into --args", "--prompt-flag is for prompts that are an argument")
	}
	n.Stdin, n.NDJSON = mode == "stdin", output == "ndjson"
	if n.Command == "" {
		n.Command = n.Name
	}
	if n.File == "" {
		n.File = filepath.Join(".ripple", "adapters", n.Name+".yaml")
	}
	n.Args = []string{}
	for _, text := range words {
		split, err := schema.SplitCommand(text)
		if err != nil {
			return ui.UsageError("quotes group: --args '--mode \"very careful\"'", "--args %q: %w", text, err)
		}
		for _, w := range split {
			n.Args = append(n.Args, plainWord(w))
		}
	}
	return nil
}

// plainWord is a word of a command template as it was written: here a
// placeholder means nothing.
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

// render fills the template. A value that no adapter can have is a usage error.
func (n agentDraft) render() ([]byte, error) {
	on := map[bool]string{true: "on"}
	return renderDraft(agentTemplate, map[string]string{
		"name": n.Name, "named": n.Named(), "ext": n.Ext(), "description": ui.MustQuoteJSON(n.Name + ", a coding agent of our own"),
		"name.json": ui.MustQuoteJSON(n.Name), "command.json": ui.MustQuoteJSON(n.Command),
		"args.json": ui.MustQuoteJSON(n.Args), "bare.json": ui.MustQuoteJSON(n.Bare()),
		"stdin": on[n.Stdin], "ndjson": on[n.NDJSON], "flag": n.Flag, "flag.json": ui.MustQuoteJSON(n.Flag),
		"argv.hi":      ui.MustQuoteJSON(n.Argv("say hi")),
		"argv.dash":    ui.MustQuoteJSON(n.Argv("- write the tests")),
		"argv.context": ui.MustQuoteJSON(n.Argv("you are careful\n\ngo on")),
	}, n.File)
}

// writeDraft writes a new adapter, to standard output where file is "-".
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
	_, _ = fmt.Fprintf(a.Err, "next: fill it in, then\n  ripple adapter lint --strict %s\n  ripple adapter test %s\n", file, file) // a hint: nothing depends on it
	return nil
}

// writeNew creates a file whole; one that is there is never touched.
func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	err := ui.CreateFile(path, text)
	if errors.Is(err, fs.ErrExist) {
		return ui.UsageError("-o names another file", "%s exists and is left alone", path)
	}
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return nil
}
