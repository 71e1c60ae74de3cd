// Package tui drives a coding agent through its own full-screen interface, as a person
// would: it starts the agent on a terminal, recognizes from the screen whether the agent
// is ready, works, or asks something, enters prompts and answers, and reads new text.
//
//	t, err := tui.Start(adapter, tui.Options{Dir: dir})
//	…
//	defer t.Close(ctx)
//	wait, err := t.Submit(ctx, "say hello")
//	…
//	turn, err := wait(ctx)
//
// The adapter (agent.screen) describes the screen of each state. Type rules, which is
// pure, examines the screen and never the bytes. A state counts when the kernel reports that the
// program waits for input, or when the state has been there for a declared time (watch,
// pure). A model can make the screen show any text; therefore adapters bind their rules to
// places where only the program draws.
package tui

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/internal/scratch"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/terminal"
	"example.org/ripple/schema"
)

// Options are optional: the zero value is useful.
type Options struct {
	From       string     // directory of the user: see launch.Request; empty: the caller's
	Dir        string     // working directory; empty: that of the user
	Env        []string   // KEY=value, over the adapter's
	Args       []string   // after agent.screen.args
	Executable string     // path or name; empty: found by the adapter's rules
	Cols, Rows int        // 0: the adapter's
	Box        launch.Box // where it runs; nil: without a box

	Terminal func(*terminal.Terminal)          // gets the terminal before the first byte is read
	Through  func(temp string) []string        // the command line of a process that executes what follows it
	Read     func(output []byte, at time.Time) // receives all output, in order
	Sole     bool                              // see proctree.Tree
	FaultDir string                            // for reports of panics of ripple's own code; empty: the system's directory for temporary files
}

// State is the agent's state according to its screen.
type State struct {
	Sight
	Counts bool // it has been shown long enough, or the program waits
	Ended  bool // the program has ended
	// Answered means that the question has been answered; the agent may not have read the
	// answer yet.
	Answered bool
	moved    bool // the screen has changed since something was typed
}

// ErrUnknown reports that the adapter does not describe the agent's screen.
var ErrUnknown = errors.New("its adapter does not describe its screen: agent.screen is missing")

// TUI is a started agent. Its methods may be called from several goroutines; prompts are
// entered one after another.
type TUI struct {
	screen  *schema.AgentScreen
	name    string
	rules   *rules
	term    *terminal.Terminal
	scratch *scratch.Dir
	turn    chan struct{} // a semaphore: the holder of its token may enter something
	silent  chan struct{} // closed after the last output
	over    chan struct{} // closed when the last output has been examined
	typed   chan struct{} // wakes look
	faults  faults

	mu      sync.Mutex
	watch   watch
	last    Picture
	drawn   bool      // it differs from the one when something was last typed
	printed time.Time // when something was last printed
	taken   int64
	counts  bool          // the result of watch at the last look
	replied bool          // the last input is an answer
	wait    uint64        // the kernel's wait ID when something was last typed
	news    chan struct{} // closed when something changed
	session string
}

