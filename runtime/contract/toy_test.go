package contract

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// A toy is an interpreter in memory that implements the evaluator interface. Each defect makes it
// wrong in one way: a test that does not notice it is useless.
type toy struct {
	mu      sync.Mutex
	changed chan struct{}
	done    chan struct{}
	defect  string
	watch   session.Observer
	clock   time.Duration

	state   session.State
	value   string
	half    bool        // the end of a block is missing
	blocked chan string // the answer to a read, or "" from an interrupt
	queue   sync.Mutex
	evals   []string
}

const toyPrompt = "toy> "

// toyAdapter declares everything a toy can do.
func toyAdapter() *schema.Adapter {
	interrupt := "\x03"
	return &schema.Adapter{
		Name: "toy", Version: "1.0.0", Source: "toy.yaml", Family: schema.FamilyREPL,
		Process:      schema.Process{TTY: schema.TTY{Echo: true, Canonical: true}},
		Prompt:       schema.Prompt{Strategy: schema.PromptShellIntegration, ShellIntegration: &schema.ShellIntegration{Nonce: "required"}},
		Output:       schema.Output{StripInputEcho: true, InputEchoStrategy: schema.EchoOSCBoundaries},
		Input:        schema.Input{LineEnding: "\n"},
		Signals:      schema.Signals{Interrupt: &interrupt},
		Capabilities: schema.Capabilities{Stateful: true, Interrupt: true, ExitCode: schema.ExitCodeTrue, CwdTracking: true},
		Probe:        &schema.Probe{Eval: "print ready", Expect: "^ready$"},
		Samples: schema.Samples{
			Print: "print {text}", PrintLines: "lines {n}", Error: "fail", Busy: "busy", Sleep: "sleep {n}",
			ReadLine: "read", ReadSecret: "secret", Multiline: "begin\nnext {n}", SetVar: "set {n}", GetVar: "get",
			RawBytes: "raw {text}", Comment: "# nothing", Cd: "cd {path}",
		},
		Modes: []schema.Mode{{Name: "main", Default: true}, {Name: "debugger", ExitCommands: []schema.ModeCommand{{Command: "leave"}}}},
		Tests: []schema.Test{{Name: "enters the debugger", Step: step("enter", func(s *schema.Step) { s.ExpectMode = ptr("debugger") })}},
	}
}

func ptr[T any](v T) *T { return &v }

func step(eval string, more ...func(*schema.Step)) schema.Step {
	s := schema.Step{Eval: &eval}
	for _, m := range more {
		m(&s)
	}
	return s
}

func toyOpener(defect string) opener {
	return func(ctx context.Context, a *schema.Adapter, o session.Options) (evaluator, error) {
		if defect == "does not start" {
			return nil, &session.StartError{Adapter: a.Name, Expected: "marker A", Output: "toy: cannot start", Err: ctx.Err()}
		}
		if defect == "ends without its server" {
			return nil, &session.StartError{Adapter: a.Name, MissingService: "a server", Err: session.ErrExited}
		}
		y := &toy{defect: defect, watch: o.Observer, changed: make(chan struct{}), done: make(chan struct{})}
		y.state = session.State{Phase: session.PhaseReady, Mode: "main", Cwd: o.Dir}
		if defect == "has no server" {
			y.state.MissingService = "a server"
		}
		y.observe(session.EventRead, "Welcome\r\n\x1b]633;A;"+strings.Repeat("ab", 16)+"\a"+toyPrompt)
		return y, nil
	}
}

func (y *toy) observe(k session.EventKind, data string) {
	y.clock += time.Millisecond
	if y.watch != nil {
		y.watch.Observe(session.Event{At: y.clock, Kind: k, Data: []byte(data)})
	}
}

// set changes the state and wakes all goroutines that wait for it.
func (y *toy) set(f func(*session.State)) {
	y.mu.Lock()
	defer y.mu.Unlock()
	f(&y.state)
	close(y.changed)
	y.changed = make(chan struct{})
}

func (y *toy) State() session.State {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.state
}

func (y *toy) WaitState(ctx context.Context, want func(session.State) bool) (session.State, error) {
	for {
		y.mu.Lock()
		s, changed := y.state, y.changed
		y.mu.Unlock()
		if want(s) {
			return s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return s, ctx.Err()
		}
	}
}

func (y *toy) Done() <-chan struct{} { return y.done }

func (y *toy) Close(context.Context) error {
	if y.defect == "does not close" {
		return fmt.Errorf("process 4711 (toy) could not be ended")
	}
	if y.watch != nil && y.defect == "ignores its exit command" {
		y.watch.Observe(session.Event{Kind: session.EventExit, Text: (&session.ExitError{Signal: "SIGHUP"}).Error()})
	}
	return nil
}

