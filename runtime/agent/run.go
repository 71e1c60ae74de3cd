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

// Options configures one turn; the zero value is useful.
type Options struct {
	Dir        string   // working directory; empty: the caller's
	Env        []string // KEY=value, added to the adapter's own, which they override
	Executable string   // path or name; empty: found by the adapter's rules

	Timeout     time.Duration // limit of the whole turn; 0: none
	IdleTimeout time.Duration // limit of the time without a byte from the agent; 0: none
	Grace       time.Duration // time to exit after SIGINT, and again after SIGTERM; 0: 3 s

	// PriorTokens is the usage of the session before this turn (Outcome.SessionTokens of the previous
	// turn), for agents that count the whole session.
	PriorTokens event.Tokens

	// Ask answers the agent's questions during the turn, if the transport supports that. nil:
	// the adapter's unattended policy decides.
	Ask event.Ask

	// Cols and Rows are the size of the agent's own screen, in character cells; 0: 120 by 40.
	// It is set before the start because a program that has just started may miss a resize.
	Cols, Rows int

	// Attach is called for a turn on the agent's own screen, before the program prints anything,
	// so that a user can watch the screen and answer questions there. nil: nobody is attached.
	Attach func(Attachment)

	OnEvent func(event.Event) // receives each event as it happens, from one goroutine at a time
	Output  io.Writer         // receives a copy of the stream that carries the events
	Stderr  io.Writer         // receives a copy of the other stream

	// Box is the box in which the agent runs. Its client's files and terminals, which are
	// outside, are then not offered to it. nil: without a box.
	Box launch.Box

	// FaultDir is the directory for reports of ripple's own panics. After a panic one line of
	// the output is reported as the agent printed it, or the turn ends with a failure that names
	// the report.
	// Empty: the system's directory for temporary files.
	FaultDir string

	// OwnsOrphans says that nothing else in this process starts programs. Then every orphan that the
	// process adopted (proctree.Guard) belongs to this turn.
	OwnsOrphans bool
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
	a, err := a.WithTransport("")
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
	if w.p, err = start(a.Agent, plan, source{c.Stdin, w.talk != nil}, o.OwnsOrphans); err != nil {
		return Outcome{}, fmt.Errorf("%s: %s cannot be started: %w", a.Name, plan.Path, err)
	}
	return w.r.judged(w.turn(ctx)), nil
}

// newWatch is the watch of a turn whose process has not started.
func newWatch(ctx context.Context, a *schema.Adapter, t Turn, c Command, o Options) (*watch, error) {
	w := &watch{o: o, linger: time.Duration(a.Agent.LingerMS) * time.Millisecond}
	var err error
	if a.Agent.Transport != schema.TransportACP {
		if w.r, err = newReader(a.Agent, o.PriorTokens, o.OnEvent); err != nil {
			return nil, err
		}
		w.r.faults.Dir = o.FaultDir
		return w, nil
	}
	if w.talk, err = newTalk(ctx, a, t, c.Message, o); err != nil {
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
			return c, fmt.Errorf("writing the prompt to a file: %w", err)
		}
		last := len(c.Args) - 1 // others may say the same and mean it
		c.Args[last] = strings.TrimSuffix(c.Args[last], FilePath) + path
	}
	if c.ToolsFile != "" {
		path := filepath.Join(scratch, c.ToolsName)
		if err := os.WriteFile(path, []byte(c.ToolsFile), 0o600); err != nil {
			return c, fmt.Errorf("writing the list of allowed tools: %w", err)
		}
		for _, i := range c.ToolsAt {
			c.Args[i] = strings.ReplaceAll(c.Args[i], ToolsPath, path)
		}
	}
	return c, nil
}

// InAgentVariable is set in the environment of every agent that takes a turn, and therefore of
// the programs that it starts: they know by it that no user is typing.
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
