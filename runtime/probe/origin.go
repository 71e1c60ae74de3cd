package probe

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/schema"
)

// answersWithin is the time limit for running another program, or this one without a terminal.
const answersWithin = 3 * time.Second

// findOrigin is experiment 9: the program's version option and its package.
func findOrigin(ctx context.Context, l *lab) error {
	l.log.experiment(9, "its version and its package")
	a, err := l.draft.adapter(l.o.File)
	if err != nil {
		return err
	}
	path, err := launch.Locate(a, launch.OSHost(), "")
	if err != nil {
		return err
	}
	env := l.environ(a)
	for _, arg := range l.o.Versions {
		a.Process.VersionProbe = &schema.VersionProbe{Args: []string{arg}, Pattern: `(\d+\.\d+(?:\.\d+)?)`}
		within, cancel := context.WithTimeout(ctx, answersWithin)
		version := launch.Version(within, a, path, l.dirs.work, env)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if version != "" {
			l.draft.set("process.version", []field{{"args", []string{arg}}}, sure, 9, "the program prints the version "+version)
			break
		}
	}
	if l.draft.find("process.version") == nil {
		l.draft.unknown("process.version", "none of the usual options prints a version")
	}
	if name := debianPackage(ctx, path); name != "" {
		l.draft.set("process.install", []field{{"debian", []string{name}}}, sure, 9, "the package that contains "+path)
	}
	return ctx.Err()
}

// environ returns the environment for running the program without a terminal.
func (l *lab) environ(a *schema.Adapter) []string {
	return append(launch.OSHost().Environ(), contract.Environ(a, l.dirs.home, l.dirs.temp)...)
}

// debianPackage returns the package that owns a program's file according to dpkg; empty if unknown.
func debianPackage(ctx context.Context, path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	// On a system whose /bin is a link to /usr/bin, a package may list the file in /bin.
	for _, file := range []string{path, strings.TrimPrefix(path, "/usr")} {
		within, cancel := context.WithTimeout(ctx, answersWithin)
		out, err := exec.CommandContext(within, "dpkg", "-S", file).Output()
		cancel()
		if name, _, found := strings.Cut(string(out), ":"); err == nil && found && !strings.ContainsAny(name, " ,") {
			return name
		}
	}
	return ""
}
