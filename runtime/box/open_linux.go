package box

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"example.org/ripple/runtime/internal/scratch"
)

// Box starts several programs with one policy: they share a proxy, a home directory and /tmp,
// but each has its own processes and loopback. Its methods may be called from several goroutines.
type Box struct {
	*shared
	write, keep []string // see With
}

// shared is the state that the views of a box share.
type shared struct {
	options Options
	self    string // the current executable
	bwrap   string
	filter  []byte
	private *scratch.Dir
	dir     string // private without symbolic links
	close   func()

	mu     sync.Mutex
	trees  map[string]string // by working directory
	pinned map[string]bool   // directories of repositories, see running.pin
	pins   running
	starts int
	denied []Denial
}

// Open prepares a box and starts its proxy. The caller must close it when all its programs have
// ended.
//
// Errors: ErrPolicy; *Missing when this machine cannot run the box.
func Open(o Options) (*Box, error) {
	if err := o.Policy.check(); err != nil {
		return nil, err
	}
	b := &Box{shared: &shared{options: o, trees: map[string]string{}, pinned: map[string]bool{}}}
	var err error
	if b.bwrap, err = findBubblewrap(&o.Policy); err != nil {
		return nil, err
	}
	if b.filter, err = seccomp(o.Policy.Nest); err != nil {
		return nil, err
	}
	if err := probe(b.bwrap); err != nil {
		return nil, err
	}
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if b.private, b.dir, err = o.Policy.privateDir(); err != nil {
		return nil, err
	}
	for _, name := range []string{"home", "tmp"} {
		err = errors.Join(err, os.Mkdir(b.path(name), 0o700))
	}
	l, listenErr := net.Listen("unix", b.path("proxy"))
	if err = errors.Join(err, listenErr); err != nil {
		b.private.Remove()
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		newProxy(&b.options.Policy, b.deny).serve(ctx, l)
		close(served)
	}()
	b.close = func() {
		l.Close()
		cancel()
		<-served
	}
	return b, nil
}

// privateDir makes a private directory of a box, and returns also its path without links. It is in the directory for temporary files,
// or in /tmp if a program in the box may write there: it could put links in place of files that are written outside of the box.
func (p *Policy) privateDir() (*scratch.Dir, string, error) {
	parent := ""
	if temp, err := filepath.EvalSymlinks(os.TempDir()); err == nil && p.writable(temp) {
		parent = "/tmp" // see check
	}
	scratch.SweepOnce(parent, 0) // what killed boxes left
	private, err := scratch.New(parent, "box")
	if err != nil {
		return nil, "", err
	}
	dir, err := filepath.EvalSymlinks(private.Path)
	if err == nil && p.writable(dir) {
		err = fmt.Errorf("%w: the directory for temporary files, %q, is writable in it", ErrPolicy, filepath.Dir(dir))
	}
	if err != nil {
		private.Remove()
	}
	return private, dir, err
}

// Denials returns the distinct connections that were refused so far.
func (b *Box) Denials() []Denial {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.denied)
}

func (b *shared) deny(d Denial) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.denied = append(b.denied, d)
}

// Close ends the proxy and removes the box's private directories.
func (b *Box) Close() {
	b.close()
	b.pins.release()
	b.private.Remove()
}

// With returns the same box for programs that may also write some paths, and only read the files
// and directories of keep, which are below the working tree. Paths may be missing. Those of write that contain a symbolic
// link, which a program in another box may have made, are left out.
func (b *Box) With(write, keep []string) *Box {
	return &Box{b.shared, slices.Concat(b.write, write), slices.Concat(b.keep, keep)}
}

func (b *shared) path(name string) string { return filepath.Join(b.dir, name) }

// Environ returns the part of environ that programs in the box get; see Environment. names are
// variables besides those of the options.
func (b *Box) Environ(environ []string, names ...string) []string {
	return append(Environment(environ, slices.Concat(b.options.Env, names)), "HOME="+b.options.Policy.Home)
}

