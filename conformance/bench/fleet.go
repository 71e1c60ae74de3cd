//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/creack/pty"
	"github.com/dlclark/regexp2"
	"golang.org/x/sys/unix"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// fleetBudget bounds how long one adapter is measured, for each of start and round trip.
const (
	fleetBudget = 2 * time.Second
	fleetLimit  = 30 * time.Second // for one adapter, in total
)

// fleet measures every adapter whose program is installed: start and round trip, compared with a
// loop that starts the same command line with the same files and environment and reads until the
// same prompt.
func fleet(_ *schema.Adapter, quick bool) (table, error) {
	t := table{
		title: "Every adapter: start and round trip", columns: []string{"bare start", "ripple", "ratio", "bare round trip", "ripple", "ratio"},
		note: "The bare loop has the same command line, environment, startup files and terminal modes, and reads until the " +
			"same prompt. It accepts the first text that looks like a prompt; ripple also asks the kernel if the prompt is " +
			"only a pattern. The two alternate in batches of 20. Medians.",
	}
	r, err := registry.Open(registry.Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}})
	if err != nil {
		return t, err
	}
	for _, e := range r.List() {
		if _, err := launch.Locate(e.Adapter, launch.OSHost(), ""); err != nil || e.Adapter.Family == schema.FamilyAgent {
			continue // not installed: nothing to compare with
		}
		if n := e.Adapter.Ready.Needs; n != nil && n.Server != nil {
			continue // the server is not started here
		}
		cells, err := fleetRow(e.Adapter, quick)
		if err != nil {
			cells = []string{err.Error(), "", "", "", "", ""}
		}
		t.rows = append(t.rows, row{e.Name, cells})
	}
	return t, nil
}

func fleetRow(a *schema.Adapter, quick bool) ([]string, error) {
	dir, err := os.MkdirTemp("", "ripple-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	own := "HOME=" + dir // many programs need a writable one
	budget := fleetBudget
	if quick {
		budget /= 4
	}
	ctx, cancel := context.WithTimeout(context.Background(), fleetLimit)
	defer cancel()
	var bareStart, ourStart, bareTrip, ourTrip []time.Duration
	for began := time.Now(); len(bareStart) < 3 || time.Since(began) < budget; {
		at := time.Now()
		b, err := startLike(ctx, a, dir, own)
		if err != nil {
			return nil, err
		}
		bareStart = append(bareStart, time.Since(at))
		b.close()
		at = time.Now()
		s, err := session.Open(ctx, a, session.Options{Dir: dir, Env: []string{own}})
		if err != nil {
			return nil, err
		}
		ourStart = append(ourStart, time.Since(at))
		if err := s.Close(ctx); err != nil {
			return nil, err
		}
	}
	x, y := percentile(bareStart, 0.5), percentile(ourStart, 0.5)
	b, err := startLike(ctx, a, dir, own)
	if err != nil {
		return nil, err
	}
	defer b.close()
	s, err := session.Open(ctx, a, session.Options{Dir: dir, Env: []string{own}})
	if err != nil {
		return nil, err
	}
	defer s.Close(ctx)
	if a.Samples.Print == "" {
		return []string{milli(x), milli(y), ratio(y, x), "no command that prints a word", "", ""}, nil
	}
	code := schema.Expand(a.Samples.Print, map[string]string{"text": printed})
	contenders := []struct {
		run   func() error
		times *[]time.Duration
	}{
		{func() error { return b.eval(code) }, &bareTrip},
		{func() error { _, err := s.Eval(ctx, code); return err }, &ourTrip},
	}
	for i := 0; i < 2 || time.Since(b.began) < budget; i++ {
		for _, c := range contenders {
			times, err := batch(c.run)
			if err != nil {
				return nil, err
			}
			if i > 0 { // after warming up
				*c.times = append(*c.times, times...)
			}
		}
	}
	v, w := percentile(bareTrip, 0.5), percentile(ourTrip, 0.5)
	return []string{milli(x), milli(y), ratio(y, x), micro(v), micro(w), ratio(w, v)}, nil
}

// batchSize is the number of round trips of one contender before the other's turn: enough to be
// warm, and few enough that a busy moment of the machine affects both.
const batchSize = 20

func batch(run func() error) ([]time.Duration, error) {
	times := make([]time.Duration, batchSize)
	for i := range times {
		began := time.Now()
		if err := run(); err != nil {
			return nil, err
		}
		times[i] = time.Since(began)
	}
	return times, nil
}

// bare is an adapter's program driven by a read loop.
type bare struct {
	cmd     *exec.Cmd
	tty     *os.File
	dir     string
	ending  string
	before  string // text that the adapter puts before every line
	after   string
	began   time.Time
	atEnd   func([]byte) bool // reports whether the output since the last line ends in a prompt
	replies bool
	buf     []byte
}

var errInjected = errors.New("typed integration: no bare start")

// startLike starts the program as ripple does and reads to its first prompt.
func startLike(ctx context.Context, a *schema.Adapter, work, own string) (*bare, error) {
	if a.Init.Delivery == schema.DeliverPTYInject {
		return nil, errInjected
	}
	const nonce = "0123456789abcdef0123456789abcdef"
	dir, err := os.MkdirTemp("", "ripple-bench-*")
	if err != nil {
		return nil, err
	}
	plan, err := launch.Build(a, launch.OSHost(), launch.Request{Nonce: nonce, ScratchDir: dir, Dir: work, Env: []string{own}})
	if err != nil {
		return nil, err
	}
	for _, f := range plan.Files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(f.Path, f.Body, 0o600); err != nil {
			return nil, err
		}
	}
	b := &bare{dir: dir, ending: a.Input.LineEnding, buf: make([]byte, 64<<10), replies: len(plan.TTY.Replies) > 0, began: time.Now()}
	b.before = a.Input.ClearLine
	if w := a.Input.MultilineWrapper; w != nil && w.Trigger == "always" {
		if w.Open != "" {
			b.before += schema.Expand(w.Open, plan.Values) + b.ending
		}
		b.after = b.ending + schema.Expand(w.Close, plan.Values)
	}
	if b.atEnd, err = promptOf(a, plan, nonce); err != nil {
		return nil, err
	}
	b.cmd = exec.CommandContext(ctx, plan.Path, plan.Argv[1:]...)
	b.cmd.Env, b.cmd.Dir = plan.Env, plan.Dir
	if b.tty, err = pty.StartWithSize(b.cmd, &pty.Winsize{Cols: uint16(plan.TTY.Cols), Rows: uint16(plan.TTY.Rows)}); err != nil {
		return nil, err
	}
	if err := b.modes(plan.TTY); err != nil {
		return nil, err
	}
	return b, b.prompt(nil)
}