// Start starts the agent's interface. Errors: ErrUnknown, *launch.MissingError, *launch.DirError,
// and errors of the system.
func Start(a *schema.Adapter, o Options) (*TUI, error) {
	if a.Agent == nil || a.Agent.Screen == nil {
		return nil, fmt.Errorf("%s: %w", a.Name, ErrUnknown)
	}
	s := a.Agent.Screen
	rules, err := compile(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	scratch.SweepOnce("", 0)
	private, err := scratch.New("", strconv.Itoa(os.Getpid()))
	if err != nil {
		return nil, err
	}
	t := &TUI{
		screen: s, name: a.Name, rules: rules, scratch: private, turn: make(chan struct{}, 1),
		silent: make(chan struct{}), over: make(chan struct{}), typed: make(chan struct{}, 1), news: make(chan struct{}),
		watch: watch{quiet: time.Duration(s.QuietMS) * time.Millisecond}, faults: faults{reports: fault.Reports{Dir: o.FaultDir}},
	}
	t.turn <- struct{}{}
	if err := t.start(a, o); err != nil {
		private.Remove()
		return nil, err
	}
	return t, nil
}

func (t *TUI) start(a *schema.Adapter, o Options) error {
	env := merged(a.Agent.Env, t.screen.Env)
	plan, err := launch.Build(a, launch.OSHost(), launch.Request{
		From: o.From, Dir: o.Dir, Env: append(env, o.Env...), Args: slices.Concat(t.screen.Args, o.Args), Cols: o.Cols, Rows: o.Rows,
		Executable: o.Executable, Nonce: rand.Text(), ScratchDir: t.scratch.Path, Box: o.Box,
	})
	if err != nil {
		return err
	}
	for _, f := range plan.Files {
		if err := f.Write(); err != nil {
			return err
		}
	}
	c := pty.Command{
		Path: plan.Path, Argv: plan.Argv, Env: plan.Env, Dir: plan.Dir,
		Size: pty.Size{Cols: plan.TTY.Cols, Rows: plan.TTY.Rows}, Echo: true, Canonical: true,
	}
	if o.Through != nil {
		c.Argv = append(o.Through(t.scratch.Path), c.Argv...)
		c.Path = c.Argv[0]
	}
	t.term, err = terminal.Start(c, terminal.Options{Replies: plan.TTY.Replies, Screen: true, OwnsOrphans: o.Sole, OnFault: t.faults.painted})
	if err != nil {
		return fmt.Errorf("%s: %s cannot be started: %w", a.Name, plan.Path, err)
	}
	if o.Terminal != nil {
		o.Terminal(t.term)
	}
	t.printed = time.Now()
	go t.read(o.Read)
	go t.look()
	return nil
}

// merged returns the union of two environments, in which the second one takes precedence.
func merged(low, high map[string]string) (kv []string) {
	all := maps.Clone(low)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, high)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		kv = append(kv, k+"="+all[k])
	}
	return kv
}

// State returns the agent's current state.
func (t *TUI) State() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state()
}

func (t *TUI) state() State {
	unread := t.replied && !t.watch.moved && time.Since(t.watch.typed) < unseen
	return State{Sight: t.watch.now, Counts: t.counts, Ended: isClosed(t.over), Answered: unread, moved: t.watch.moved}
}

// ErrEnded reports that the program has ended.
var ErrEnded = errors.New("the agent's program has ended")

// WaitState waits until the agent is in a state. Errors: ErrEnded, that of the context, and one
// about a panic of the code that interprets the screen.
func (t *TUI) WaitState(ctx context.Context, want func(State) bool) (State, error) {
	for {
		t.mu.Lock()
		s, news := t.state(), t.news
		t.mu.Unlock()
		switch {
		case want(s):
			return s, nil
		case s.Ended:
			return s, ErrEnded
		case t.faults.failure() != nil:
			return s, t.faults.failure()
		}
		select {
		case <-news:
		case <-ctx.Done():
			return s, ctx.Err()
		}
	}
}

// Done returns a channel that is closed when the program has ended.
func (t *TUI) Done() <-chan struct{} { return t.over }

// ExitStatus is valid when Done is closed; see terminal.Program.
func (t *TUI) ExitStatus() (code int, signal string) { return t.term.ExitStatus() }

// PID returns the program's process ID.
func (t *TUI) PID() int { return t.term.PID() }

// Picture returns the current picture.
func (t *TUI) Picture() (p Picture) {
	_ = t.tryScreen("reading the agent's screen", func(s *vt.Screen) { p = t.rules.picture(s) }) // callers that wait get the error
	return p
}

// Conversation returns the visible part of the conversation, without indicators of activity.
func (t *TUI) Conversation() (text string) {
	rows := t.Picture().Rows
	_ = t.try("reading the agent's conversation", func() { // callers that wait get the error
		text = strings.Join(t.rules.text.conversation(rows), "\n")
	})
	return text
}

// Session returns the ID of the agent's session, or "" if the screen has not shown it.
func (t *TUI) Session() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session
}
