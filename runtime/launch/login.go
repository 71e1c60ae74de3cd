package launch

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"example.org/ripple/runtime/proctree"
	"example.org/ripple/schema"
)

// Login is the state of an agent's login.
type Login string

// States of an examined login.
const (
	LoggedIn     Login = "yes"
	LoggedOut    Login = "no"
	LoginUnknown Login = "unknown" // the agent cannot report it, or did not
)

// statusLimit is how long an agent may take to report its login.
const statusLimit = 20 * time.Second

// findLogin returns the login that a variable stands for, else what the agent's program says; path is
// empty where it is not there.
func findLogin(ctx context.Context, a *schema.Adapter, path string, p Program) Login {
	g, env := a.Agent, p.environment(a)
	for _, name := range g.Auth.Env {
		if valueIn(env, name) != "" {
			return LoggedIn
		}
	}
	if g.Auth.Status == nil || path == "" {
		return LoginUnknown
	}
	ctx, cancel := context.WithTimeout(ctx, statusLimit)
	defer cancel()
	cmd := proctree.Command(ctx, path, g.Auth.Status.Args...)
	cmd.Dir, cmd.Env = p.Dir, env
	cmd.WaitDelay = time.Second // a child may keep the pipe open
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it has answered
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && (!exited || ctx.Err() != nil) {
		return LoginUnknown // it was not started, or did not come to an end
	}
	if g.Auth.Status.LoggedOut == "" {
		return map[bool]Login{true: LoggedIn, false: LoggedOut}[err == nil]
	}
	re, compileErr := schema.CompilePattern(g.Auth.Status.LoggedOut)
	if compileErr != nil {
		return LoginUnknown // the loader refuses it
	}
	if says, _ := re.MatchString(string(out)); says {
		return LoggedOut
	}
	return LoggedIn
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