// modes sets the terminal modes of the adapter.
func (b *bare) modes(want schema.TTY) error {
	fd := int(b.tty.Fd())
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	if !want.Echo {
		t.Lflag &^= unix.ECHO
	}
	if !want.Canonical {
		t.Lflag &^= unix.ICANON
		t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	}
	return unix.IoctlSetTermios(fd, unix.TCSETS, t)
}

var escapes = regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()#%].|[=>])`)

// promptOf returns a function that recognizes the adapter's prompt at the end of a stream.
func promptOf(a *schema.Adapter, plan launch.Plan, nonce string) (func([]byte) bool, error) {
	switch {
	case a.Prompt.Strategy == schema.PromptShellIntegration:
		// B ends a prompt; a program that writes D after A has no B.
		start, end, late := regexp.MustCompile(`\]633;A;(\d+;)?`+nonce), regexp.MustCompile(`\]633;B;(\d+;)?`+nonce), []byte("]633;D;")
		return func(b []byte) bool {
			begin := bytes.LastIndex(b, []byte("]633;A;"))
			return begin >= 0 && start.Match(b[begin:]) && (end.Match(b[begin:]) || bytes.Contains(b[begin:], late))
		}, nil
	case a.Init.Marker != nil && a.Prompt.Strategy == schema.PromptMarker:
		marker := []byte(schema.Expand(a.Init.Marker.Primary, plan.Values))
		return func(b []byte) bool { return bytes.Contains(b, marker) }, nil
	}
	pattern, err := schema.CompilePattern(schema.Expand(a.Prompt.Primary, plan.Values), regexp2.RightToLeft)
	if err != nil {
		return nil, err
	}
	return func(b []byte) bool {
		text := strings.ReplaceAll(string(escapes.ReplaceAll(b, nil)), "\r", "")
		m, err := pattern.FindStringMatch(text)
		return err == nil && m != nil && strings.HasSuffix(text, m.String())
	}, nil
}

// printed is the output of the measured command, at the end of a line or within a sentence; only a
// prompt after it counts, because line editors redraw prompts around input, and in an echo a quote
// follows it.
const printed = "qzx7"

var answered = regexp.MustCompile(printed + `(\x1b\[[0-9;]*m)*('\.|\s*\n)|= "` + printed)

// prompt reads to the end of a prompt; after, if not nil, must match before it.
func (b *bare) prompt(after *regexp.Regexp) error {
	var got []byte
	for after != nil || !b.atEnd(got) {
		n, err := b.tty.Read(b.buf)
		if err != nil {
			return fmt.Errorf("bare: %w after %q", err, got)
		}
		if b.replies && bytes.Contains(b.buf[:n], []byte("\x1b[6n")) {
			if _, err := b.tty.WriteString("\x1b[1;1R"); err != nil {
				return err
			}
		}
		got = append(got, b.buf[:n]...)
		if after == nil {
			continue
		}
		if at := after.FindIndex(got); at != nil {
			got, after = got[at[1]:], nil
		}
	}
	return nil
}

func (b *bare) eval(line string) error {
	if _, err := b.tty.WriteString(b.before + line + b.after + b.ending); err != nil {
		return err
	}
	return b.prompt(answered)
}

func (b *bare) close() {
	_ = b.tty.Close()
	_ = b.cmd.Process.Kill() // if hang-up has not ended it
	_ = b.cmd.Wait()
	_ = os.RemoveAll(b.dir)
}
