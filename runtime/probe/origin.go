package probe

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ripple/runtime/contract"
	"ripple/runtime/launch"
	"ripple/schema"
)

// answersWithin bounds a question to another program, or to the same without a terminal.
const answersWithin = 3 * time.Second

// findOrigin is experiment 9: how the program tells its version, and where it is from.
func findOrigin(ctx context.Context, l *lab) error {
	l.log.experiment(9, "its version, and the package that it is of")
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
			l.draft.set("process.version", []field{{"args", []string{arg}}}, sure, 9, "it says "+version)
			break
		}
	}
	if l.draft.find("process.version") == nil {
		l.draft.unknown("process.version", "none of the usual options prints one")
	}
	if name := debianPackage(ctx, path); name != "" {
		l.draft.set("process.install", []field{{"debian", []string{name}}}, sure, 9, "the package that "+path+" is of")
	}
	return ctx.Err()
}

// environ is that of the program when it is asked something without a terminal.
func (l *lab) environ(a *schema.Adapter) []string {
	return append(launch.OSHost().Environ(), contract.Environ(a, l.dirs.home, l.dirs.temp)...)
}

// debianPackage asks dpkg whose file a program is; empty where nobody knows.
func debianPackage(ctx context.Context, path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	// On a system whose /bin is /usr/bin, a package may still say /bin.
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
