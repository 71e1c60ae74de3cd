// Package workplace gives an agent limited access to the machine of its client: to the
// text files of one directory, and to commands that are started there.
//
// A Place opens nothing until it is used, and Close ends everything that was started.
// Files are opened with os.Root: neither a path nor a symbolic link leads out of the
// directory, whatever happens to it meanwhile. A command is not a shell job and has no
// terminal: its two streams are joined, and the end of the text is kept.
package workplace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Options say where a Place is, and what is started there.
type Options struct {
	Dir    string // absolute
	Attr   *syscall.SysProcAttr
	Status func(*os.ProcessState) (code int, signal string)
}

// Place is one agent's. Any goroutine may use it.
type Place struct {
	o Options

	mu        sync.Mutex
	root      *os.Root
	real      string // Dir without symbolic links
	env       []string
	grace     time.Duration
	terminals map[string]*terminal
	released  []released
	started   int
	closed    bool
}

// New is a place that nobody has used.
func New(o Options) *Place { return &Place{o: o, terminals: map[string]*terminal{}} }

// Equip says which environment commands have, "NAME=value", and how long they may take to
// end after SIGTERM.
func (p *Place) Equip(env []string, grace time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.env, p.grace = env, grace
}

// Error kinds.
var (
	ErrOutside = errors.New("outside of the directory that the agent works in")
	ErrNoText  = errors.New("not text")
	ErrTooMuch = errors.New("too much")
	ErrClosed  = errors.New("the turn is over")
)

// open makes the directory the root of all paths.
func (p *Place) open() (*os.Root, string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, "", ErrClosed
	}
	if p.root == nil {
		real, err := filepath.EvalSymlinks(p.o.Dir)
		if err != nil {
			return nil, "", err
		}
		if p.root, err = os.OpenRoot(real); err != nil {
			return nil, "", err
		}
		p.real = real
	}
	return p.root, p.real, nil
}

// find is a path below the root.
func (p *Place) find(path string) (root *os.Root, rel string, err error) {
	if !filepath.IsAbs(path) {
		return nil, "", fmt.Errorf("%w: %q is not an absolute path", ErrOutside, path)
	}
	root, real, err := p.open()
	if err != nil {
		return nil, "", err
	}
	resolved, err := resolve(filepath.Clean(path))
	if err != nil {
		return nil, "", err
	}
	rel, err = filepath.Rel(real, resolved)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, "", fmt.Errorf("%w, %s: %s", ErrOutside, p.o.Dir, path)
	}
	return root, rel, nil
}

// resolve follows the symbolic links of a path as far as it is there.
func resolve(path string) (string, error) {
	var rest []string
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(append([]string{real}, rest...)...), nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		parent, name := filepath.Split(path)
		rest = append([]string{name}, rest...)
		if path = filepath.Clean(parent); len(rest) > maxDepth {
			return "", fmt.Errorf("%w: more than %d parts of the path do not exist", ErrTooMuch, maxDepth)
		}
	}
}

// maxDepth is how many directories may be missing on the way to a file.
const maxDepth = 100

// Close ends every command, with what it started, and takes no more. The error lists what
// resisted.
func (p *Place) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	root, list := p.root, p.terminals
	p.root, p.terminals = nil, nil
	p.mu.Unlock()
	errs := make([]error, 0, len(list)+1)
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, t := range list {
		all.Go(func() {
			err := t.release(ctx)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	all.Wait()
	if root != nil {
		errs = append(errs, root.Close())
	}
	return errors.Join(errs...)
}
