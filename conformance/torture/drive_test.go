//go:build linux

package torture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Time limits. A command has its own limit, and ripple has grace to observe it.
const (
	limit = 2 * time.Minute
	grace = 15 * time.Second
)

// transcript is the output of a process, which can be read while it runs.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
}

func (t *transcript) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(b)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// drive is one run of a case with a program.
type drive struct {
	programs
	program
	tortureCase
	binary string
	root   string // contains home, work, tmp and run
	mark   string // in the environment of all processes started

	cmd      *exec.Cmd
	stdin    io.WriteCloser
	records  chan record
	stderr   transcript
	heard    int // length of the standard error that was waited for
	got      []record
	sent     []string
	problems []string
	doubtful bool
	over     bool // no further command can run
	untold   bool // a command has no record: standard error must contain the reason
}

func (d *drive) complain(format string, args ...any) {
	d.problems = append(d.problems, fmt.Sprintf(format, args...))
}

func (d *drive) dir(name string) string { return filepath.Join(d.root, name) }

// run runs the case and returns the problems.
func (d *drive) run(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := d.prepare(); err != nil {
		return nil, err
	}
	if err := d.start(ctx); err != nil {
		return nil, err
	}
	for _, s := range d.Steps {
		if err := d.step(ctx, s); err != nil {
			d.complain("%v", err)
			break
		}
	}
	d.end(ctx)
	d.afterwards(ctx)
	return d.problems, nil
}