// Wrap returns a command line that runs a program in the box when it is started outside, in the
// directory dir with the environment env. argv[0] is an absolute path. The working tree around dir is
// writable, and so are the paths in write; those in read can be read. Paths may be missing. The
// command line may be started once. If the box cannot be set up then, the program is
// not run, and the exit code is not 0.
//
// Errors: ErrPolicy.
func (b *Box) Wrap(argv, env []string, dir string, read, write []string) ([]string, error) {
	p := b.options.Policy
	cwd, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	p.Dir, p.Cwd, p.Env = b.tree(cwd), cwd, env
	if err := p.check(); err != nil {
		return nil, err
	}
	if all := (&Policy{Dir: p.Dir, Write: slices.Concat(p.Write, b.write, write)}); all.writable(b.dir) {
		return nil, fmt.Errorf("%w: its private directory, %q, is writable in it", ErrPolicy, b.dir)
	}
	if err := b.pin(filepath.Join(p.Dir, ".git")); err != nil {
		return nil, err
	}
	l, err := newLayout(&p, b.path("home"), b.path("tmp"))
	if err != nil {
		return nil, err
	}
	for _, path := range program(argv[0], p.Home) {
		l.read(path, &p)
	}
	l.hide(p.sockets())
	for _, path := range read {
		l.read(path, &p)
	}
	l.share(b.write, write, &p)
	l.keep(b.keep, &p)
	own := l.addOwn(&p, b.self, b.path("proxy"))
	l.pin(b.dir)
	args, err := l.args(p.Dir)
	if err != nil {
		return nil, err
	}
	args = append(slices.Concat([]string{b.bwrap}, isolation, args), "--chdir", cwd, "--seccomp", "3", "--", own+ownProgram)
	args = append(args, b.options.Inside...)
	data, err := json.Marshal(entry{[]byte(strings.Join(args, "\x00")), b.filter, l.points(b.dir), order{Limits: p.Limits, Mounts: l.expect(), Socket: own + ownSocket}})
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.starts++
	file := b.path("start-" + strconv.Itoa(b.starts))
	b.mu.Unlock()
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return slices.Concat([]string{b.self}, b.options.Enter, []string{file}, argv), nil
}

// tree is Tree for this box: a program in it cannot change the result, because it is determined only once.
func (b *shared) tree(cwd string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.trees[cwd] == "" {
		b.trees[cwd], _ = Tree(cwd, b.options.Policy.Home)
	}
	return b.trees[cwd]
}

// pin is running.pin, once for each repository.
func (b *shared) pin(gitdir string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if info, err := os.Lstat(gitdir); b.pinned[gitdir] || err != nil || !info.IsDir() {
		return nil
	}
	if err := b.pins.pin(gitdir); err != nil {
		return err
	}
	b.pinned[gitdir] = true
	return nil
}

// Holds reports whether top, a directory of the working tree of the options or this itself, is a working tree that programs
// which start there may write, and whether git can use its repository in the box.
func (b *Box) Holds(top string) bool {
	real, err := filepath.EvalSymlinks(top)
	if err != nil || !above(b.options.Policy.Dir, real) || b.tree(real) != real {
		return false
	}
	entry := filepath.Join(real, ".git")
	info, err := os.Lstat(entry)
	if err != nil || info.IsDir() {
		return err == nil
	}
	_, linked := linkedTo(entry)
	return linked
}

// Writable returns the additional writable directory, or file, that has path: by its name, or after links were followed. Empty: none.
func (b *Box) Writable(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	real, _ := filepath.EvalSymlinks(filepath.Dir(full))
	for _, dir := range slices.Concat(b.options.Policy.Write, b.write) {
		target, _ := filepath.EvalSymlinks(dir)
		if above(dir, full) || real != "" && above(target, filepath.Join(real, filepath.Base(full))) {
			return dir
		}
	}
	return ""
}

