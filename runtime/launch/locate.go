package launch

import (
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/schema"
)

// Locate finds the program of an adapter. If explicit is set, only that executable is tried.
// Otherwise Locate tries process.executable_candidates from left to right, and then process.executable or, without it,
// the adapter's name, unless the agent's transport has a program of its own. An adapter
// whose template begins with a literal program and does not use {shell_path} is looked up by
// that word.
//
// {self} is the path of ripple itself. In candidates $VAR, ${VAR} and %VAR% are expanded. A path with variables is not tried if it
// leads into the project around the current directory or one of h.Dirs, as with HOME=$PWD/home, unless it is the explicit one. A relative
// path with an unset variable is not tried: "$X/bin/y" becomes neither "/bin/y" nor a file "y" below a
// directory named "$X", which a project may have. Bare names are
// searched in the host's PATH, whose relative entries are skipped. A name with a separator is
// a path; a relative one starts at the current directory.
//
// The result is absolute. The error is a *MissingError that lists all attempts.
func Locate(a *schema.Adapter, h Host, explicit string) (string, error) {
	var tried []string
	if explicit != "" { // where the user wants it
		h.Brought = nil
	}
	for _, candidate := range candidates(a, explicit) {
		path, attempt := resolve(h, candidate)
		if path != "" {
			return path, nil
		}
		tried = append(tried, attempt)
	}
	e := missing(a, tried)
	e.Explicit = explicit != ""
	return "", e
}

func candidates(a *schema.Adapter, explicit string) []string {
	if explicit != "" {
		return []string{explicit}
	}
	if literal := literalProgram(a.Process.CommandTemplate); literal != "" {
		return []string{literal}
	}
	list := append([]string(nil), a.Process.ExecutableCandidates...)
	if a.Process.Executable != "" {
		list = append(list, a.Process.Executable)
	}
	if a.Process.Executable == "" && !a.HasOwnProgram() {
		list = append(list, a.Name)
	}
	var once []string
	for _, candidate := range list {
		if !slices.Contains(once, candidate) {
			once = append(once, candidate)
		}
	}
	return once
}

// literalProgram is the template's first word when that names the program
// itself: it has no placeholder, and {shell_path} stands nowhere else.
func literalProgram(template string) string {
	words, err := schema.SplitCommand(template)
	if err != nil || len(words) == 0 || strings.Contains(template, "{shell_path}") {
		return "" // Build reports a bad template; the search does not need it
	}
	var b strings.Builder
	for _, part := range words[0].Parts {
		if part.Placeholder != "" {
			return ""
		}
		b.WriteString(part.Text)
	}
	return b.String()
}

// firstWord is the file to execute: the located program, unless the template
// starts with another one that starts it ("env", …).
func firstWord(a *schema.Adapter, h Host, word, located string) (string, error) {
	if word == located || literalProgram(a.Process.CommandTemplate) != "" {
		return located, nil
	}
	path, attempt := resolve(h, word)
	if path == "" {
		return "", missing(a, []string{attempt})
	}
	return path, nil
}

// resolve turns a candidate into an absolute path, or says what was tried.
func resolve(h Host, candidate string) (path, attempt string) {
	before := schema.Expand(candidate, map[string]string{"self": h.Self})
	name, unset := expandVariables(before, h.Getenv)
	expanded := name != before
	attempt = name
	if name != candidate {
		attempt = candidate + " = " + name
	}
	if unset != "" && hasSeparator(h, name) && !filepath.IsAbs(name) { // a directory of that name may be anybody's
		return "", attempt + " (" + unset + " is not set)"
	}
	if hasSeparator(h, name) {
		abs, err := absolute(h, name)
		if err != nil {
			return "", attempt + " (" + err.Error() + ")"
		}
		file := executable(h, abs)
		switch {
		case file == "":
		case expanded && h.brings(file):
			return "", attempt + " (a program of this project: to use it, add its directory to PATH)"
		default:
			return file, ""
		}
		switch {
		case strings.HasPrefix(name, "~"):
			return "", attempt + " (~ is not expanded: write $HOME)"
		case attempt == name && abs != filepath.Clean(name): // relative to what?
			attempt += " = " + abs
		}
		return "", attempt + " (no such executable)"
	}
	if file := searchPath(h, name); file != "" {
		return file, ""
	}
	if words := strings.Fields(name); len(words) > 1 && searchPath(h, words[0]) != "" {
		return "", attempt + " (not in PATH; " + words[0] + " is: its arguments belong in process.args)"
	}
	return "", attempt + " (not in PATH)"
}

func hasSeparator(h Host, name string) bool {
	return strings.Contains(name, "/") || h.GOOS == "windows" && strings.Contains(name, `\`)
}

func searchPath(h Host, name string) string {
	if name == "" || name == "." || name == ".." {
		return ""
	}
	separator := ":"
	if h.GOOS == "windows" {
		separator = ";"
	}
	for _, dir := range strings.Split(h.Getenv("PATH"), separator) {
		if !filepath.IsAbs(dir) {
			continue // would depend on where we happen to stand
		}
		if file := executable(h, filepath.Join(dir, name)); file != "" {
			return file
		}
	}
	return ""
}

// executable is path, on Windows also with an extension of PATHEXT.
func executable(h Host, path string) string {
	if h.IsExecutable(path) {
		return path
	}
	if h.GOOS != "windows" {
		return ""
	}
	for _, ext := range strings.Split(h.Getenv("PATHEXT"), ";") {
		if ext != "" && h.IsExecutable(path+ext) {
			return path + ext
		}
	}
	return ""
}

var variable = lazyregexp.New(`%([^%=/\\]+)%|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)`)

// expandVariables replaces %VAR%, ${VAR} and $VAR. Unset ones stay, and the last of them is returned.
func expandVariables(s string, getenv func(string) string) (expanded, unset string) {
	expanded = variable().ReplaceAllStringFunc(s, func(found string) string {
		name := strings.Trim(found, "%${}")
		if value := getenv(name); value != "" {
			return value
		}
		unset = name
		return found
	})
	return expanded, unset
}
