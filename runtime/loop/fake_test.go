package loop

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// fake is a scripted agent, one function per turn; the last one repeats.
type fake struct {
	dir      string
	script   []func(*doing)
	requests []Request
}

// doing is one turn of a fake agent.
type doing struct {
	ctx  context.Context
	dir  string
	n    int
	r    Request
	emit func(event.Event)
	out  Outcome
	err  error
}

func (f *fake) Turn(ctx context.Context, r Request, emit func(event.Event)) (Outcome, error) {
	d := &doing{ctx: ctx, dir: r.Dir, n: len(f.requests) + 1, r: r, emit: emit}
	f.requests = append(f.requests, r)
	f.script[min(d.n, len(f.script))-1](d)
	return d.out, d.err
}

func (d *doing) says(text string)             { d.emit(event.Event{Type: event.Text, Text: text}) }
func (d *doing) event(e event.Event)          { d.emit(e) }
func (d *doing) fails(k event.Kind, m string) { d.out.Failure = &event.Failure{Kind: k, Message: m} }

func (d *doing) writes(name, content string) {
	path := filepath.Join(d.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		panic(err)
	}
}

// work changes a file, so that the turn makes progress.
func (d *doing) work() { d.writes("work.txt", strings.Repeat("x", d.n)) }

// Turns for scripts.
var (
	works  = func(d *doing) { d.work(); d.says("working") }
	idles  = func(d *doing) { d.says("thinking") }
	claims = func(d *doing) { d.work(); d.says("done\n" + complete) }
	failed = func(d *doing) { d.fails(event.ModelError, "the model failed") }
	denied = func(d *doing) {
		d.work()
		d.event(event.Event{Type: event.PermissionDenied, Name: "Bash"})
		d.says("I may not.\n" + complete)
	}
)

func script(turns ...func(*doing)) []func(*doing) { return turns }

// rig is a project with a loop's files, and a record of its run.
type rig struct {
	*project
	fake     *fake
	flags    map[string]string
	mu       sync.Mutex
	notices  []Notice
	onNotice func(*Loop, Notice)
}

func newRig(t testing.TB, turns ...func(*doing)) *rig {
	p := newProject(t)
	p.write(".ralph/PROMPT.md", "Do the work.\n")
	return &rig{project: p, fake: &fake{dir: p.dir, script: turns}, flags: map[string]string{}}
}

func (r *rig) options(resume bool) Options {
	c, notes, err := config.Load(r.dir, r.flags, func(string) string { return "" })
	require.NoError(r.t, err)
	require.Empty(r.t, notes)
	return Options{Project: r.dir, Config: c, Agent: r.fake, Resume: resume}
}

func (r *rig) run() Stop    { return r.runWith(r.options(false)) }
func (r *rig) resume() Stop { return r.runWith(r.options(true)) }

func (r *rig) runWith(o Options) Stop {
	r.t.Helper()
	var l *Loop
	o.Observe = func(n Notice) {
		r.mu.Lock()
		r.notices = append(r.notices, n)
		r.mu.Unlock()
		if r.onNotice != nil {
			r.onNotice(l, n)
		}
	}
	l = New(o)
	stop := l.Run(r.t.Context())
	assert.Regexp(r.t, `^[A-Z0-9/.~].*[.?!]$`, stop.Message, "one sentence on why")
	assert.NotRegexp(r.t, `--(max|resume|verify|worktree|commit|tag|prompt)|ripple (run|reset|stop|doctor|init)`, stop.Message+stop.Fix, "the words of the command line are the command's")
	return stop
}

// lines returns the lines of events.jsonl.
func (r *rig) lines() []record.Line {
	r.t.Helper()
	var list []record.Line
	for l := range strings.Lines(r.read(".ralph/events.jsonl")) {
		var v record.Line
		require.NoError(r.t, json.Unmarshal([]byte(l), &v), l)
		list = append(list, v)
	}
	return list
}

func (r *rig) status() record.Status {
	r.t.Helper()
	s, err := journal.ReadReport(r.dir)
	require.NoError(r.t, err)
	require.True(r.t, s.Found)
	assert.Nil(r.t, s.Runner, "nobody holds the lock")
	return s.Status
}

// waits returns the longest announced wait of a kind.
func (r *rig) waits(what string) (longest time.Duration) {
	for _, n := range r.notices {
		if n.Kind == NoticeWaiting && strings.Contains(n.Text, what) {
			longest = max(longest, n.Remaining)
		}
	}
	return longest
}

// notes returns the notes in order.
func (r *rig) notes() (texts []string) {
	for _, n := range r.notices {
		if n.Kind == NoticeNote {
			texts = append(texts, n.Text)
		}
	}
	return texts
}
