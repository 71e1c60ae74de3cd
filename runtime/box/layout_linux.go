package box

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"example.org/ripple/internal/projectfile"
)

// system lists the system directories that a program sees, read-only; missing ones are
// skipped. Home directories, /var, /run and /mnt are deliberately left out, and so is what the daemon of nix has in /nix/var.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/sys",
	"/nix/store", "/nix/var/nix/profiles", "/gnu/store", "/snap", "/run/current-system", "/var/lib/dpkg", "/var/lib/rpm",
}

// The box's user may be root, who may write the kernel's settings below /proc. They are
// read-only, and files that expose more of the machine than programs need are hidden.
var (
	settings = []string{"acpi", "bus", "driver", "fs", "irq", "mtrr", "scsi", "sys", "sysrq-trigger", "tty"}
	covered  = []string{"kallsyms", "kcore", "key-users", "keys", "kmsg", "kpagecgroup", "kpagecount", "kpageflags", "sched_debug", "timer_list", "vmallocinfo"}
)

// tools lists readable paths below the home directory: programs, and settings without secrets.
var tools = []string{
	".local/bin", ".local/lib", "bin", "go/bin", "go/pkg", ".cargo/bin", ".rustup", ".nvm", ".pyenv", ".rbenv", ".sdkman", ".volta", ".bun", ".deno",
	".gitconfig", ".config/git/config", ".config/git/ignore",
}

// mount is one mount point in the box.
type mount struct {
	how      string // bubblewrap's option without the dashes
	from, at string // from is empty for tmpfs and dir; the target of a symlink
	sealed   bool   // a tmpfs that is made read-only once all mounts are in place, see split
}

// fromSplit reports whether split made the mount.
func (m mount) fromSplit() bool { return m.how == "ro-bind-try" || m.how == "symlink" || m.sealed }

// readOnly reports whether the mount shows a part of the host's files that cannot be written.
func (m mount) readOnly() bool { return m.how == "ro-bind" || m.how == "ro-bind-try" || m.sealed }

// layout is the file system of a box, by mount point.
type layout map[string]mount

func (l layout) add(how, from, at string) { l[at] = mount{how: how, from: from, at: at} }

// args returns bubblewrap's arguments, parent directories first, and what is below a symbolic link
// after the link's target. Mounts in the working tree come first: if one is redirected by a link, the later ones
// cover it. ripple's own mounts come before them all: a mount that is redirected out of the box could cover their
// sources. It cannot cover them in the box, because a program in another box does not know their name. So Inside,
// which verifies the other mounts, is always ripple's.
//
// Errors: ErrPolicy if there are too many mounts.
func (l layout) args(tree string) ([]string, error) {
	if len(l) > maxMounts {
		return nil, fmt.Errorf("%w: it needs %d mounts, and a box can have %d: each entry of a readable directory around hidden files is one, and each submodule; make smaller directories readable", ErrPolicy, len(l), maxMounts)
	}
	var args, seal []string
	rank := func(at string) int {
		switch {
		case strings.HasPrefix(at, ownPrefix):
			return -1
		case l.throughLink(at):
			return 2
		case above(tree, at) || above(at, tree):
			return 0
		}
		return 1
	}
	order := slices.Sorted(maps.Keys(l))
	slices.SortStableFunc(order, func(a, b string) int { return rank(a) - rank(b) })
	for _, at := range order {
		m := l[at]
		if m.from != "" {
			args = append(args, "--"+m.how, m.from, at)
		} else {
			args = append(args, "--"+m.how, at)
		}
		if m.sealed {
			seal = append(seal, "--remount-ro", at)
		}
	}
	return append(append(args, seal...), "--remount-ro", "/"), nil
}

// addOwn adds what Inside needs, ripple and the proxy's socket, and returns their directory in the box. If ripple itself
// is in the working tree, it is read-only: it also runs outside of the box.
func (l layout) addOwn(p *Policy, self, socket string) (dir string) {
	l.keep([]string{self}, p)
	dir = ownPrefix + rand.Text()
	l[dir] = mount{how: "tmpfs", at: dir, sealed: true}
	l.add("ro-bind", self, dir+ownProgram)
	l.add("ro-bind", socket, dir+ownSocket)
	return dir
}

// throughLink reports whether a mount point is below a symbolic link of the layout.
func (l layout) throughLink(at string) bool {
	for dir := filepath.Dir(at); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if l[dir].how == "symlink" {
			return true
		}
	}
	return false
}

// maxMounts is below what bubblewrap accepts: 9,000 arguments, of which a mount needs three.
const maxMounts = 2800

