package box

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Paths in the box that belong to ripple.
const (
	ownPrefix  = "/.ripple-box-" // of a directory's path; no program can replace it there
	ownProgram = "/ripple"
	ownSocket  = "/proxy"
)

// isolation lists bubblewrap's options that do not depend on a policy.
var isolation = []string{
	"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
	"--die-with-parent", "--cap-drop", "ALL",
}

// Run runs a command in a box until it exits or the context is done. It returns the exit code,
// or 128 plus the signal number if a signal ended the command. No process is left in the box.
//
// Errors: ErrPolicy; *Missing when this machine cannot run the box. In both cases the command
// was not started.
func Run(ctx context.Context, c Command) (int, error) {
	if err := c.Policy.check(); err != nil {
		return 0, err
	}
	bwrap, err := findBubblewrap(&c.Policy)
	if err != nil {
		return 0, err
	}
	filter, err := seccomp(c.Policy.Nest)
	if err != nil {
		return 0, err
	}
	private, dir, err := c.Policy.privateDir()
	if err != nil {
		return 0, err
	}
	defer private.Remove()
	r := &running{Command: c, bwrap: bwrap, dir: dir}
	defer r.release()
	args, err := r.args()
	if err != nil {
		return 0, err
	}
	l, err := net.Listen("unix", filepath.Join(r.dir, "proxy"))
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan struct{})
	go func() {
		newProxy(&c.Policy, c.Denied).serve(ctx, l)
		close(served)
	}()
	defer func() {
		l.Close()
		cancel()
		<-served
	}()
	return r.start(ctx, args, filter)
}

// running is the state of a box from its setup to the end of its program.
type running struct {
	Command
	bwrap, dir string
	own        string // see addOwn
	pins       []pin
	mounts     []expected
	points     []point
}

// pin is a locked file of a repository: see running.pin.
type pin struct {
	file *os.File
	root *os.Root
}

// args creates the private directories and returns bubblewrap's arguments up to "--".
func (r *running) args() ([]string, error) {
	home, temp := filepath.Join(r.dir, "home"), filepath.Join(r.dir, "tmp")
	for _, dir := range []string{home, temp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := r.pin(filepath.Join(r.Policy.Dir, ".git")); err != nil {
		return nil, err
	}
	l, err := newLayout(&r.Policy, home, temp)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r.own = l.addOwn(&r.Policy, self, filepath.Join(r.dir, "proxy"))
	l.pin(r.dir)
	r.mounts, r.points = l.expect(), l.points(r.dir)
	cwd := r.Policy.Cwd
	if cwd == "" {
		cwd = r.Policy.Dir
	}
	args, err := l.args(r.Policy.Dir)
	if err != nil {
		return nil, err
	}
	return append(slices.Concat(isolation, args), "--chdir", cwd, "--seccomp", "3"), nil
}

const pinFile = "commondir"

// pin creates a repository's commondir file, which guard protects, and holds a shared lock on
// it, so that the last box of the repository can remove the file.
func (r *running) pin(gitdir string) error {
	if info, err := os.Lstat(gitdir); err != nil || !info.IsDir() {
		return nil
	}
	root, err := openDir(gitdir)
	if err != nil {
		return err
	}
	for {
		f, err := lockedFile(root, pinFile)
		if err != nil {
			root.Close()
			return fmt.Errorf("%w: locking %q: %w", ErrPolicy, filepath.Join(gitdir, pinFile), err)
		}
		held, err := f.Stat()
		now, gone := root.Lstat(pinFile)
		if err == nil && gone == nil && os.SameFile(held, now) {
			r.pins = append(r.pins, pin{f, root})
			if held.Size() == 0 {
				return root.WriteFile(pinFile, []byte(onlyItself), 0o644)
			}
			return nil
		}
		f.Close() // another box has just removed it
	}
}

// lockedFile opens a regular file, which it creates if necessary, and takes a shared lock on it.
func lockedFile(root *os.Root, name string) (*os.File, error) {
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := root.OpenFile(name, os.O_RDONLY|os.O_CREATE|unix.O_NONBLOCK, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH); err != nil {
		f.Close()
		return nil, os.NewSyscallError("flock", err)
	}
	return f, nil
}

// release removes the file that pin created, unless another box uses it.
func (r *running) release() {
	for _, p := range r.pins {
		text, err := io.ReadAll(io.LimitReader(p.file, 8))
		ours := err == nil && strings.HasPrefix(onlyItself, string(text)) // a part of it if the disk was full
		if ours && unix.Flock(int(p.file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = p.root.Remove(pinFile) // if it stays, it does not change git's behavior, unless the disk was full
		}
		p.file.Close()
		p.root.Close()
	}
}

// start runs bubblewrap, which runs Inside.
func (r *running) start(ctx context.Context, args []string, filter []byte) (int, error) {
	args = append(append(args, "--", r.own+ownProgram), r.Inside...)
	cmd := exec.Command(r.bwrap, append(args, r.Argv...)...)
	cmd.Env = []string{} // see order.Env
	end, err := r.connect(cmd)
	if err != nil {
		return 0, err
	}
	defer end()
	rules, err := memory("filter", filter)
	if err != nil {
		return 0, err
	}
	defer rules.Close()
	if err := prepare(r.points); err != nil {
		return 0, err
	}
	order, err := order{r.Policy.Limits, r.mounts, r.own + ownSocket, textsOf(r.Policy.Env)}.file()
	if err != nil {
		return 0, err
	}
	defer order.Close()
	ready, started, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer ready.Close()
	defer started.Close()
	cmd.ExtraFiles = []*os.File{rules, started, order}
	alone := !onTerminal()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: alone} // the kernel lets a program signal its whole group, also outside of the box
	// Descriptors that this process inherited would otherwise be open in the box.
	if err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return 0, &Missing{What: "the kernel is older than Linux 5.11 and cannot close inherited files"}
	}
	if err := cmd.Start(); err != nil {
		return 0, &Missing{What: "bubblewrap cannot be run: " + err.Error(), Fix: installer()}
	}
	started.Close()
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() }) // ends all processes in the box; it may have exited
	defer stop()
	if alone { // only now, so that bubblewrap ignores these signals if this process did
		defer forward(cmd.Process.Pid)()
	}
	err = cmd.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return 0, err
	}
	if n, _ := ready.Read(make([]byte, 1)); n == 0 && ctx.Err() == nil {
		return 0, r.unready()
	}
	return exitCode(cmd.ProcessState), nil
}

