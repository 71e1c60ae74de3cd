package mcpcmd

import (
	"embed"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/console/place"
)

// clients are templates, filled with a setup, that configure each AI client for a server: a line
// with the file that the text belongs to, or "run:", and then the text.
//
//go:embed clients
var clients embed.FS

// setup are the values for the templates.
type setup struct {
	Ripple      string            // path of this program
	Env         map[string]string // variables that locate consoles and that a client may not pass on
	Version     string            // three numbers, as packages require
	Description string

	Binary, Platform  string // of a bundle: the program's name in it, and its platform
	Name, URL, SHA256 string // of a published bundle
}

// description is within the registry's limit (100 characters).
const description = "Live consoles for AI clients: shells, REPLs and debuggers that keep running, shared with users"

func newSetup(a *ui.App, version string) (setup, error) {
	self, err := os.Executable()
	if err != nil {
		return setup{}, ui.FailWith(ui.ExitFailed, err, "")
	}
	return setup{Ripple: self, Env: place.Variables(a.Getenv), Version: plainVersion(version), Description: description}, nil
}

// fill fills a template, quoting values for JSON, TOML and shells.
func (s setup) fill(text string) ([]byte, error) {
	values := map[string]string{
		"ripple": s.Ripple, "description": s.Description,
		"ripple.shell": quote.Shell(s.Ripple), "binary.bundled": ui.MustQuoteJSON("${__dirname}/" + s.Binary),
		"env": "", "env.json": ui.MustQuoteJSON(s.Env), "env.shell": "", "env.toml": "",
	}
	for name, value := range map[string]string{
		"ripple": s.Ripple, "version": s.Version, "description": s.Description, "binary": s.Binary,
		"platform": s.Platform, "name": s.Name, "url": s.URL, "sha256": s.SHA256,
	} {
		values[name+".json"] = ui.MustQuoteJSON(value)
	}
	var assignments []string
	for _, name := range ui.SortedKeys(s.Env) {
		values["env"] = "some"
		values["env.shell"] += " -e " + quote.Shell(name+"="+s.Env[name])
		assignments = append(assignments, name+" = "+ui.MustQuoteJSON(s.Env[name]))
	}
	values["env.toml"] = strings.Join(assignments, ", ")
	filled, err := ui.Fill(text, values)
	if err != nil {
		return nil, ui.FailWith(ui.ExitFailed, err, "")
	}
	return []byte(filled), nil
}

// clientNames returns the clients whose configuration is known.
func clientNames() []string {
	entries, err := clients.ReadDir("clients")
	if err != nil {
		panic(err) // the templates are embedded
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".txt")
	}
	return names
}

func newConfig(a *ui.App, version string) *cobra.Command {
	names, kinds := clientNames(), packageNames()
	var p packaging
	var write, yes bool
	cmd := &cobra.Command{
		Use:   "config CLIENT",
		Short: "Print or write an AI client's configuration for this server",
		Long: `Print the configuration of an AI client for this server: the lines for its configuration on
standard output, and the path of its file on standard error. The clients are
` + strings.Join(names, ", ") + `.

With --write the lines are added to that file, after showing the change and asking. The rest of
the file is unchanged, and a copy of the old file is kept next to it. A JSON file that contains
comments is not changed.

CLIENT can also be a package (-o: its path):

  claude-plugin     a directory
  gemini-extension  a directory
  mcpb              a bundle that contains this program
  registry          the server.json of a bundle that is published at --url; it is printed. --name is a
                    reversed domain name, a slash and a word: org.example/ripple

XDG_RUNTIME_DIR and XDG_STATE_HOME, which locate the consoles, are included if they are
set to other values than the default: some clients do not pass them on.`,
		Example: `  ripple mcp config codex --write
  ripple mcp config mcpb -o ripple.mcpb
  ripple mcp config registry --name org.example/ripple --bundle ripple.mcpb --url https://example.org/ripple.mcpb`,
		ValidArgs: append(slices.Clone(names), kinds...),
		Args: func(cmd *cobra.Command, args []string) error {
			known := append(slices.Clone(names), kinds...)
			if len(args) != 1 {
				return ui.UsageError("ripple mcp config CLIENT: "+strings.Join(known, ", "), "no client given")
			}
			if !slices.Contains(known, args[0]) {
				return ui.UsageError(ui.DidYouMean(ui.NearNames(args[0], known), "known clients: "+strings.Join(known, ", ")), "unknown client %q", args[0])
			}
			switch {
			case write && slices.Contains(kinds, args[0]):
				return ui.UsageError("", "--write applies to a client's file; %s is a package", args[0])
			case yes && !write:
				return ui.UsageError("", "--yes needs --write")
			}
			return p.check(args[0])
		},
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := newSetup(a, version)
			if err != nil {
				return err
			}
			if slices.Contains(kinds, args[0]) {
				return p.write(a, args[0], s)
			}
			return tellClient(a, args[0], s, write, yes)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&write, "write", false, "add the lines to the client's file, after asking")
	flags.BoolVar(&yes, "yes", false, "with --write: do not ask")
	flags.StringVarP(&p.out, "output", "o", "", "write the package to this new `PATH`")
	flags.StringVar(&p.name, "name", "", "registry: the server's `NAME`, like org.example/ripple")
	flags.StringVar(&p.url, "url", "", "registry: `URL` at which the bundle is published")
	flags.StringVar(&p.bundle, "bundle", "", "registry: the bundle's `FILE`")
	return cmd
}

// tellClient prints the lines for a client, or writes them.
func tellClient(a *ui.App, name string, s setup, write, yes bool) error {
	text, err := clients.ReadFile("clients/" + name + ".txt")
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	first, lines, _ := strings.Cut(string(text), "\n")
	filled, err := s.fill(lines)
	if err != nil {
		return err
	}
	where := placeOf(first)
	switch {
	case write:
		return writeClient(a, name, where, filled, yes)
	case where.command:
		a.Note("run:")
	default:
		a.Note("for %s:", where.words)
	}
	a.Printf("%s", filled)
	return nil
}