// newLayout returns the file system for a policy that has passed check. home and temp are private
// directories of the host that become the home directory and /tmp.
//
// Errors: ErrPolicy.
func newLayout(p *Policy, home, temp string) (layout, error) {
	l := layout{}
	l.add("tmpfs", "", "/run")
	l.add("dev", "", "/dev")
	l.add("proc", "", "/proc")
	l.add("bind", temp, "/tmp")
	l.add("bind", temp, "/var/tmp")
	l.add("symlink", "/run", "/var/run")
	for _, dir := range system {
		l.readSystem(dir)
	}
	for _, name := range settings {
		if path := "/proc/" + name; exists(path) == nil {
			l.add("ro-bind", path, path)
		}
	}
	for _, name := range covered {
		l.cover("/proc/" + name)
	}
	for _, dir := range []string{"/sys/kernel", "/sys/fs"} {
		for _, path := range unreadable(dir) {
			l.cover(path)
		}
	}
	l.add("bind", home, p.Home)
	for _, name := range tools {
		l.read(filepath.Join(p.Home, name), p)
	}
	for _, dir := range filepath.SplitList(value(p.Env, "PATH")) {
		if filepath.IsAbs(dir) && !above(filepath.Clean(dir), p.Home) {
			l.read(filepath.Clean(dir), p)
		}
	}
	for _, path := range p.Read {
		if err := exists(path); err != nil {
			return nil, err
		}
		if !p.writable(path) {
			l.add("ro-bind", path, path)
		}
	}
	for _, path := range append([]string{p.Dir}, p.Write...) {
		l.add("bind", path, path)
	}
	l.hide(slices.Concat(unreadable("/etc"), p.secrets(), p.sockets()))
	l.hold(p.secrets())
	if err := l.keepSettings(p, p.userSettings()...); err != nil {
		return nil, err
	}
	return l, l.protectGit(p)
}

// check rejects policies that would expose more than anyone intends, and limits that cannot be
// enforced.
//
// Errors: ErrPolicy.
func (p *Policy) check() error {
	for _, path := range slices.Concat([]string{p.Dir, p.Home}, p.Write, p.Read) {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return fmt.Errorf("%w: %q is not an absolute, clean path", ErrPolicy, path)
		}
	}
	if p.Home == "/" {
		return fmt.Errorf("%w: the home directory is /", ErrPolicy)
	}
	for _, path := range append([]string{p.Dir}, p.Write...) {
		if above(path, p.Home) || slices.ContainsFunc(system, func(dir string) bool { return above(path, dir) }) ||
			slices.ContainsFunc([]string{"/proc", "/dev", "/sys", "/run", "/tmp", "/var/tmp", "/etc"}, func(dir string) bool { return above(path, dir) }) {
			return fmt.Errorf("%w: cannot make %q writable: it is or contains the home directory or a system directory; use a directory below it", ErrPolicy, path)
		}
		if err := exists(path); err != nil {
			return err
		}
	}
	if p.Cwd != "" && !above(p.Dir, p.Cwd) {
		return fmt.Errorf("%w: the working directory %q is not in the writable directory %q", ErrPolicy, p.Cwd, p.Dir)
	}
	if p.Nest && os.Geteuid() == 0 {
		return fmt.Errorf("%w: the kernel does not allow root's boxes usable namespaces; run the box as another user, or without them", ErrPolicy)
	}
	if p.Limits.Processes > 0 && os.Geteuid() == 0 {
		return fmt.Errorf("%w: the kernel does not limit root's processes; run the box as another user, or without this limit", ErrPolicy)
	}
	return nil
}

// writable reports whether the program may write a path.
func (p *Policy) writable(path string) bool {
	return slices.ContainsFunc(append([]string{p.Dir}, p.Write...), func(w string) bool { return above(w, path) })
}

// exists checks that a path exists and has no symbolic links, which could be redirected.
func exists(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	if real != path {
		return fmt.Errorf("%w: %q contains a symbolic link; give the real path, %q", ErrPolicy, path, real)
	}
	return nil
}

// readSystem mounts a system directory, or copies the symbolic link in its place.
func (l layout) readSystem(path string) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
	case info.Mode()&fs.ModeSymlink != 0:
		if to, err := os.Readlink(path); err == nil {
			l.add("symlink", to, path)
		}
	case info.IsDir():
		l.add("ro-bind", path, path)
	}
}

// read mounts a path read-only, unless it is mounted already or is writable. A path with
// symbolic links is mounted under its given name.
func (l layout) read(path string, p *Policy) {
	if p.writable(path) {
		return
	}
	for at, m := range l {
		if (m.readOnly() || m.how == "symlink") && above(at, path) {
			return
		}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == "/" || above(real, p.Home) || above("/proc", real) || above("/run", real) || above("/dev", real) || projectfile.LeadsOut(path) {
		return
	}
	l.add("ro-bind", real, path)
}

// secrets returns the paths that stay hidden although a directory around them is visible. Where
// one is a symbolic link, as those of dotfile managers are, its target is hidden too.
func (p *Policy) secrets() (paths []string) {
	named := slices.Concat(p.Read, p.Write, []string{p.Dir})
	for _, name := range secretPaths {
		path := filepath.Join(p.Home, name)
		if slices.ContainsFunc(named, func(n string) bool { return above(path, n) }) {
			continue
		}
		paths = append(paths, path)
		real, _ := place(path)
		if !slices.ContainsFunc(system, func(dir string) bool { return above(dir, real) }) { // these are for everybody
			paths = append(paths, real)
		}
	}
	return paths
}

// sockets returns the paths of the Unix sockets that programs outside listen on, except in the directories of the policy:
// a program can connect to a socket in a directory that it can only read.
func (p *Policy) sockets() (paths []string) {
	table, _ := os.ReadFile("/proc/net/unix") // it has none if the kernel has no such sockets
	seen := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		_, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " /") // the columns before it have no slash
		path = "/" + path
		if seen[path] {
			continue
		}
		seen[path] = true
		named := func(n string) bool { return above(n, path) }
		if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeSocket == 0 || slices.ContainsFunc(slices.Concat(p.Read, p.Write, []string{p.Dir}), named) {
			continue
		}
		paths = append(paths, path)
		if real, _ := place(path); real != path {
			paths = append(paths, real)
		}
	}
	return paths
}

