package launch

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"example.org/ripple/schema"
)

// Program describes how the program of an adapter would be started.
type Program struct {
	Executable string   // the program; "": found by the adapter's rules
	Dir        string   // working directory; "": the current one
	Env        []string // KEY=VALUE, added to the current environment
}

func (p Program) environment(a *schema.Adapter) []string {
	env := agentEnviron(a, os.Environ())
	if p.Dir != "" { // programs such as a version manager may use the variable instead of asking the system
		env = append(env, "PWD="+p.Dir)
	}
	return slices.Concat(env, p.Env)
}

// Examination is the result of looking at one program: whether it is installed, reports a version that
// is new enough, and, for an agent, is logged in.
type Examination struct {
	Executable string // its path; "" if it is not installed
	Version    string // "" if unknown
	MinVersion string // the lowest version that the adapter supports; "": any
	Login      Login  // "" if it was not examined
	Usable     bool
	Todo       []string // the steps that would make it usable
}

// TooOld reports whether the version is lower than MinVersion.
func (r Examination) TooOld() bool { return older(r.Version, r.MinVersion) }

// need adds a step that is necessary before the program can be used.
func (r *Examination) need(todo string) {
	r.Usable = false
	r.Todo = append(r.Todo, todo)
}

// Examiner examines programs. It asks each program for its version only once, although an agent
// is examined when it is chosen and again when it is started. The zero value is ready to use, by
// one goroutine at a time.
type Examiner struct {
	StartDir string            // working directory of the programs when they will be used; "": the current one
	versions map[string]string // by path
}

// Locate is like the function [Locate] on this machine, for a start in StartDir.
func (x *Examiner) Locate(a *schema.Adapter, explicit string) (string, error) {
	h := OSHost()
	if x.StartDir != "" {
		h.Dirs = []string{x.StartDir}
	}
	return Locate(a, h, explicit)
}

// Examine examines a program as it will be started and, for an agent, its login.
func (x *Examiner) Examine(ctx context.Context, a *schema.Adapter, p Program) Examination {
	r := x.Look(ctx, a, p)
	if a.Agent == nil || r.Executable == "" {
		return r
	}
	asked := r.Executable
	if a.HasOwnProgram() { // only the agent's own knows the arguments
		asked, _ = x.Locate(a.Original(), "") // empty: there is nobody to be asked
	}
	r.Login = findLogin(ctx, a, asked, p)
	if r.Login == LoggedOut {
		r.need("log in: " + cmp.Or(a.Agent.Auth.Hint, "set "+strings.Join(a.Agent.Auth.Env, " or ")))
	}
	return r
}

// Look is like Examine but does not examine the login, which takes seconds with some agents.
func (x *Examiner) Look(ctx context.Context, a *schema.Adapter, p Program) (r Examination) {
	r.Executable, _ = x.Locate(a, p.Executable) // empty: it is not there
	if a.Agent != nil {
		r.MinVersion = a.Agent.MinVersion
	}
	advice := installAdvice(a.Process.Install)
	if r.Executable == "" {
		r.need("install it: " + cmp.Or(advice, "how is not known"))
		return r
	}
	r.Version, r.Usable = x.version(ctx, a, r.Executable, p), true
	if a.Agent != nil && r.Version == "" && a.Process.VersionProbe != nil {
		r.need(also(fmt.Sprintf("repair it: %s does not print its version", r.Executable), advice))
	}
	if r.TooOld() {
		r.need(also(fmt.Sprintf("update it: %s is older than %s, which the adapter needs", r.Version, r.MinVersion), advice))
	}
	return r
}

func (x *Examiner) version(ctx context.Context, a *schema.Adapter, path string, p Program) string {
	version, asked := x.versions[path]
	if !asked {
		version = Version(ctx, a, path, p.Dir, p.environment(a))
		if x.versions == nil {
			x.versions = map[string]string{}
		}
		x.versions[path] = version
	}
	return version
}

// also is a sentence with what is known besides.
func also(what, more string) string { return strings.TrimSuffix(what+"; "+more, "; ") }

// older compares versions number by number; an unknown version is not older.
func older(version, least string) bool {
	v, l := "v"+version, "v"+least
	return semver.IsValid(v) && semver.IsValid(l) && semver.Compare(v, l) < 0
}
