package launch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.org/ripple/schema"
)

// minimalEnvironment is what inherit_environment: false leaves, with LC_*.
var minimalEnvironment = []string{"HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TERM", "TMPDIR"}

// notInherited describes the terminal around us (a final * is a prefix): startup
// files and line editors that believe it send that terminal's sequences, among
// them the very OSC 633 that we listen to, or wrap lines at its width. The last
// one is the sign by which our own guard knows its second half.
var notInherited = []string{
	"COLUMNS", "LINES", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VSCODE_*", "VTE_VERSION",
	"ITERM_*", "KITTY_*", "WEZTERM_*", "GHOSTTY_*", "KONSOLE_*", "WT_SESSION", "WT_PROFILE_ID",
	"TERM_SESSION_ID", "SHELL_SESSION_ID", "INSIDE_EMACS", "TMUX", "TMUX_PANE", "STY",
	"PROCTREE_GUARD",
}

// environment is built from the lowest rule to the highest.
type environment struct{ vars map[string]string }

// newEnvironment is what holds before the adapter and the caller speak.
func newEnvironment(a *schema.Adapter, h Host) *environment {
	e := &environment{vars: map[string]string{}}
	for _, kv := range agentEnviron(a, h.Environ()) {
		key, value, ok := strings.Cut(kv, "=")
		if ok && key != "" && inherited(key, a.Process.InheritEnvironment) {
			e.set(key, value)
		}
	}
	for _, pager := range []string{"PAGER", "GIT_PAGER", "MANPAGER"} {
		e.set(pager, "cat")
	}
	if a.Process.TTY.Term != "" {
		e.set("TERM", a.Process.TTY.Term)
	}
	return e
}

// agentEnviron returns the part of environ ("KEY=value") that an agent gets: without the variables by
// which it would recognize that it was started by itself (agent.unset_env).
func agentEnviron(a *schema.Adapter, environ []string) []string {
	if a.Agent == nil || len(a.Agent.UnsetEnv) == 0 {
		return environ
	}
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		return slices.Contains(a.Agent.UnsetEnv, key)
	})
}

func inherited(key string, all bool) bool {
	if all {
		return !slices.ContainsFunc(notInherited, func(pattern string) bool { return matches(pattern, key) })
	}
	return slices.Contains(minimalEnvironment, key) || strings.HasPrefix(key, "LC_")
}

func matches(pattern, key string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(key, prefix)
	}
	return key == pattern
}

func (e *environment) set(key, value string) { e.vars[key] = value }

// addAdapter adds process.env, expanded.
func (e *environment) addAdapter(declared map[string]string, v *values) error {
	for _, key := range slices.Sorted(maps.Keys(declared)) {
		if key == "" || strings.ContainsAny(key, "=\x00") {
			return fmt.Errorf("process.env: %q cannot be the name of a variable", key)
		}
		if v.carriesNonce(declared[key]) {
			return fmt.Errorf("process.env.%s: its value would carry the session's nonce, and every program in the session can read the environment and forge markers with it: put it into the integration script", key)
		}
		value := v.expand(declared[key])
		if strings.ContainsRune(value, 0) {
			return fmt.Errorf("process.env.%s: the value %q contains a NUL", key, value)
		}
		e.set(key, value)
	}
	return nil
}

// addCaller adds entries that Request.check has seen.
func (e *environment) addCaller(env []string) {
	for _, kv := range env {
		key, value, _ := strings.Cut(kv, "=")
		e.set(key, value)
	}
}

// finish adds what depends on all the rest.
func (e *environment) finish(dir string) {
	if _, ok := e.vars["PWD"]; ok {
		e.set("PWD", dir)
	}
	if e.vars["LC_ALL"] == "" && e.vars["LC_CTYPE"] == "" && e.vars["LANG"] == "" {
		e.set("LC_CTYPE", "C.UTF-8")
	}
}

func (e *environment) list() []string {
	list := make([]string, 0, len(e.vars))
	for key, value := range e.vars {
		list = append(list, key+"="+value)
	}
	slices.Sort(list)
	return list
}