// place returns where an absolute path leads, which need not exist, and the symbolic links on the way.
func place(path string) (real string, links []string) {
	real = "/"
	for rest := path; rest != "" && len(links) <= 40; { // as many links as Linux follows
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		at := filepath.Join(real, name)
		to, err := os.Readlink(at)
		if err != nil {
			real = at
			continue
		}
		links = append(links, at)
		rest = to + "/" + rest
		if filepath.IsAbs(to) {
			real = "/"
		}
	}
	return real, links
}

// hide takes paths out of the directories around them: it splits those that can only be read, and
// covers the path in those that the program may write.
func (l layout) hide(paths []string) {
	for _, at := range slices.Sorted(maps.Keys(l)) {
		switch m := l[at]; m.how {
		case "ro-bind":
			l.split(m.from, at, paths)
		case "bind":
			for _, path := range paths {
				if _, mounted := l[path]; !mounted && m.from == at && above(at, path) && exists(path) == nil { // the target of a link is listed, too
					l.cover(path)
				}
			}
		}
	}
}

// hold makes the directories around covered paths, up to the one that the program may write, mounts: a mount cannot be
// renamed. Otherwise the program could replace one by a directory of its own, with other files instead of the covered
// ones.
func (l layout) hold(paths []string) {
	for _, path := range paths {
		if _, covered := l[path]; !covered {
			continue
		}
		var around []string
		dir := filepath.Dir(path)
		for ; dir != "/" && l[dir].how == ""; dir = filepath.Dir(dir) {
			around = append(around, dir)
		}
		if m := l[dir]; m.how == "bind" && m.from == dir {
			for _, dir := range around {
				l.add("bind", dir, dir)
			}
		}
	}
}

// split replaces a directory, if one of the hidden paths is below it, by its other entries, each
// mounted by itself. A file that was merely covered would appear when a program outside replaces it,
// since the kernel then removes the mount; and if it was gone before bubblewrap covers it, the box
// could not start. Entries that are created later do not appear.
func (l layout) split(from, at string, hidden []string) {
	if !slices.ContainsFunc(hidden, func(path string) bool { return path != at && above(at, path) || path != from && above(from, path) }) {
		return
	}
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return
	}
	l[at] = mount{how: "tmpfs", at: at, sealed: true}
	entries, _ := os.ReadDir(from) // entries that cannot be listed stay hidden
	for _, e := range entries {
		real, path := filepath.Join(from, e.Name()), filepath.Join(at, e.Name())
		_, mounted := l[path]
		switch {
		case mounted || slices.Contains(hidden, path) || slices.Contains(hidden, real):
		case e.Type()&fs.ModeSymlink != 0:
			if to, err := os.Readlink(real); err == nil {
				l.add("symlink", to, path)
			}
		default:
			if _, err := os.Stat(real); err == nil { // bubblewrap ends at a mount that is out of order
				l.add("ro-bind-try", real, path)
				l.split(real, path, hidden)
			}
		}
	}
}

// cover replaces a file or directory, if it exists, by an empty one.
func (l layout) cover(path string) {
	info, err := os.Lstat(path)
	switch {
	case err != nil || info.Mode()&fs.ModeSymlink != 0:
	case info.IsDir():
		l.add("tmpfs", "", path)
	default:
		l.add("ro-bind", os.DevNull, path)
	}
}

// unreadable returns the entries of a system directory, and of the directories in /etc, that this
// user can read or search and others cannot: root, or a member of their group.
func unreadable(dir string) (paths []string) {
	entries, _ := os.ReadDir(dir) // a directory that cannot be listed is unreadable itself
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		switch {
		case err != nil:
		case info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o004 == 0:
			if permits(path, unix.R_OK) || permits(path, unix.X_OK) {
				paths = append(paths, path)
			}
		case info.IsDir() && filepath.Dir(dir) == "/":
			paths = append(paths, unreadable(path)...)
		}
	}
	return paths
}

// permits reports whether this user may access a file; mode is unix.R_OK or another of its kind.
func permits(path string, mode uint32) bool {
	return unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS) == nil
}
