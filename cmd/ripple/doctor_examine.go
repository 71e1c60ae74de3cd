package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/agent"
	"ripple/runtime/contract"
	"ripple/runtime/launch"
	"ripple/runtime/registry"
	"ripple/schema"
)

// diagnose looks at a program as it will be started, and at who is logged in.
func (a *app) diagnose(ctx context.Context, e *registry.Entry, o agent.Options) diagnosis {
	d := a.examine(ctx, e, o)
	if g := e.Adapter.Agent; g != nil && d.Executable != "" {
		d.Login = login(ctx, g, d.Executable, o)
		if d.Login == loggedOut {
			d.Usable = false
			d.Todo = append(d.Todo, "log in: "+cmp.Or(g.Auth.Hint, "set "+strings.Join(g.Auth.Env, " or ")))
		}
	}
	return d
}

// examine looks at a program alone: ripple chooses an agent by it.
func (a *app) examine(ctx context.Context, e *registry.Entry, o agent.Options) diagnosis {
	l := newListed(e)
	if o.Executable != "" {
		l.Executable, _ = launch.Locate(e.Adapter, launch.OSHost(), o.Executable) // empty: it is not there
	}
	d := diagnosis{Name: e.Name, Family: l.Family, Executable: l.Executable, Unverified: l.Unverified}
	g := e.Adapter.Agent
	if g != nil {
		d.Priority, d.MinVersion = g.AutoDetect.Priority, g.MinVersion
	}
	if d.Executable == "" {
		d.Todo = append(d.Todo, "install it: "+cmp.Or(l.Install.linked(), "how is not known"))
		return d
	}
	d.Version = a.versionOf(ctx, e, d.Executable, o)
	d.Usable = true
	if g != nil && d.Version == "" && e.Adapter.Process.VersionProbe != nil {
		d.Usable = false
		d.Todo = append(d.Todo, also(fmt.Sprintf("repair it: %s does not tell its version", d.Executable), l.Install.linked()))
	}
	if older(d.Version, d.MinVersion) {
		d.Usable = false
		d.Todo = append(d.Todo, also(fmt.Sprintf("update it: %s is older than %s, which the adapter needs", d.Version, d.MinVersion), l.Install.linked()))
	}
	return d
}

// also is a sentence with what is known besides.
func also(what, more string) string { return strings.TrimSuffix(what+"; "+more, "; ") }

// versionOf asks a program once: what chooses an agent asks before what starts it.
func (a *app) versionOf(ctx context.Context, e *registry.Entry, path string, o agent.Options) string {
	version, asked := a.versions[path]
	if !asked {
		version = contract.Version(ctx, e.Adapter, path, o.Dir, environment(o))
		if a.versions == nil {
			a.versions = map[string]string{}
		}
		a.versions[path] = version
	}
	return version
}

// environment is what a turn's program gets from the caller.
func environment(o agent.Options) []string { return append(os.Environ(), o.Env...) }

// ready says before the first turn what every turn would fail of: the program is
// missing or too old, or nobody is logged in. A version that is not told is none.
func (a *app) ready(ctx context.Context, e *registry.Entry, o agent.Options) error {
	d := a.diagnose(ctx, e, o)
	if ctx.Err() != nil {
		return ui.ExitWith(ui.ExitInterrupted)
	}
	todo := strings.Join(d.Todo, "\n")
	switch {
	case d.Executable == "":
		_, err := launch.Locate(e.Adapter, launch.OSHost(), o.Executable)
		return ui.FailWith(ui.ExitMissing, err, "or choose another agent: ripple doctor lists them")
	case older(d.Version, d.MinVersion):
		return ui.FailWith(ui.ExitMissing, fmt.Errorf("%s is too old", e.Adapter.Agent.DisplayName), todo)
	case d.Login == loggedOut:
		return ui.FailWith(ui.ExitBlocked, fmt.Errorf("nobody is logged in to %s", e.Adapter.Agent.DisplayName), todo)
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
func login(ctx context.Context, g *schema.Agent, path string, o agent.Options) string {
	env := environment(o)
	for _, name := range g.Auth.Env {
		if valueIn(env, name) != "" {
			return loggedIn
		}
	}
	if g.Auth.Status == nil {
		return loginUnknown
	}
	ctx, cancel := context.WithTimeout(ctx, statusLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, g.Auth.Status.Args...)
	cmd.Dir, cmd.Env = o.Dir, env
	cmd.WaitDelay = time.Second // a child may keep the pipe open
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it has answered
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && (!exited || ctx.Err() != nil) {
		return loginUnknown // it was not started, or did not come to an end
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

// valueIn is the last value that an environment has for a name, as programs see it.
func valueIn(env []string, name string) (value string) {
	for _, kv := range env {
		if v, is := strings.CutPrefix(kv, name+"="); is {
			value = v
		}
	}
	return value
}