// share makes paths writable. Those of exact are left out if they contain a symbolic link. In others a link is followed, unless a
// program in the box can have made it.
func (l layout) share(exact, others []string, p *Policy) {
	paths := slices.Concat(exact, others)
	for i, path := range paths {
		inner := slices.ContainsFunc(append([]string{p.Dir}, paths...), func(w string) bool { return w != path && above(w, path) })
		real, err := filepath.EvalSymlinks(path)
		if err == nil && !above(real, p.Home) && (real == path || i >= len(exact) && !inner) {
			maps.DeleteFunc(l, func(at string, m mount) bool { return at != path && above(path, at) && m.fromSplit() })
			l.add("bind", real, path)
		}
	}
	l.hide(p.secrets())
	l.hold(p.secrets())
}

// keep makes paths below the working tree read-only.
func (l layout) keep(paths []string, p *Policy) {
	for _, path := range paths {
		if exists(path) != nil || path == p.Dir || !above(p.Dir, path) {
			continue
		}
		l.add("ro-bind", path, path)
		for dir := filepath.Dir(path); dir != p.Dir; dir = filepath.Dir(dir) {
			if _, mounted := l[dir]; !mounted {
				l.add("bind", dir, dir) // a mount cannot be renamed
			}
		}
	}
}

// program returns the paths that an executable needs: itself, and the directory in which it is
// installed.
func program(path, home string) []string {
	paths := []string{path}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return paths
	}
	paths = append(paths, real)
	if at := strings.Index(real, "/node_modules/"); at >= 0 {
		return append(paths, real[:at]+"/node_modules")
	}
	if slices.ContainsFunc(tools, func(name string) bool { return above(filepath.Join(home, name), real) }) {
		return paths
	}
	dir := filepath.Dir(real)
	if filepath.Base(dir) == "bin" {
		dir = filepath.Dir(dir)
	}
	if below, err := filepath.Rel(home, dir); err == nil && filepath.IsLocal(below) && strings.Contains(below, "/") {
		paths = append(paths, dir)
	}
	return paths
}

// entry is passed from Wrap to Enter in a file.
type entry struct {
	Args   []byte // bubblewrap's command line up to that of the program, with NUL between the words, which may not be UTF-8
	Filter []byte // for system calls
	Points []point
	Order  order // its mounts are not identified yet, and it has no environment
}

// Enter is what a command line of Wrap calls: it replaces this process with bubblewrap. args are
// those after Options.Enter. It returns only if that fails.
func Enter(args []string) error {
	if len(args) < 2 {
		return errors.New("this command is internal to boxes")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var e entry
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	if err := os.Remove(args[0]); err != nil {
		return err
	}
	rules, err := memory("filter", e.Filter)
	if err != nil {
		return err
	}
	if err := prepare(e.Points); err != nil {
		return err
	}
	e.Order.Env = textsOf(os.Environ())
	order, err := e.Order.file()
	if err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	// The descriptors may be in each other's way.
	var copies []int
	for _, f := range []*os.File{rules, null, order} {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, orderFile+1)
		if err != nil {
			return os.NewSyscallError("dup", err)
		}
		copies = append(copies, fd)
	}
	// Descriptors that this process inherited would otherwise be open in the box.
	if err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return &Missing{What: "the kernel is older than Linux 5.11 and cannot close inherited files"}
	}
	if err := errors.Join(unix.Dup3(copies[0], 3, 0), unix.Dup3(copies[1], startedFile, 0), unix.Dup3(copies[2], orderFile, 0)); err != nil {
		return os.NewSyscallError("dup3", err)
	}
	words := strings.Split(string(e.Args), "\x00")
	// Signals to end the program reach it directly; bubblewrap would end it with SIGKILL.
	signal.Ignore(syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	return os.NewSyscallError("exec bubblewrap", syscall.Exec(words[0], append(words, args[1:]...), nil))
}
