package mcpcmd

import (
	"embed"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/console/place"
)

// clients is what tells each AI client of a server, as templates over a setup: a line
// with the file that it belongs to, or "run:", and then the text.
//
//go:embed clients
var clients embed.FS

// setup is what the templates are filled with.
type setup struct {
	Ripple      string            // path of this program
	Env         map[string]string // what a client may not pass on, and consoles are found by
	Version     string            // as packages have it: three numbers
	Description string

	Binary, Platform  string // of a bundle: the program's name in it, and what it runs on
	Name, URL, SHA256 string // of a bundle that is published
}

// description is short enough for the registry (100 characters).
const description = "Live consoles for AI clients: shells, REPLs and debuggers that stay, shared with people"

func newSetup(a *ui.App, version string) (setup, error) {
	self, err := os.Executable()
	if err != nil {
		return setup{}, ui.FailWith(ui.ExitFailed, err, "")
	}
	return setup{Ripple: self, Env: place.Variables(a.Getenv), Version: plainVersion(version), Description: description}, nil
}

// fill is a template with its values, in the quotes that JSON, TOML and shells have.
func (s setup) fill(text string) ([]byte, error) {
	values := map[string]string{
		"ripple": s.Ripple, "description": s.Description,
		"ripple.shell": ui.ShellQuote(s.Ripple), "binary.bundled": ui.MustQuoteJSON("${__dirname}/" + s.Binary),
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
		values["env.shell"] += " -e " + ui.ShellQuote(name+"="+s.Env[name])
		assignments = append(assignments, name+" = "+ui.MustQuoteJSON(s.Env[name]))
	}
	values["env.toml"] = strings.Join(assignments, ", ")
	filled, err := ui.Fill(text, values)
	if err != nil {
		return nil, ui.FailWith(ui.ExitFailed, err, "")
	}
	return []byte(filled), nil
}

// clientNames are those whose configuration is known.
func clientNames() []string {
	entries, err := clients.ReadDir("clients")
	if err != nil {
		panic(err) // it is a part of the binary
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
	cmd := &cobra.Command{
		Use:   "config CLIENT",
		Short: "Print or write what tells an AI client of this server",
		Long: `Print what tells an AI client of this server: the lines for its configuration on standard
output, and the file that they belong to on standard error. The clients are
` + strings.Join(names, ", ") + `.

Or write a package: claude-plugin and gemini-extension, a directory; mcpb, a bundle that
holds this program; registry, the server.json of a bundle that is published at --url.

XDG_RUNTIME_DIR and XDG_STATE_HOME, by which consoles are found, are written down too
where they are set to something of their own: some clients do not pass them on.`,
		Example: `  ripple mcp config codex >>~/.codex/config.toml
  ripple mcp config mcpb -o ripple.mcpb
  ripple mcp config registry --name org.example/ripple --bundle ripple.mcpb --url https://example.org/ripple.mcpb`,
		ValidArgs: append(slices.Clone(names), kinds...),
		Args: func(cmd *cobra.Command, args []string) error {
			known := append(slices.Clone(names), kinds...)
			if len(args) != 1 {
				return ui.UsageError("ripple mcp config CLIENT: "+strings.Join(known, ", "), "which client?")
			}
			if !slices.Contains(known, args[0]) {
				return ui.UsageError(ui.DidYouMean(ui.NearNames(args[0], known), "these are known: "+strings.Join(known, ", ")), "no client is called %q", args[0])
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
			return printClient(a, args[0], s)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&p.out, "output", "o", "", "write the package to this `PATH`, where nothing is yet")
	flags.StringVar(&p.name, "name", "", "registry: the server's `NAME`, a domain turned round and a word, like org.example/ripple")
	flags.StringVar(&p.url, "url", "", "registry: the `URL` that the bundle is published at")
	flags.StringVar(&p.bundle, "bundle", "", "registry: the bundle's `FILE`")
	return cmd
}

func printClient(a *ui.App, name string, s setup) error {
	text, err := clients.ReadFile("clients/" + name + ".txt")
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	where, lines, _ := strings.Cut(string(text), "\n")
	filled, err := s.fill(lines)
	if err != nil {
		return err
	}
	if where == "run:" {
		a.Note("run:")
	} else {
		a.Note("for %s:", where)
	}
	a.Printf("%s", filled)
	return nil
}
