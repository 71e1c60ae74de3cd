// Package quote writes words of commands that users copy.
package quote

import "strings"

// Shell returns an argument as a POSIX shell reads it: quoted if it must be.
func Shell(arg string) string {
	if arg == "" || strings.ContainsAny(arg, " \t\n'\"$`\\#;&|<>()*?[]{}~!") {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
}