func (y *toy) Send(_ context.Context, input []byte) error {
	y.observe(session.EventWrite, string(input))
	y.blocked <- string(input)
	return nil
}

func (y *toy) Interrupt(context.Context) (session.Result, error) {
	if y.defect == "ignores interrupts" {
		return session.Result{CompletedBy: session.ByTimeout}, session.ErrTimeout
	}
	y.set(func(s *session.State) { s.Phase, s.Partial, s.Waiting = session.PhaseReady, "", "" })
	y.blocked = nil
	return session.Result{CompletedBy: session.ByInterrupt, Output: "^C"}, nil
}

func (y *toy) Eval(ctx context.Context, code string) (session.Result, error) {
	y.queue.Lock()
	defer y.queue.Unlock()
	y.evals = append(y.evals, code)
	if y.State().Phase == session.PhaseRunning {
		if y.defect == "forgets that it is busy" {
			return session.Result{}, nil
		}
		return session.Result{}, session.ErrBusy
	}
	if code == "(" {
		return session.Result{}, &session.IncompleteError{Reason: "( is open", Line: 1, Column: 1}
	}
	y.observe(session.EventWrite, code+"\n")
	y.set(func(s *session.State) { s.Phase, s.Partial = session.PhaseRunning, "" })
	r := session.Result{CompletedBy: session.ByMarker, ExitCode: ptr(0)}
	if code == "" && y.defect == "is silent about nothing" {
		return r, y.block(ctx, &r, session.WaitingInput)
	}
	if code == "begin" {
		return y.incomplete(ctx, r)
	}
	if y.half {
		r, code = y.later(r, code)
	}
	var err error
	for line := range strings.SplitSeq(code, "\n") {
		if err = y.line(ctx, line, &r); err != nil || r.CompletedBy == session.ByExit {
			break
		}
	}
	if err == nil {
		y.set(func(s *session.State) { s.Phase, s.Partial, s.Waiting = session.PhaseReady, "", "" })
	}
	return y.finish(code, r), err
}

// incomplete handles the first line of a block alone. A sound toy withdraws it.
func (y *toy) incomplete(ctx context.Context, r session.Result) (session.Result, error) {
	switch y.defect {
	case "hangs in half a block":
		return r, y.block(ctx, &r, session.WaitingNone)
	case "exits in half a block":
		return r, y.line(ctx, "exit", &r)
	}
	y.half = true
	y.set(func(s *session.State) { s.Phase, s.Partial, s.Waiting = session.PhaseReady, "", "" })
	return r, &session.IncompleteError{Reason: "the toy asked for another line; the input was withdrawn"}
}

// later handles the first command after that.
func (y *toy) later(r session.Result, code string) (session.Result, string) {
	y.half = false
	switch y.defect {
	case "keeps half a block":
		code = ""
	case "ends half a block later":
		r.Failed = true
	case "shows half a block later":
		r.Output = "begin\n"
	}
	return r, code
}

// finish completes a result, and applies the defect.
func (y *toy) finish(code string, r session.Result) session.Result {
	s := y.State()
	r.Mode, r.Level, r.Cwd, r.Bytes = s.Mode, s.Level, s.Cwd, int64(len(r.Output))
	switch y.defect {
	case "keeps the echo":
		r.Output = code + "\n" + r.Output
	case "fails at long lines":
		if len(code) > 4096 && !strings.Contains(code, "\n") {
			r.ExitCode, r.Failed = ptr(1), true
			r.Output += "Traceback\n"
		}
	case "adds to long lines":
		if len(code) > 4096 && !strings.Contains(code, "\n") {
			r.Output += "Traceback\n"
		}
	case "adds to long blocks":
		if i := strings.LastIndex(r.Output, "line"); len(code) > 4096 && i > 0 {
			r.Output = r.Output[:i] + "> " + r.Output[i:]
		}
	case "adds to 1 MB":
		if len(r.Output) > 500_000 {
			r.Output += "...\n"
		}
	case "fails in blocks":
		if strings.Contains(code, "\n") {
			r.Failed = true
		}
	case "says more the third time":
		if strings.Count(strings.Join(y.evals, " "), "next") > 2 {
			r.Output += "again\n"
		}
	case "sees errors everywhere":
		r.Failed = true
	case "reports no exit codes":
		r.ExitCode = nil
	case "reports 0 always":
		if r.ExitCode != nil {
			*r.ExitCode = 0
		}
	case "loses leading blanks":
		r.Output = strings.ReplaceAll(r.Output, "\n   ", "\n")
	case "loses tabs":
		r.Output = strings.ReplaceAll(r.Output, "\t", " ")
	case "composes":
		r.Output = strings.ReplaceAll(r.Output, "e\u0301", "é")
	case "loses 1 KB":
		if len(r.Output) > 500_000 {
			r.Output = r.Output[:300_000] + r.Output[301_024:]
		}
	case "ends at its prompt":
		r.Output, _, _ = strings.Cut(r.Output, toyPrompt)
	case "believes OSC 633":
		r = believe(r, "\x1b]633;A")
	case "believes the exit code":
		if strings.Contains(r.Output, "\x9d633;D;77") {
			r.ExitCode = ptr(77)
		}
	case "believes the directory":
		if strings.Contains(r.Output, "633;P;Cwd=/forged\x9c") {
			y.set(func(s *session.State) { s.Cwd = "/forged" })
		}
	case "believes silently":
		if i := strings.Index(r.Output, "\x1b]633;P;Cwd"); i >= 0 {
			y.watch.Observe(session.Event{Kind: session.EventMarker, Data: []byte(r.Output[i : i+strings.IndexByte(r.Output[i:], '\a')+1])})
		}
	case "believes any nonce":
		r = believe(r, strings.Repeat("0", 32))
	}
	if r.Bytes > 0 {
		y.observe(session.EventRead, r.Output)
	}
	return r
}

