package mcpcmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/projectfile"
)

// clientFile is a client's configuration file on this machine.
type clientFile struct {
	name   string // the path as shown to users
	path   string // with symbolic links resolved
	exists bool
	mode   fs.FileMode
	text   []byte
}

// writeClient adds the lines for a client to its file: it shows the changes, asks unless yes is
// set, and keeps a copy of the old file.
func writeClient(a *ui.App, client string, where clientPlace, lines []byte, yes bool) error {
	if where.command {
		return ui.UsageError("to print the command to run: ripple mcp config "+client, "%s manages its configuration itself: there is no file to write", client)
	}
	f, err := openClientFile(a, where)
	if err != nil {
		return err
	}
	merge := mergeJSON
	if filepath.Ext(f.path) == ".toml" {
		merge = mergeTOML
	}
	changed, err := merge(f.text, lines)
	if err != nil {
		return ui.FailWith(ui.ExitUsage, fmt.Errorf("%s was not changed: %w", f.name, err), "to print the lines, and add them yourself: ripple mcp config "+client)
	}
	if bytes.Equal(changed, f.text) {
		a.Note("%s already contains the lines for ripple", f.name)
		return nil
	}
	a.Printf("%s", ui.Harmless(difference(f, changed)))
	if !yes {
		agreed, asked := a.Trust.Confirm("write this to " + f.name + "?")
		switch {
		case !asked:
			return ui.UsageError("to write it without asking: ripple mcp config "+client+" --write --yes", "nothing was written: there is no terminal for the question")
		case !agreed:
			return ui.FailWith(ui.ExitUsage, errors.New("not confirmed: nothing was written"), "")
		}
	}
	return f.write(a, changed)
}

// openClientFile finds and reads a file, and reports where links lead.
func openClientFile(a *ui.App, where clientPlace) (f clientFile, err error) {
	base, rest, err := where.base(a.Getenv)
	if err != nil {
		return f, ui.FailWith(ui.ExitFailed, err, "")
	}
	f.name = filepath.Join(base, rest)
	if err := ui.LeadsOut(base + string(filepath.Separator) + rest); err != nil && where.variable != "" && a.Getenv(where.variable) != "" { // it may name a directory of a project
		return f, ui.FailWith(ui.ExitUsage, err, "replace the link with a file, or change that file yourself")
	}
	real, err := filepath.EvalSymlinks(base)
	if errors.Is(err, fs.ErrNotExist) {
		real, err = base, nil
	}
	if err != nil {
		return f, ui.FailWith(ui.ExitFailed, err, "")
	}
	if f.path, err = resolve(f.name, filepath.Join(real, rest)); err != nil {
		return f, ui.FailWith(ui.ExitUsage, err, "")
	}
	if f.path != filepath.Join(real, rest) {
		_, inside := projectfile.Relative(real, f.path)
		switch {
		case !inside && where.project:
			return f, ui.FailWith(ui.ExitUsage, fmt.Errorf("%s was not changed: a symbolic link leads out of %s, to %s", f.name, base, f.path), "replace the link with a file, or change that file yourself")
		case !inside:
			a.Note("%s is outside of %s: a symbolic link leads to %s", f.name, base, f.path)
		default:
			a.Note("%s: a symbolic link leads to %s", f.name, f.path)
		}
	}
	if !owner.Ours(filepath.Dir(f.path)) {
		return f, ui.FailWith(ui.ExitUsage, fmt.Errorf("you cannot write to %s", filepath.Dir(f.path)), "run this command as the user who runs the client")
	}
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		f.exists, f.mode = true, info.Mode().Perm()
		f.text, err = projectfile.Read(f.path, projectfile.MaxText)
	}
	if err != nil {
		return f, ui.FailWith(ui.ExitUsage, err, "")
	}
	return f, nil
}

// resolve returns the path of an existing or future file with all links resolved; a dangling link
// is refused. The deepest directories may be missing.
func resolve(name, path string) (string, error) {
	var missing []string
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(append([]string{real}, missing...)...), nil
		}
		if _, linkErr := os.Lstat(at); linkErr == nil || !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%s was not changed: %s is a dangling link", name, at)
		}
		missing = append([]string{filepath.Base(at)}, missing...)
	}
}

// write replaces the file atomically and keeps a copy of the old one next to it.
func (f clientFile) write(a *ui.App, text []byte) error {
	now, err := projectfile.Read(f.path, projectfile.MaxText)
	if f.exists && (err != nil || !bytes.Equal(now, f.text)) || !f.exists && !errors.Is(err, fs.ErrNotExist) {
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("%s changed in the meantime: nothing was written", f.name), "run it again")
	}
	dir, base := filepath.Split(f.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	path := filepath.Join(dir, base)
	if !f.exists {
		if err := ui.CreateFile(path, text, 0o600); err != nil {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
		a.Note("written: %s", f.name)
		return nil
	}
	backup := fmt.Sprintf("%s.before-ripple-%s", path, time.Now().UTC().Format("20060102T150405.000Z"))
	if err := ui.CreateFile(backup, f.text, f.mode); err != nil {
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("nothing was written: %w", err), "")
	}
	a.Note("the previous file: %s", backup)
	if err := ui.ReplaceFile(path, text); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	a.Note("written: %s", f.name)
	return nil
}

// difference returns the changed lines with three lines of context, in the format of diff -u.
func difference(f clientFile, changed []byte) string {
	before, after := linesOf(f.text), linesOf(changed)
	same, end := 0, 0
	for same < min(len(before), len(after)) && before[same] == after[same] {
		same++
	}
	for end < min(len(before), len(after))-same && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	const around = 3
	from, tail := max(0, same-around), min(end, around)
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n@@ -%d,%d +%d,%d @@\n", f.name, f.name, from+1, len(before)-end+tail-from, from+1, len(after)-end+tail-from)
	show := func(mark string, lines []string) {
		for _, line := range lines {
			b.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	show(" ", before[from:same])
	show("-", before[same:len(before)-end])
	show("+", after[same:len(after)-end])
	show(" ", before[len(before)-end:len(before)-end+tail])
	return b.String()
}

func linesOf(text []byte) (list []string) {
	for line := range strings.Lines(string(text)) {
		list = append(list, line)
	}
	return list
}

// clientPlace is the place for a client's lines, from the first line of its template: a command to
// run, a file below ~ (with the variable that may name its directory), or a file of a project.
type clientPlace struct {
	words    string // for messages
	command  bool
	project  bool // relative to the current directory
	file     string
	variable string
}

func placeOf(line string) clientPlace {
	words, variable, _ := strings.Cut(line, " $")
	file, _, _ := strings.Cut(words, ", or ")
	return clientPlace{words: words, command: line == "run:", project: !strings.HasPrefix(file, "~/"), file: file, variable: variable}
}

// base returns the directory to which the path of a client's file is relative, and that path.
func (p clientPlace) base(getenv func(string) string) (dir, file string, err error) {
	if p.project {
		dir, err = os.Getwd()
		return dir, filepath.FromSlash(p.file), err
	}
	rest := strings.TrimPrefix(p.file, "~/")
	if dir := getenv(p.variable); p.variable != "" && filepath.IsAbs(dir) {
		return dir, filepath.Base(rest), nil
	}
	const config = ".config/"
	if dir := getenv("XDG_CONFIG_HOME"); strings.HasPrefix(rest, config) && filepath.IsAbs(dir) {
		return dir, filepath.FromSlash(strings.TrimPrefix(rest, config)), nil
	}
	dir, err = owner.Home(getenv)
	return dir, filepath.FromSlash(rest), err
}
