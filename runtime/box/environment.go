package box

import (
	"slices"
	"strings"
)

// passed lists the variables that every program gets.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "COLORTERM", "NO_COLOR", "TZ"}

// Environment returns the part of environ that a program in a box gets: the search path, the
// home directory, the locale, the terminal, and the variables in names.
func Environment(environ, names []string) []string {
	var kept []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(passed, name) || strings.HasPrefix(name, "LC_") || slices.Contains(names, name) {
			kept = append(kept, kv)
		}
	}
	return kept
}

// value returns a variable's value in env, or "" if it is not set.
func value(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// with returns env with the given variables set.
func with(env []string, set ...string) []string {
	kept := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	})
	return append(kept, set...)
}