// prepare writes the files of the case.
func (d *drive) prepare() error {
	for name, files := range map[string]map[string]string{"home": d.Home, "work": d.Work, "tmp": nil, "run": nil} {
		if err := os.Mkdir(d.dir(name), 0o700); err != nil {
			return err
		}
		for file, content := range files {
			path := filepath.Join(d.dir(name), file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *drive) args() []string {
	return append([]string{"exec", d.program.Name, "-0", "--json", "--timeout", d.Timeout.String()}, d.Flags...)
}

func (d *drive) start(ctx context.Context) error {
	d.cmd = exec.CommandContext(ctx, d.binary, d.args()...)
	d.cmd.Dir = d.dir("work")
	d.cmd.Env = append(os.Environ(), "HOME="+d.dir("home"), "TMPDIR="+d.dir("tmp"), "XDG_CONFIG_HOME="+d.dir("home")+"/.config",
		"XDG_DATA_HOME="+d.dir("home")+"/.local/share", "XDG_RUNTIME_DIR="+d.dir("run"), "RIPPLE_TORTURE="+d.mark)
	d.cmd.Env = slices.DeleteFunc(d.cmd.Env, func(kv string) bool { return strings.HasPrefix(kv, "HISTFILE=") })
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	d.cmd.Cancel = func() error { d.kill(); return nil }
	d.cmd.WaitDelay = 5 * time.Second
	d.cmd.Stderr = &d.stderr
	var err error
	if d.stdin, err = d.cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := d.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	d.records = make(chan record)
	go func() {
		defer close(d.records)
		for lines := json.NewDecoder(stdout); ; {
			var r record
			if err := lines.Decode(&r); err != nil {
				return // end of output; missing records are reported
			}
			select {
			case d.records <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	return d.cmd.Start()
}

// step runs one step; an error means that no other can follow.
func (d *drive) step(ctx context.Context, s step) error {
	if s.Await != "" {
		if err := d.await(ctx, s.Await); err != nil {
			return err
		}
	}
	switch {
	case s.Probe == "" && !s.Send.given:
		if err := d.signal(ctx, *s.Signal); err != nil {
			return err
		}
		return d.hear(ctx, s.Says)
	case s.Probe == "":
		return d.command(ctx, s)
	}
	for _, p := range d.program.Probe {
		if s.Probe == "mute" {
			silence := ""
			p.Output, p.Match = &silence, ""
		}
		if err := d.command(ctx, p); err != nil {
			return fmt.Errorf("the probe: %w", err)
		}
	}
	return nil
}

// command sends one command, reads its record and judges it.
func (d *drive) command(ctx context.Context, s step) error {
	text, _ := s.Send.in(d.programs, d.program)
	if d.over {
		if d.doubtful {
			return nil // the end has been reported
		}
		return fmt.Errorf("%q cannot be sent: the session has ended", text)
	}
	d.sent = append(d.sent, text)
	if _, err := io.WriteString(d.stdin, text+"\x00"); err != nil {
		return fmt.Errorf("sending %q: %w", text, err)
	}
	if s.Signal != nil {
		if err := d.signal(ctx, *s.Signal); err != nil {
			return err
		}
	}
	if s.Silent {
		return nil
	}
	soon, cancel := context.WithTimeout(ctx, d.Timeout+grace)
	defer cancel()
	var r record
	var ok bool
	select {
	case r, ok = <-d.records:
	case <-soon.Done():
		d.kill()
		return fmt.Errorf("after %s: no record within %v, despite --timeout", short(text), d.Timeout+grace)
	}
	if !ok && d.doubtful {
		d.over, d.untold = true, true
		return nil
	}
	if !ok {
		d.over = true
		return fmt.Errorf("after %s: no record came", short(text))
	}
	d.got = append(d.got, r)
	shown := r
	shown.Output, shown.OutOfBand = d.Writer.without(r.Output), d.Writer.without(r.OutOfBand)
	e := s.Expect
	if other, ok := lookup(d.programs, s.Except, d.program.Name); ok {
		e = other
	}
	wrong := e.judge(d.program, shown, d.doubtful)
	if !s.Ours && ours.MatchString(r.Output+r.OutOfBand) {
		wrong = append(wrong, "it must not contain anything of ripple's")
	}
	if len(wrong) > 0 {
		d.complain("%s: %s\n    but: %v", short(text), strings.Join(wrong, "; "), shown)
	}
	d.doubtful = d.doubtful || e.Unknown != ""
	d.over = r.final()
	return nil
}

// hear waits until standard error contains a text once more.
func (d *drive) hear(ctx context.Context, text string) error {
	at := -1
	if !d.until(ctx, grace, func() bool { at = strings.Index(d.stderr.String()[d.heard:], text); return at >= 0 }) {
		return fmt.Errorf("standard error should say %q, but is %s", text, short(d.stderr.String()))
	}
	d.heard += at + len(text)
	return nil
}

// await waits until a file exists.
func (d *drive) await(ctx context.Context, file string) error {
	if !d.until(ctx, time.Minute, func() bool { _, err := os.Stat(filepath.Join(d.dir("work"), file)); return err == nil }) {
		return fmt.Errorf("the file %s was not created", file)
	}
	return nil
}

// until reports whether a condition holds within a time.
func (d *drive) until(ctx context.Context, within time.Duration, true_ func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !true_() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

var signals = map[string]syscall.Signal{
	"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT, "KILL": syscall.SIGKILL,
}

func (d *drive) signal(ctx context.Context, s signal) error {
	if s.When != "" {
		if err := d.await(ctx, s.When); err != nil {
			return err
		}
	}
	pid := d.cmd.Process.Pid
	if s.To == "group" {
		pid = -pid
	}
	return syscall.Kill(pid, signals[s.Name])
}

// kill kills ripple.
func (d *drive) kill() { _ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL) }

// end lets ripple end and judges its end.
func (d *drive) end(ctx context.Context) {
	_ = d.stdin.Close() // it may have ended
	silent := d.Steps[len(d.Steps)-1].Silent
	for r := range d.records {
		d.got = append(d.got, r)
		if !silent {
			d.complain("a record too many: %v", r)
		}
	}
	err := d.cmd.Wait()
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		d.complain("ripple did not end within %v", limit)
	case err != nil && !failed:
		d.complain("ripple: %v", err)
	case failed && exit.ExitCode() == 2:
		d.complain("ripple ended with 2: %s", short(d.stderr.String()))
	}
	if d.untold && !strings.Contains(d.stderr.String(), "the program ended") {
		d.complain("standard error should say that the program ended, but is %s", short(d.stderr.String()))
	}
	if d.Ends == nil {
		return
	}
	if code := d.cmd.ProcessState.ExitCode(); code != d.Ends.Exit { // -1: by a signal
		d.complain("ripple should end with %d, but ended with %d", d.Ends.Exit, code)
	}
	if !regexp.MustCompile(d.Ends.Stderr).MatchString(d.stderr.String()) {
		d.complain("standard error should match %s, but is %s", d.Ends.Stderr, short(d.stderr.String()))
	}
}

// afterwards checks the leftovers.
func (d *drive) afterwards(ctx context.Context) {
	if d.Writer != nil {
		if problem := d.Writer.judge(d.got); problem != "" {
			d.complain("%s", problem)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Files)) {
		d.compare("work", name, d.Files[name])
	}
	for _, name := range slices.Sorted(maps.Keys(d.Matches)) {
		got, err := os.ReadFile(filepath.Join(d.dir("work"), name))
		if err != nil || !regexp.MustCompile(d.Matches[name]).Match(got) || ours.Match(got) {
			d.complain("the file %s should match %s with nothing of ripple's, but is %s (%v)", name, d.Matches[name], short(string(got)), err)
		}
	}
	for _, name := range d.Kept {
		d.compare("home", name, d.Home[name])
	}
	if !d.until(context.WithoutCancel(ctx), 5*time.Second, func() bool { return len(d.processes()) == 0 }) {
		left := d.processes()
		d.complain("remaining processes: %v", slices.Collect(maps.Values(left)))
		for pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it carries the mark of this test
		}
	}
	if d.Again {
		again := exec.CommandContext(context.WithoutCancel(ctx), d.binary, "exec", d.program.Name, "--timeout", "10s", "--", "")
		again.Env = d.cmd.Env
		if out, err := again.CombinedOutput(); err != nil {
			d.complain("the next session: %v: %s", err, short(string(out)))
		}
	}
	left, err := os.ReadDir(d.dir("tmp"))
	if err != nil {
		d.complain("%v", err)
	}
	for _, e := range left {
		d.complain("remaining in the temporary directory: %s", e.Name())
	}
}

func (d *drive) compare(dir, name, want string) {
	got, err := os.ReadFile(filepath.Join(d.dir(dir), name))
	if err != nil {
		d.complain("%v", err)
		return
	}
	if string(got) != want {
		d.complain("the file %s should be %s, but is %s", name, short(want), short(string(got)))
	}
}

// processes returns the processes with the mark of this run in their environment, with their
// command lines. A zombie has none.
func (d *drive) processes() map[int]string {
	found := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(dir + "/environ")
		if err != nil || !strings.Contains("\x00"+string(env), "\x00RIPPLE_TORTURE="+d.mark+"\x00") {
			continue // it has ended, or belongs to another user
		}
		var pid int
		if _, err := fmt.Sscanf(filepath.Base(dir), "%d", &pid); err == nil {
			line, _ := os.ReadFile(dir + "/cmdline")
			found[pid] = strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// reproduction returns a command line that does the same.
func (d *drive) reproduction() string {
	var quoted strings.Builder
	for _, text := range d.sent {
		quoted.WriteString(strings.NewReplacer(`\`, `\\`, "'", `'\''`, "%", "%%", "\n", `\n`, "\r", `\r`, "\x1b", `\033`).Replace(text) + `\0`)
	}
	return fmt.Sprintf("printf '%s' | ripple %s", quoted.String(), strings.Join(d.args(), " "))
}
