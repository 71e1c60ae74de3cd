package contract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/scratch"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// Server is a private server of an adapter (ready.needs.server), in a directory of its own, which is removed with it.
type Server struct {
	Args []string // further arguments of a program that connects to it
	Env  []string // the environment of such a program, as KEY=VALUE

	private *scratch.Dir
	tree    *proctree.Tree
	ended   chan struct{} // closed when the process was reaped
}

const (
	serverStart = 60 * time.Second // to create its files and to accept connections
	serverGrace = 10 * time.Second // to exit by itself
	serverSays  = 64 << 10         // bytes of its output that are kept
)

// ErrNoServer is returned if the program of a server is not installed.
var ErrNoServer = errors.New("the server's program is not installed")

// StartServer creates a server's files, starts it and waits until it accepts connections, at most a minute. End it with
// End.
//
// Errors: ErrNoServer; errors.ErrUnsupported on Windows; else what the
// server printed.
func StartServer(ctx context.Context, spec *schema.Server) (s *Server, err error) {
	ctx, cancel := context.WithTimeout(ctx, serverStart)
	defer cancel()
	commands := slices.Concat(spec.Prepare, [][]string{spec.Command})
	for i, argv := range commands {
		path, found := find(argv[0], spec.Path)
		if !found {
			return nil, fmt.Errorf("%w: %s", ErrNoServer, argv[0])
		}
		commands[i] = append([]string{path}, argv[1:]...)
	}
	s = &Server{ended: make(chan struct{})}
	if s.private, err = scratch.New("", "server"); err != nil {
		return nil, err
	}
	dir, err := ownDirectory(s.private.Path, spec.Unprivileged)
	if err != nil {
		s.private.Remove()
		return nil, err
	}
	expand := func(text string) string { return schema.Expand(text, map[string]string{"dir": dir}) }
	for _, arg := range spec.Args {
		s.Args = append(s.Args, expand(arg))
	}
	for name, value := range spec.Env {
		s.Env = append(s.Env, name+"="+expand(value))
	}
	for i, argv := range commands {
		for j := range argv {
			argv[j] = expand(argv[j])
		}
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.SysProcAttr = dir, serverProcess(spec.Unprivileged)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LC_ALL=C.UTF-8"}
		if i == len(commands)-1 {
			err = s.serve(ctx, cmd, spec.Ready)
		} else {
			err = finish(ctx, cmd)
		}
		if err != nil {
			_ = s.End() // the first error says more
			return nil, fmt.Errorf("%s: %w", filepath.Base(argv[0]), err)
		}
	}
	return s, nil
}

// serve starts the private server of an adapter that declares one. If its program is not installed,
// the tests use any available server; if it does not start, they are skipped, since that does not
// concern the adapter.
func (r *runner) serve(ctx context.Context) bool {
	needs := r.adapter.Ready.Needs
	if needs == nil || needs.Server == nil {
		return true
	}
	s, err := StartServer(ctx, needs.Server)
	switch {
	case errors.Is(err, ErrNoServer), errors.Is(err, errors.ErrUnsupported):
		return true
	case err != nil:
		r.skip(&session.StartError{Adapter: r.adapter.Name, MissingService: needs.What + "; a private one did not start: " + err.Error()})
		return false
	}
	r.server = s
	return true
}

// serverAdvice returns advice on how to give the tests their own server.
func (r *runner) serverAdvice() string {
	needs := r.adapter.Ready.Needs
	if r.server != nil || needs == nil || needs.Server == nil || len(needs.Server.Debian) == 0 {
		return ""
	}
	return "; the tests start a private server if its program is installed: " + launch.InstallLine(&schema.Install{Debian: needs.Server.Debian})
}

func (r *runner) endServer() {
	if r.server == nil {
		return
	}
	if err := r.server.End(); err != nil {
		r.report.Notes = append(r.report.Notes, "ending the private server: "+err.Error())
	}
}

// find looks for a program in directories, where a pattern may match several and the last one is
// the newest, and then in PATH.
func find(name string, dirs []string) (path string, found bool) {
	for _, pattern := range dirs {
		matches, _ := filepath.Glob(filepath.Join(pattern, name)) // a bad pattern finds nothing
		for _, match := range slices.Backward(matches) {
			if path, err := exec.LookPath(match); err == nil {
				return path, true
			}
		}
	}
	path, err := exec.LookPath(name)
	return path, err == nil
}

// finish runs a command to its end.
func finish(ctx context.Context, cmd *exec.Cmd) error {
	said := &tail{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%w: %s", err, said.last())
		}
		return nil
	case <-ctx.Done():
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), serverGrace)
		defer cancel()
		err := proctree.New(cmd.Process.Pid, "").Kill(stopping)
		<-ended
		return errors.Join(context.Cause(ctx), err)
	}
}

// serve starts the server and waits until it reports that it is ready.
func (s *Server) serve(ctx context.Context, cmd *exec.Cmd, ready string) error {
	pattern, err := schema.CompilePattern(ready)
	if err != nil {
		return err
	}
	said := &tail{came: make(chan struct{}, 1)}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		return err
	}
	s.tree = proctree.New(cmd.Process.Pid, "")
	go func() {
		_ = cmd.Wait() // only its end matters
		close(s.ended)
	}()
	for {
		if is, err := pattern.MatchString(said.text()); err != nil || is {
			return err
		}
		select {
		case <-said.came:
		case <-s.ended:
			return fmt.Errorf("it ended before it was ready: %s", said.last())
		case <-ctx.Done():
			return fmt.Errorf("it did not become ready, as no output matched %q: %s", ready, said.last())
		}
	}
}

// End ends the server with all its processes, and removes its directory. An error names the processes that are left.
func (s *Server) End() error {
	defer s.private.Remove()
	if s.tree == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*serverGrace)
	defer cancel()
	err := s.tree.End(ctx, proctree.Step{Signal: askToEnd, Grace: serverGrace})
	if err != nil {
		return err
	}
	<-s.ended
	return nil
}

// tail keeps the end of the processes' output.
type tail struct {
	mu   sync.Mutex
	data []byte
	came chan struct{} // receives a value when there is more output; nil: no goroutine waits
}

var _ io.Writer = (*tail)(nil)

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	t.data = append(t.data, p...)
	t.data = t.data[max(0, len(t.data)-serverSays):]
	t.mu.Unlock()
	select {
	case t.came <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}

// last returns the last line that is not empty.
func (t *tail) last() string {
	text := strings.TrimSpace(vt.Strip(t.text()))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