// onTerminal reports whether this process has a controlling terminal. A program needs the group of this process then: the
// shell's job control and the keys of the terminal know no other one.
func onTerminal() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	if err == nil {
		tty.Close()
	}
	return !errors.Is(err, unix.ENXIO)
}

// forward sends SIGINT and SIGQUIT, which this process receives, to the processes of a group until it is stopped.
func forward(group int) (stop func()) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGINT, unix.SIGQUIT)
	go func() {
		for s := range signals {
			_ = unix.Kill(-group, s.(syscall.Signal)) // it may have ended
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// unready returns the reason why the box could not be set up.
func (r *running) unready() error {
	if err := probe(r.bwrap); err != nil {
		return err
	}
	return &Missing{What: "the box could not be set up; the message above has the reason"}
}

// memory returns an in-memory file with the given content, positioned at its start.
func memory(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := io.Copy(f, bytes.NewReader(data)); err != nil {
		f.Close()
		return nil, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}

// programs lists the directories that are searched for programs which ripple runs outside of boxes.
var programs = []string{"/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin", "/usr/sbin", "/sbin"}

// findBubblewrap returns the path of bubblewrap.
//
// Errors: *Missing.
func findBubblewrap(p *Policy) (string, error) {
	if path := p.find("bwrap", programs); path != "" {
		return path, nil
	}
	return "", &Missing{What: "bubblewrap (bwrap) is not installed in " + strings.Join(programs, ", "), Fix: installer()}
}

// find returns the path of a program in the first directory that has it, or "". It skips programs that the box, and
// therefore also an earlier program in such a box, can write or replace.
func (p *Policy) find(name string, dirs []string) string {
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 || !filepath.IsAbs(path) {
			continue
		}
		if real, links := place(path); !slices.ContainsFunc(append(links, path, real), p.writable) {
			return path
		}
	}
	return ""
}

// Check reports whether this machine can run a box.
//
// Errors: *Missing.
func Check() error {
	bwrap, err := findBubblewrap(&Policy{})
	if err != nil {
		return err
	}
	if _, err := seccomp(false); err != nil {
		return err
	}
	return probe(bwrap)
}

// probe creates the namespaces of a box and runs a trivial program in them.
func probe(bwrap string) error {
	args := append(append([]string{}, isolation...), "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", bwrap, "--version")
	cmd := exec.Command(bwrap, args...)
	cmd.Env = []string{} // see order.Env
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	return &Missing{What: "bubblewrap cannot create namespaces: " + strings.TrimSpace(string(out)), Fix: namespacesFix()}
}
