package adaptercmd

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

func newAdapterList(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the adapters and where their programs are",
		Args:  ui.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			debug.SetGCPercent(400) // a third of the CPU time was collection, and the process ends after this
			r, err := a.Registry()
			if err != nil {
				return err
			}
			a.notices(r)
			var list []listed
			for _, e := range r.List() {
				list = append(list, newListed(e))
			}
			if !asJSON {
				return a.printList(list)
			}
			return a.PrintJSON(list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// listed is an adapter in the form that --json prints.
type listed struct {
	Name        string       `json:"name"`
	Aliases     []string     `json:"aliases"`
	Family      string       `json:"family"`
	Version     string       `json:"version"`
	Description string       `json:"description"`
	Origin      string       `json:"origin"`
	File        string       `json:"file"`
	Executable  string       `json:"executable"` // empty: not found
	Install     *installView `json:"install"`
	Server      *installView `json:"server,omitempty"`     // server that its tests start
	Unverified  string       `json:"unverified,omitempty"` // reason why the adapter was never run with its program

	installLine string
}

type installView struct {
	Debian []string      `json:"debian,omitempty"`
	PyPI   []string      `json:"pypi,omitempty"`
	NPM    []string      `json:"npm,omitempty"`
	Go     []string      `json:"go,omitempty"`
	Crates []string      `json:"crates,omitempty"`
	Maven  *schema.Maven `json:"maven,omitempty"`
	Hint   string        `json:"hint,omitempty"`
	URL    string        `json:"url,omitempty"`
}

func newListed(e *registry.Entry) listed {
	ad := e.Adapter
	l := listed{
		Name: e.Name, Aliases: append([]string{}, e.Aliases...), Family: string(ad.Family), Version: ad.Version,
		Description: ad.Description, Origin: e.Origin, File: e.Path, Install: newInstallView(ad.Process.Install), Unverified: ad.Unverified,
		installLine: launch.InstallLine(ad.Process.Install),
	}
	if needs := ad.Ready.Needs; needs != nil && needs.Server != nil && len(needs.Server.Debian) > 0 {
		l.Server = &installView{Debian: needs.Server.Debian}
	}
	if path, err := launch.Locate(ad, launch.OSHost(), ""); err == nil {
		l.Executable = path
	}
	return l
}

func newInstallView(i *schema.Install) *installView {
	if i == nil {
		return nil
	}
	return &installView{i.Debian, i.PyPI, i.NPM, i.Go, i.Crates, i.Maven, i.Hint, i.URL}
}

func (a *app) printList(list []listed) error {
	return a.PrintTable(func(w io.Writer) {
		fmt.Fprintln(w, "NAME\tFAMILY\tVERSION\tFROM\tPROGRAM")
		for _, l := range list {
			program := l.Executable
			if program == "" {
				program = strings.TrimSuffix("not found: "+l.installLine, ": ")
			}
			if l.Unverified != "" {
				program += " (adapter not verified: " + l.Unverified + ")"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", l.Name, l.Family, l.Version, l.Origin, program)
		}
	})
}

// notices reports shadowed names and broken files.
func (a *app) notices(r *registry.Registry) {
	for _, n := range r.Notices() {
		a.Note("%s", n.Message)
		for _, d := range n.Diagnostics {
			fmt.Fprintln(a.Err, ui.Indent(ui.Harmless(d.String())))
		}
	}
}
