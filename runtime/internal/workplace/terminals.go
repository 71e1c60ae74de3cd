package workplace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"example.org/ripple/runtime/proctree"
)

const (
	// maxOutput is how much of what a command prints is kept, in bytes, where the agent
	// does not want less.
	maxOutput = 1 << 20
	// maxTerminals is how many commands an agent may have at once.
	maxTerminals = 100
)

// Command is what an agent wants to be started.
type Command struct {
	Name string
	Args []string
	Env  []string // "NAME=value", over the place's own
	Dir  string   // absolute; empty: the place's
	Keep *int     // bytes of output; nil: maxOutput
}

// Exit is how a command ended.
type Exit struct {
	Code   int    // -1: by a signal
	Signal string // its name; empty: none
}

// terminal is a command that was started.
type terminal struct {
	place *Place
	cmd   *exec.Cmd
	out   *os.File

	keep  int           // bytes of output
	ended chan struct{} // closed when the command has, and all that it printed is there
	read  chan struct{} // closed when reading has ended

	mu    sync.Mutex // of what follows
	kept  []byte
	lost  bool  // the beginning of the output
	bytes int64 // of all of it

	ending sync.Mutex // of the tree
	tree   *proctree.Tree
}

// Create starts a command and returns its name. Errors: ErrOutside, ErrTooMuch, those of
// the system.
func (p *Place) Create(c Command) (id string, err error) {
	dir, err := p.dirOf(c.Dir)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	env := append(p.env[:len(p.env):len(p.env)], c.Env...)
	p.mu.Unlock()
	words := wordsOf(c, dir, env)
	t := &terminal{place: p, keep: maxOutput, ended: make(chan struct{}), read: make(chan struct{})}
	if c.Keep != nil {
		t.keep = min(max(*c.Keep, 0), maxOutput)
	}
	t.cmd = exec.Command(words[0], words[1:]...)
	t.cmd.Dir, t.cmd.Env, t.cmd.SysProcAttr = dir, env, p.o.Attr
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return "", ErrClosed
	case len(p.terminals) >= maxTerminals:
		return "", fmt.Errorf("%w: %d commands have not been released", ErrTooMuch, maxTerminals)
	}
	if err := t.start(); err != nil {
		return "", err
	}
	p.started++
	id = fmt.Sprintf("terminal-%d", p.started)
	p.terminals[id] = t
	return id, nil
}

func (t *terminal) start() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	t.out, t.cmd.Stdout, t.cmd.Stderr = r, w, w
	err = t.cmd.Start()
	_ = w.Close() // theirs
	if err != nil {
		_ = r.Close() // nothing comes
		return err
	}
	t.tree = proctree.New(t.cmd.Process.Pid, "")
	gone := make(chan struct{})
	go func() {
		_ = t.cmd.Wait() // its state says all
		close(gone)
		_ = r.SetReadDeadline(time.Now()) // wakes the reader; closed: it was released
	}()
	go t.follow(gone)
	return nil
}

// drainGap is how long the output of a command that has ended must be silent to be taken
// as read, and drainRounds how often that is waited for: others may keep it open.
const (
	drainGap    = 200 * time.Millisecond
	drainRounds = 5
)

// follow collects what is printed, and closes t.read when all that the command itself printed is
// there.
func (t *terminal) follow(gone <-chan struct{}) {
	defer close(t.read)
	err := t.take() // until the end, or until the command's own wakes us
	<-gone
	for i := 0; i < drainRounds && errors.Is(err, os.ErrDeadlineExceeded); i++ {
		before := t.printed()
		_ = t.out.SetReadDeadline(time.Now().Add(drainGap)) // closed: reading says so
		if err = t.take(); t.printed() == before {
			break
		}
	}
	close(t.ended)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = t.out.SetReadDeadline(time.Time{}) // see above
		_ = t.take()                           // of those that go on, until release
	}
}

// take reads until it cannot.
func (t *terminal) take() error {
	b := make([]byte, 32<<10)
	for {
		n, err := t.out.Read(b)
		t.add(b[:n])
		if err != nil {
			return err
		}
	}
}

// printed is how much was printed so far, in bytes.
func (t *terminal) printed() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

func (t *terminal) add(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	t.bytes += int64(len(b))
	if over := len(t.kept) - t.keep; over > t.keep { // not with each piece
		t.lost = true
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
}

// text is what was printed, its end, from a character on.
func (t *terminal) text() (text string, lost bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	over := max(0, len(t.kept)-t.keep)
	b := t.kept[over:]
	lost = t.lost || over > 0
	for lost && len(b) > 0 && !utf8.RuneStart(b[0]) {
		b = b[1:]
	}
	return strings.ToValidUTF8(string(b), "?"), lost // no longer than it was
}

// exit is nil while the command runs.
func (t *terminal) exit() *Exit {
	select {
	case <-t.ended:
		code, signal := t.place.o.Status(t.cmd.ProcessState)
		return &Exit{code, signal}
	default:
		return nil
	}
}

// kill ends the command and all that it started.
func (t *terminal) kill(ctx context.Context) error {
	t.ending.Lock()
	defer t.ending.Unlock()
	err := t.tree.End(ctx, proctree.Step{Signal: syscall.SIGTERM, Grace: t.place.grace})
	if errors.Is(err, proctree.ErrUnsupported) {
		_ = t.cmd.Process.Kill() // it may be gone
		err = nil
	}
	return err
}

func (t *terminal) release(ctx context.Context) error {
	err := t.kill(ctx)
	_ = t.out.Close() // only read from
	select {
	case <-t.read:
	case <-ctx.Done(): // it hangs in the kernel
	}
	return err
}

func (p *Place) terminal(id string) (*terminal, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	t := p.terminals[id]
	if t == nil {
		return nil, fmt.Errorf("there is no terminal %q: %w", id, os.ErrNotExist)
	}
	return t, nil
}

// Output is what a command has printed, and how it ended; nil: it runs. lost: it was more.
func (p *Place) Output(id string) (text string, lost bool, exit *Exit, err error) {
	t, err := p.terminal(id)
	if err != nil {
		return "", false, nil, err
	}
	exit = t.exit() // first: then the output before its end is complete
	text, lost = t.text()
	return text, lost, exit, nil
}

// Wait waits for the end of a command.
func (p *Place) Wait(ctx context.Context, id string) (Exit, error) {
	t, err := p.terminal(id)
	if err != nil {
		return Exit{}, err
	}
	select {
	case <-t.ended:
		return *t.exit(), nil
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

// Kill ends a command and what it started; what it printed stays.
func (p *Place) Kill(ctx context.Context, id string) error {
	t, err := p.terminal(id)
	if err == nil {
		err = t.kill(ctx)
	}
	return err
}

// Release is Kill, and forgets the command.
func (p *Place) Release(ctx context.Context, id string) error {
	t, err := p.terminal(id)
	if err != nil {
		return err
	}
	err = t.release(ctx)
	text, _ := t.text()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.terminals, id)
	p.released = append(p.released[max(0, len(p.released)+1-maxTerminals):], released{id, text[max(0, len(text)-maxReleased):]})
	return err
}