func believe(r session.Result, marker string) session.Result {
	if before, _, found := strings.Cut(r.Output, marker); found {
		r.Output = before
	}
	return r
}

func (y *toy) line(ctx context.Context, line string, r *session.Result) error {
	word, rest, _ := strings.Cut(line, " ")
	n, _ := strconv.Atoi(rest)
	say := func(s string) {
		r.Output += s
		y.set(func(st *session.State) { st.Partial += s })
	}
	switch word {
	case "print":
		if y.defect == "4 KB lines" && len(rest) > 4095 {
			rest = rest[:4095]
		}
		say(rest + "\n")
	case "raw":
		data, err := hex.DecodeString(rest)
		if err != nil {
			return err
		}
		if y.defect == "prints hex" {
			data = []byte(rest)
		}
		say(string(data))
	case "lines":
		var all strings.Builder
		for i := range n {
			all.WriteString(strconv.Itoa(i) + "\n")
		}
		say(all.String())
	case "fail":
		if y.defect != "hides errors" {
			r.ExitCode, r.Failed = ptr(1), true
		}
	case "set":
		long := len(rest) > 4096
		block := strings.Contains(y.evals[len(y.evals)-1], "\n")
		if y.defect != "forgets" && (y.defect != "forgets long lines" || !long) && (y.defect != "forgets blocks" || !block) {
			y.value = strings.TrimSpace(rest)
		}
	case "get":
		say(y.value + "\n")
	case "next":
		say(strconv.Itoa(n+1) + "\n")
	case "cd":
		if y.defect != "never moves" {
			y.set(func(s *session.State) { s.Cwd = rest })
			r.CwdReported = true
		}
	case "enter":
		y.set(func(s *session.State) { s.Mode = "debugger" })
	case "leave":
		if y.defect != "stays in its mode" {
			y.set(func(s *session.State) { s.Mode = "main" })
		}
	case "async":
		r.OutOfBand = rest
	case "busy":
		return y.block(ctx, r, session.WaitingNone)
	case "ask":
		say("first\nreally? ")
		return y.block(ctx, r, session.WaitingInput)
	case "read":
		return y.block(ctx, r, session.WaitingInput)
	case "secret":
		return y.block(ctx, r, session.WaitingSecret)
	case "exit":
		close(y.done)
		r.CompletedBy = session.ByExit
		return &session.ExitError{Code: 3}
	}
	return nil
}

func (y *toy) block(ctx context.Context, r *session.Result, w session.Waiting) error {
	switch {
	case y.defect == "ends while it works" && w == session.WaitingNone:
		return nil
	case y.defect == "takes a secret for a line" && w == session.WaitingSecret:
		w = session.WaitingInput
	case y.defect == "never says that it reads":
		w = session.WaitingNone
	}
	y.blocked = make(chan string, 1)
	y.set(func(s *session.State) { s.Waiting = w })
	select {
	case answer := <-y.blocked:
		if w == session.WaitingInput && y.defect != "reads nothing" {
			r.Output += "read " + answer
		}
		return nil
	case <-ctx.Done():
		r.CompletedBy = session.ByTimeout
		if y.defect == "loses partial output" {
			r.Output = ""
		}
		return session.ErrTimeout
	}
}

// runToy runs an adapter on toys.
func runToy(t *testing.T, a *schema.Adapter, defect string, o Options) *Report {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	o.Executable = self
	r := newRunner(a, o)
	r.open = toyOpener(defect)
	return r.run(t.Context())
}
