package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"ripple/runtime/contract"
	"ripple/runtime/launch"
	"ripple/runtime/registry"
	"ripple/schema"
)

func newDoctor(a *app) *cobra.Command {
	var name string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [--adapter NAME]",
		Short: "Say which coding agents can be used here, and what to do about the others",
		Long: `Look for the coding agents, compare their versions with what their adapters need,
and ask whether somebody is logged in, where an agent can tell. They stand in the
order in which ripple chooses one by itself.

The exit code is 3 when no agent can be used or, with --adapter, when that program
cannot: it is missing, too old, or nobody is logged in.`,
		Example: "  ripple doctor\n  ripple doctor --adapter claude --json",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), name, asJSON) },
	}
	cmd.Flags().StringVar(&name, "adapter", "", "look at this adapter only (`NAME` or file)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// Logins as the doctor reports them.
const (
	loggedIn     = "yes"
	loggedOut    = "no"
	loginUnknown = "unknown" // the agent has no way to tell
)

// diagnosis is what the doctor found about one program.
type diagnosis struct {
	Name       string   `json:"name"`
	Family     string   `json:"family"`
	Priority   int      `json:"priority,omitempty"` // place in auto-detection; 0: never chosen
	Executable string   `json:"executable,omitempty"`
	Version    string   `json:"version,omitempty"`
	MinVersion string   `json:"min_version,omitempty"`
	Login      string   `json:"login,omitempty"` // yes, no, unknown
	Usable     bool     `json:"usable"`
	Todo       []string `json:"todo,omitempty"`
	Unverified string   `json:"unverified,omitempty"`
}

func (a *app) doctor(ctx context.Context, name string, asJSON bool) error {
	list, err := a.patients(name)
	if err != nil {
		return err
	}
	found := make([]diagnosis, len(list))
	usable := 0
	for i, e := range list {
		found[i] = diagnose(ctx, e, a.getenv)
		if found[i].Usable {
			usable++
		}
	}
	if asJSON {
		err = a.printJSON(found)
	} else {
		err = a.printDiagnoses(found)
	}
	if err == nil && usable == 0 {
		err = exitWith(exitMissing)
	}
	return err
}

func (a *app) patients(name string) ([]*registry.Entry, error) {
	if name == "" {
		return a.agents()
	}
	e, err := a.adapter(name)
	return []*registry.Entry{e}, err
}

// diagnose looks at a program, and at who is logged in.
func diagnose(ctx context.Context, e *registry.Entry, getenv func(string) string) diagnosis {
	d := examine(ctx, e)
	if g := e.Adapter.Agent; g != nil && d.Executable != "" {
		d.Login = login(ctx, g, d.Executable, getenv)
		if d.Login == loggedOut {
			d.Usable = false
			d.Todo = append(d.Todo, "log in: "+cmp.Or(g.Auth.Hint, "set "+strings.Join(g.Auth.Env, " or ")))
		}
	}
	return d
}

// examine looks at a program alone: ripple chooses an agent by it.
func examine(ctx context.Context, e *registry.Entry) diagnosis {
	l := newListed(e)
	d := diagnosis{Name: e.Name, Family: l.Family, Executable: l.Executable, Unverified: l.Unverified}
	g := e.Adapter.Agent
	if g != nil {
		d.Priority, d.MinVersion = g.AutoDetect.Priority, g.MinVersion
	}
	if d.Executable == "" {
		d.Todo = append(d.Todo, "install it: "+cmp.Or(l.Install.linked(), "how is not known"))
		return d
	}
	d.Version = contract.Version(ctx, e.Adapter, d.Executable, "", os.Environ())
	d.Usable = true
	if g != nil && d.Version == "" && e.Adapter.Process.VersionProbe != nil {
		d.Usable = false
		d.Todo = append(d.Todo, fmt.Sprintf("repair it: %s does not tell its version; %s", d.Executable, l.Install.linked()))
	}
	if older(d.Version, d.MinVersion) {
		d.Usable = false
		d.Todo = append(d.Todo, fmt.Sprintf("update it: %s is older than %s, which the adapter needs; %s", d.Version, d.MinVersion, l.Install.linked()))
	}
	return d
}

// ready says before the first turn what every turn would fail of: the program is
// missing or too old, or nobody is logged in. A version that is not told is none.
func (a *app) ready(ctx context.Context, e *registry.Entry) error {
	d := diagnose(ctx, e, a.getenv)
	todo := strings.Join(d.Todo, "\n")
	switch {
	case d.Executable == "":
		_, err := launch.Locate(e.Adapter, launch.OSHost(), "")
		return failWith(exitMissing, err, "or choose another agent with --adapter: ripple doctor lists them")
	case older(d.Version, d.MinVersion):
		return failWith(exitMissing, fmt.Errorf("%s is too old", e.Adapter.Agent.DisplayName), todo)
	case d.Login == loggedOut:
		return failWith(exitBlocked, fmt.Errorf("nobody is logged in to %s", e.Adapter.Agent.DisplayName), todo)
	}
	return nil
}

// older compares versions number by number; what is not known is not older.
func older(version, least string) bool {
	v, l := "v"+version, "v"+least
	return semver.IsValid(v) && semver.IsValid(l) && semver.Compare(v, l) < 0
}

// statusLimit is how long an agent may take to say who is logged in.
const statusLimit = 20 * time.Second

// login is a variable that stands for one, else what the agent says.
func login(ctx context.Context, g *schema.Agent, path string, getenv func(string) string) string {
	for _, name := range g.Auth.Env {
		if getenv(name) != "" {
			return loggedIn
		}
	}
	if g.Auth.Status == nil {
		return loginUnknown
	}
	ctx, cancel := context.WithTimeout(ctx, statusLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, g.Auth.Status.Args...)
	cmd.WaitDelay = time.Second // a child may keep the pipe open
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it has answered
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return loginUnknown
	}
	if g.Auth.Status.LoggedOut == "" {
		return map[bool]string{true: loggedIn, false: loggedOut}[err == nil]
	}
	re, compileErr := schema.CompilePattern(g.Auth.Status.LoggedOut)
	if compileErr != nil {
		return loginUnknown // the loader refuses it
	}
	if says, _ := re.MatchString(string(out)); says {
		return loggedOut
	}
	return loggedIn
}

func (a *app) printDiagnoses(list []diagnosis) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tUSABLE\tVERSION\tNEEDS\tLOGIN\tPROGRAM")
	for _, d := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", d.Name, yesNo(d.Usable), dash(d.Version), dash(d.MinVersion), dash(d.Login), dash(d.Executable))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, d := range list {
		if len(d.Todo) > 0 {
			a.printf("\n%s:\n%s\n", d.Name, indent(strings.Join(d.Todo, "\n")))
		}
	}
	return nil
}

func dash(s string) string { return cmp.Or(s, "-") }
