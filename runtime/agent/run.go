package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/scratch"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/schema"
)

// Options are a caller's wishes for one turn; the zero value is useful.
type Options struct {
	Dir        string   // working directory; empty: the caller's
	Env        []string // KEY=value, over the adapter's own
	Executable string   // path or name; empty: found by the adapter's rules

	Timeout     time.Duration // for the whole turn; 0: none
	IdleTimeout time.Duration // without a byte from the agent; 0: none
	Grace       time.Duration // after SIGINT, and again after SIGTERM; 0: 3 s

	// Used is what the session had used before this turn (Outcome.Session of the
	// turn before), for agents that count the whole session.
	Used event.Tokens

	// Ask answers what an agent asks in the middle of its turn, where its transport
	// can. nil: what the adapter declares.
	Ask event.Ask

	// Cols and Rows are the size of the agent's own screen; 0: 120 by 40. A program that
	// has just started may miss that its terminal gets another one.
	Cols, Rows int

	// Seat is called for a turn on the agent's own screen before anything is to be seen
	// there: a person sees it and answers what it asks. nil: nobody does.
	Seat func(Seat)

	OnEvent func(event.Event) // gets each event as it happens, from one goroutine
	Output  io.Writer         // gets a copy of the stream that carries the events
	Stderr  io.Writer         // gets a copy of the other one

	// Box is where the agent runs. It is then not offered its client's files and terminals,
	// which are outside. nil: without a box.
	Box launch.Box

	// FaultDir is where reports of panics of ripple's own code are written. Such a panic costs one
	// line its form, or ends the turn with a failure that names the report. Empty: the system's
	// directory for temporary files.
	FaultDir string

	// Sole says that nothing else in this process starts programs, so that every
	// orphan which it adopted (proctree.Guard) belongs to this turn.
	Sole bool
}

const defaultGrace = 3 * time.Second

// Run runs one turn. A failed turn does not return an error: Outcome.Failure describes it.
// Errors: *UnsupportedError for a feature that the agent does not have,
// *launch.MissingError if the agent is not installed, *launch.DirError, and errors of the
// system.
func Run(ctx context.Context, a *schema.Adapter, t Turn, o Options) (Outcome, error) {
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	if t.Directory == "" {
		t.Directory = o.Dir
	}
	a, err := a.Way("")
	if err != nil {
		return Outcome{}, &UnsupportedError{a.Name, err.Error()}
	}
	scratch.SweepOnce("", 0)
	private, err := scratch.New("", "turn")
	if err != nil {
		return Outcome{}, err
	}
	defer private.Remove() // the prompt's file
	if o.OnEvent == nil {
		o.OnEvent = func(event.Event) {}
	}
	c, err := prepare(a, t, private.Path)
	if err != nil {
		return Outcome{}, err
	}
	begin := time.Now()
	take := takeStreams
	if a.Agent.Transport == schema.TransportScreen {
		take = takeScreen
	}
	out, err := take(ctx, a, t, c, o, private.Path)
	if err != nil {
		return Outcome{}, err
	}
	out.Duration = time.Since(begin)
	if t.SessionID != "" && out.Failure == nil && out.SessionID != "" && out.SessionID != t.SessionID {
		out.Problems = append(out.Problems, fmt.Sprintf("the agent started session %s instead of continuing %s", out.SessionID, t.SessionID))
	}
	return out, nil
}

// takeStreams takes a turn over the agent's standard streams.
func takeStreams(ctx context.Context, a *schema.Adapter, t Turn, c Command, o Options, scratch string) (Outcome, error) {
	plan, err := launch.Build(a, launch.OSHost(), launch.Request{
		Dir: o.Dir, Env: environment(c, o), Args: c.Args, Executable: o.Executable,
		Nonce: rand.Text(), ScratchDir: scratch, Box: o.Box,
	})
	if err != nil {
		return Outcome{}, err
	}
	w, err := newWatch(ctx, a, t, c, o)
	if err != nil {
		return Outcome{}, err
	}
	if w.talk != nil {
		w.talk.work.equip(plan.Env, o.Grace)
	}
	if w.p, err = start(a.Agent, plan, source{c.Stdin, w.talk != nil}, o.Sole); err != nil {
		return Outcome{}, fmt.Errorf("%s: %s cannot be started: %w", a.Name, plan.Path, err)
	}
	return w.r.judged(w.turn(ctx)), nil
}

// newWatch is the watch of a turn whose process has not started.
func newWatch(ctx context.Context, a *schema.Adapter, t Turn, c Command, o Options) (*watch, error) {
	w := &watch{o: o, linger: time.Duration(a.Agent.LingerMS) * time.Millisecond}
	var err error
	if a.Agent.Transport != schema.TransportACP {
		if w.r, err = newReader(a.Agent, o.Used, o.OnEvent); err != nil {
			return nil, err
		}
		w.r.faults.Dir = o.FaultDir
		return w, nil
	}
	if w.talk, err = newTalk(ctx, a, t, c.Said, o); err != nil {
		return nil, err
	}
	w.talk.r.faults.Dir = o.FaultDir
	w.r, w.begin = w.talk.r, time.Duration(a.Agent.ACP.StartMS)*time.Millisecond
	return w, nil
}

// prepare builds the command line and writes the prompt's file.
func prepare(a *schema.Adapter, t Turn, scratch string) (c Command, err error) {
	if c, err = NewCommand(a, t); err != nil {
		return c, err
	}
	if c.File != "" {
		path := filepath.Join(scratch, "prompt.md")
		if err := os.WriteFile(path, []byte(c.File), 0o600); err != nil {
			return c, fmt.Errorf("the prompt's file: %w", err)
		}
		last := len(c.Args) - 1 // others may say the same and mean it
		c.Args[last] = strings.TrimSuffix(c.Args[last], FilePath) + path
	}
	if c.ToolsFile != "" {
		path := filepath.Join(scratch, c.ToolsName)
		if err := os.WriteFile(path, []byte(c.ToolsFile), 0o600); err != nil {
			return c, fmt.Errorf("the file of allowed tools: %w", err)
		}
		for _, i := range c.ToolsAt {
			c.Args[i] = strings.ReplaceAll(c.Args[i], ToolsPath, path)
		}
	}
	return c, nil
}

// InAgentVariable is in the environment of every agent that takes a turn, and so of what it
// starts: a person does not type there.
const InAgentVariable = "RIPPLE_IN_AGENT"

func environment(c Command, o Options) []string {
	return append(append(list(c.Env), o.Env...), InAgentVariable+"=1")
}

func list(env map[string]string) []string {
	var kv []string
	for k, v := range env {
		kv = append(kv, k+"="+v)
	}
	return kv
}
