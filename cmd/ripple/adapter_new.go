package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

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
func (n agentDraft) Named() string {
	if n.File == "-" {
		return n.Name + ".yaml"
	}
	return n.File
}

// Ext is the usual extension of recorded output.
func (n agentDraft) Ext() string {
	if n.NDJSON {
		return "ndjson"
	}
	return "txt"
}

func newAdapterNew(a *app) *cobra.Command {
	n := agentDraft{}
	var words []string
	var mode, output string
	cmd := &cobra.Command{
		Use:   "new --agent NAME [flags]",
		Short: "Write an adapter of a coding agent to start from",
		Long: `Write the adapter of a coding agent of your own, with comments that say what else it
can declare. What is written is complete: it passes "ripple adapter lint --strict"
and its contract tests. A file that exists is left alone.`,
		Example: "  ripple adapter new --agent corp-ai --args '--headless --json' --prompt-flag --prompt --output ndjson\n" +
			"  ripple adapter new --agent codellama --command ollama --args 'run codellama' --prompt-mode stdin",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n.Name == "" {
				return usageError(`adapters of other families begin as a copy of the closest one: "ripple adapter list" shows them`, "--agent NAME is missing")
			}
			if err := n.choose(words, mode, output); err != nil {
				return err
			}
			return a.writeAgent(n)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&n.Name, "agent", "", "the adapter's name")
	cmd.Flags().StringVar(&n.Command, "command", "", "its program: a name to look for in PATH, or a path (default: the name)")
	cmd.Flags().StringArrayVar(&words, "args", nil, "arguments of every turn, before the prompt; quotes group, repeat it for more")
	cmd.Flags().StringVar(&mode, "prompt-mode", "arg", "how the prompt gets there: arg, stdin")
	cmd.Flags().StringVar(&n.Flag, "prompt-flag", "", "argument before the prompt, such as --prompt or --")
	cmd.Flags().StringVar(&output, "output", "text", "what it prints: text, ndjson")
	cmd.Flags().StringVarP(&n.File, "file", "o", "", "where to write it; - is standard output (default: .ripple/adapters/NAME.yaml)")
	return cmd
}

// choose checks the flags' values and fills in what follows from them.
func (n *agentDraft) choose(words []string, mode, output string) error {
	switch {
	case mode != "arg" && mode != "stdin":
		return usageError("", "--prompt-mode takes arg or stdin, and got %q", mode)
	case output != "text" && output != "ndjson":
		return usageError("", "--output takes text or ndjson, and got %q", output)
	case mode == "stdin" && n.Flag != "":
		return usageError("what announces standard input, such as -, goes into --args", "--prompt-flag is for prompts that are an argument")
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
			return usageError("quotes group: --args '--mode \"very careful\"'", "--args %q: %w", text, err)
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
	t, err := template.New("agent").Funcs(template.FuncMap{"json": inYAML}).Parse(agentTemplate)
	if err != nil {
		return nil, failWith(exitFailed, err, "")
	}
	var b bytes.Buffer
	if err := t.Execute(&b, n); err != nil {
		return nil, failWith(exitFailed, err, "")
	}
	for _, d := range schema.Lint(n.File, b.Bytes(), schema.Options{}) {
		if d.Severity == schema.SeverityError {
			return nil, usageError("nothing was written", "%s", d.Message)
		}
	}
	return b.Bytes(), nil
}

// inYAML writes a value as JSON, which YAML reads too.
func inYAML(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func (a *app) writeAgent(n agentDraft) error {
	text, err := n.render()
	if err != nil {
		return err
	}
	if n.File == "-" {
		a.printf("%s", text)
		return nil
	}
	if err := writeNew(n.File, text); err != nil {
		return err
	}
	a.printf("%s\n", n.File)
	_, _ = fmt.Fprintf(a.err, "next: fill it in, then\n  ripple adapter lint --strict %s\n  ripple adapter test %s\n", n.File, n.File) // a hint: nothing depends on it
	return nil
}

// writeNew creates a file whole; one that is there is never touched.
func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return failWith(exitFailed, err, "")
	}
	err := create(path, text)
	if errors.Is(err, fs.ErrExist) {
		return usageError("-o names another file", "%s exists and is left alone", path)
	}
	if err != nil {
		return failWith(exitFailed, err, "")
	}
	return nil
}

// create writes a file that is not there, whole or not at all. fs.ErrExist: it is.
func create(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
