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

// Program is how the program of an adapter would be started.
type Program struct {
	Executable string   // in place of what the adapter names; "": that
	Dir        string   // working directory; "": ours
	Env        []string // KEY=VALUE, added to our environment
}

func (p Program) environment(a *schema.Adapter) []string {
	return slices.Concat(agentEnviron(a, os.Environ()), p.Env)
}

// Examination is the result of looking at one program: whether it is installed, reports a version that
// is new enough, and, for an agent, is logged in.
type Examination struct {
	Executable string // its path; "": it is not there
	Version    string // "": not told
	MinVersion string // that the adapter needs; "": any
	Login      Login  // "": not asked
	Usable     bool
	Todo       []string // what makes it usable, a step each
}

// TooOld says that the version is below the least one.
func (r Examination) TooOld() bool { return older(r.Version, r.MinVersion) }

// need takes in what keeps the program from being used.
func (r *Examination) need(todo string) {
	r.Usable = false
	r.Todo = append(r.Todo, todo)
}

// Examiner asks each program for its version once: what chooses an agent asks before
// what starts it. The zero value is ready to be used, by one goroutine.
type Examiner struct {
	versions map[string]string // by path
}

// Examine looks at a program as it will be started, and at who is logged in.
func (x *Examiner) Examine(ctx context.Context, a *schema.Adapter, p Program) Examination {
	r := x.Look(ctx, a, p)
	if a.Agent == nil || r.Executable == "" {
		return r
	}
	asked := r.Executable
	if a.OwnProgram() { // only the agent's own knows the arguments
		asked, _ = Locate(a.Whole(), OSHost(), "") // empty: there is nobody to be asked
	}
	r.Login = findLogin(ctx, a, asked, p)
	if r.Login == LoggedOut {
		r.need("log in: " + cmp.Or(a.Agent.Auth.Hint, "set "+strings.Join(a.Agent.Auth.Env, " or ")))
	}
	return r
}

// Look does the same without asking for a login, which takes some agents seconds.
func (x *Examiner) Look(ctx context.Context, a *schema.Adapter, p Program) (r Examination) {
	r.Executable, _ = Locate(a, OSHost(), p.Executable) // empty: it is not there
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
		r.need(also(fmt.Sprintf("repair it: %s does not tell its version", r.Executable), advice))
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
