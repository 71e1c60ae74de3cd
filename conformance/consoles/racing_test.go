//go:build linux

package consoles

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// Clients that share a console wait for each other, and each only gets its own output.
func TestClientsGetOnlyTheirOwnOutput(t *testing.T) {
	t.Parallel()
	commands := testkit.Times(t, 40, 500)
	p := newPlace(t)
	p.start("main")
	servers := []*server{p.server(), p.server()}
	errs := make([]error, len(servers)+1)
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() { errs[i] = s.runMany(fmt.Sprintf("client%d", i), commands) })
	}
	all.Go(func() { errs[len(servers)] = p.runManyTyped("person", commands/4) })
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	assert.Equal(t, len(servers)*commands+commands/4, p.status("main").Command.ID, "commands that were run")
}

// runMany runs commands, each after those of others.
func (s *server) runMany(who string, n int) error {
	for i := 0; i < n; {
		want := fmt.Sprintf("%s-%d", who, i)
		text, err := s.try("console_exec", args{"console": "main", "code": "echo " + want + "; echo " + want + " >&2"})
		if err != nil {
			return err
		}
		if strings.HasPrefix(text, "refused: ") { // another client's turn
			if _, err := s.try("console_wait", args{"console": "main"}); err != nil {
				return err
			}
			continue
		}
		if !strings.Contains(text, "\n"+want+"\n"+want+"\n-----") || !strings.Contains(text, "] done exit=0 ") || strings.Count(text, "\n") != 4 {
			return fmt.Errorf("%s was answered with %q", want, text)
		}
		i++
	}
	return nil
}

// runManyTyped is like many, with the command line.
func (p *place) runManyTyped(who string, n int) error {
	for i := 0; i < n; {
		want := fmt.Sprintf("%s-%d", who, i)
		r, err := p.try("", "console", "exec", "main", "echo "+want)
		switch {
		case err != nil:
			return err
		case strings.Contains(r.err, "is still running"), strings.Contains(r.err, "calls waiting for their turn"):
			if _, err := p.try("", "console", "wait", "main"); err != nil {
				return err
			}
			continue
		case r != result{want + "\n", "", 0}:
			return fmt.Errorf("%s was answered with %+v", want, r)
		}
		i++
	}
	return nil
}

// If many processes start a console of the same name, one succeeds; the others get an error, even
// if a killed host left its socket and its lock. Their programs are never started.
func TestManyStartersOfOneName(t *testing.T) {
	t.Parallel()
	starters := testkit.Times(t, 4, 50)
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.path("home/.bashrc"), []byte("echo >>~/programs\n"), 0o600))
	for round := range testkit.Times(t, 2, rounds) {
		if round%2 == 1 { // the files of a killed host exist
			l, err := net.Listen("unix", p.path("run/ripple/one.sock"))
			require.NoError(t, err)
			l.(*net.UnixListener).SetUnlinkOnClose(false)
			require.NoError(t, l.Close())
			require.NoError(t, os.WriteFile(p.path("run/ripple/one.lock"), nil, 0o600))
		}
		results := make([]result, starters)
		errs := make([]error, starters)
		var all sync.WaitGroup
		for i := range starters {
			all.Go(func() { results[i], errs[i] = p.try("", "console", "start", "--name", "one") })
		}
		all.Wait()
		won := 0
		for i, r := range results {
			require.NoError(t, errs[i])
			if r.code == 0 {
				won++
				continue
			}
			require.Equal(t, 2, r.code, r.err)
			require.Contains(t, r.err, "a console named one is running already")
		}
		require.Equal(t, 1, won, "round %d", round)
		programs, err := os.ReadFile(p.path("home/programs"))
		require.NoError(t, err)
		require.Len(t, programs, round+1)
		require.Equal(t, "there\n", p.exec("one", "echo there").out)
		p.ok("console", "close", "one")
		p.requireNothingLeft()
	}
}

// A process for a host is started together with the command, and ends if no console is started.
func TestARefusedStartLeavesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, args := range [][]string{{"--nosuch"}, {"nosuch"}, {"bash", "python"}, {"bash", "--name", "a/b"}, {"bash", "--env", "x"}, {"bash", "--executable", "/nowhere/bash"}} {
		r := p.run("", append([]string{"console", "start"}, args...)...)
		assert.NotZero(t, r.code, "%q: %s", args, r.out)
		assert.Empty(t, p.left(), "%q: %s", args, r.err)
		assert.NotContains(t, r.err, "by hand", "%q", args) // the host's own message for it
	}
}

// Concurrent starts without a name create a console each.
func TestManyStartersWithoutAName(t *testing.T) {
	t.Parallel()
	starters := testkit.Times(t, 6, 20)
	p := newPlace(t)
	names := make([]string, starters)
	var all sync.WaitGroup
	for i := range starters {
		all.Go(func() {
			r, err := p.try("", "console", "start")
			names[i] = r.out + r.err
			assert.NoError(t, err)
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
	}
	assert.Len(t, seen, starters, "%q", names)
	assert.Len(t, p.list(), starters)
}

// The server is killed during a command: the next one finds the console, waits and gets the result.
func TestAKilledServerLosesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	gate := p.path("gate")
	require.NoError(t, syscall.Mkfifo(gate, 0o600))
	for round := range testkit.Times(t, 1, rounds) {
		s := p.server()
		s.call("console_exec", args{"code": "cd " + p.path("work")})
		called := make(chan struct{})
		go func() {
			defer close(called)
			_, _ = s.try("console_exec", args{"code": fmt.Sprintf("echo before-%d; cat %s; echo after; (exit 5)", round, gate)}) // it is interrupted
		}()
		id := 2*round + 2
		p.eventually(func() bool {
			c := p.status("main").Command
			return c != nil && c.ID == id && (round%2 == 0 || c.Bytes > 0)
		}, func() string { return fmt.Sprintf("%+v", p.status("main")) })
		s.kill()
		<-called
		next := p.server()
		assert.Contains(t, next.call("console_list", args{}), fmt.Sprintf("[main #%d] running", id))
		require.NoError(t, os.WriteFile(gate, []byte("in between\n"), 0))
		text := next.call("console_wait", args{"console": "main"})
		require.Contains(t, text, fmt.Sprintf("[main #%d] done exit=5", id))
		require.Contains(t, text, fmt.Sprintf("\nbefore-%d\nin between\nafter\n", round))
		require.NoError(t, next.session.Close())
	}
}

// If the input ends during a call, the server ends soon, and nothing else does; available answers
// are sent before.
func TestTheEndOfInputWithCallsInFlight(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	hosts := len(p.left())
	for round := range testkit.Times(t, 1, rounds) {
		cmd := p.command("mcp")
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		var out strings.Builder
		cmd.Stdout = &out
		require.NoError(t, cmd.Start())
		_, err = fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"console_exec","arguments":{"console":"main","code":"cat; echo over %d","wait_s":50}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"console_wait","arguments":{"console":"main","for":"text","text":"never shown","wait_s":50}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"console_list","arguments":{}}}
`, round)
		require.NoError(t, err)
		p.until("main", "waiting_for_input")
		require.NoError(t, in.Close())
		began := time.Now()
		require.NoError(t, cmd.Wait())
		require.Less(t, time.Since(began), timeout/2, "a second is waited for answers")
		require.Contains(t, out.String(), `"id":4`)
		p.eventually(func() bool { return len(p.left()) == hosts+1 }, func() string { return describe(p.left()) }) // and cat
		p.ok("console", "send", "main", "--key", "C-d")
		require.Contains(t, p.ok("console", "wait", "main"), fmt.Sprintf("over %d\n", round))
	}
}

// Whenever any process is killed, nothing is left: no process, no socket, no lock, and after
// closing the console no result.
func TestKillLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, victim := range []string{"host", "keeper", "outer", "outer and host", "program", "client", "starter"} {
		t.Run(victim, func(t *testing.T) {
			for round := range testkit.Times(t, 1, rounds) {
				p := newPlace(t)
				p.killed(victim, time.Duration(rand.Int64N(int64(60*time.Millisecond))))
				if t.Failed() {
					t.Fatalf("in round %d", round)
				}
			}
		})
	}
}

// killed kills one process after a time, with all kinds of child processes of the program.
func (p *place) killed(victim string, after time.Duration) {
	starter := p.command("console", "start", "--name", "main")
	require.NoError(p, starter.Start())
	if victim == "starter" {
		killer := time.AfterFunc(after, func() { _ = starter.Process.Kill() }) // it may have ended
		defer killer.Stop()
	}
	_ = starter.Wait() // it may have been killed
	if victim == "starter" {
		p.eventually(func() bool { // either no console or a complete one
			all := p.list()
			return len(all) == 0 && len(p.left()) == 0 || len(all) == 1 && all[0].State == "idle"
		}, func() string { return fmt.Sprintf("%+v %s", p.list(), describe(p.left())) })
		p.closeAll()
		return
	}
	s := p.status("main")
	busy := p.command("console", "exec", "main", `setsid sleep 1000 & (setsid nohup sleep 1000 >/dev/null 2>&1 &); nohup sleep 1000 >/dev/null 2>&1 & echo ready; while :; do echo more; done`)
	require.NoError(p, busy.Start())
	p.eventually(func() bool {
		r := p.run("", "console", "read", "main", "--grep", "^ready$")
		return r.out == "ready\n"
	}, func() string { return "it prints nothing" })
	waited := make(chan struct{})
	time.AfterFunc(after, func() { close(waited) })
	<-waited
	keeper := parent(p.T, s.Host)
	outer := parent(p.T, keeper)
	for _, pid := range map[string][]int{
		"host": {s.Host}, "keeper": {keeper}, "outer": {outer}, "outer and host": {outer, s.Host}, "program": {s.PID}, "client": {busy.Process.Pid},
	}[victim] {
		require.NoError(p, syscall.Kill(pid, syscall.SIGKILL))
	}
	_ = busy.Wait() // it ends in one way or the other
	switch victim {
	case "client":
		assert.Equal(p, "running", p.status("main").State)
		p.ok("console", "send", "main", "--key", "C-c")
		p.until("main", "idle")
	case "program":
		p.until("main", "exited")
		assert.NotEmpty(p, p.ok("console", "read", "main", "--lines", "1"))
	default:
		p.until("main", "dead")
		p.eventually(func() bool { return len(p.left()) == 0 }, func() string { return describe(p.left()) })
		assert.Equal(p, "ready\n", p.ok("console", "read", "main", "--grep", "^ready$"), "its output is still available")
		results := []string{p.path("home/.local/state/ripple/consoles/main")}
		p.eventually(func() bool { return slices.Equal(results, p.files()) }, func() string { return fmt.Sprint(p.files()) })
	}
	p.ok("console", "close", "main", "--kill")
	p.requireNothingLeft()
}

// parent returns the parent of a process.
func parent(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(b), ") ")
	var state string
	var ppid int
	_, err = fmt.Sscan(rest, &state, &ppid)
	require.NoError(t, err)
	return ppid
}

// The program ends by itself in every way, with children in the background.
func TestTheProgramEnds(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const children = "sleep 1000 & (setsid nohup sleep 1000 >/dev/null 2>&1 &); "
	for round := range testkit.Times(t, 1, rounds) {
		for _, tt := range []struct {
			name, code string
			exit       int
			says       string
		}{
			{"exit", "exit 7", 7, "the program ended with exit code 7"},
			{"killed", "kill -9 $$", 137, "SIGKILL"},
			{"another program in its place", "exec python3 -c 'print(6*7)'", 0, "the program ended"},
		} {
			p.start("main")
			r := p.exec("main", children+"echo last; "+tt.code)
			require.Equal(p, tt.exit, r.code, "%s in round %d: %+v", tt.name, round, r)
			require.Contains(p, r.out, "last\n")
			s := p.status("main")
			require.Equal(p, "exited", s.State)
			require.Contains(p, s.Exit, tt.says)
			require.Equal(p, "last\n", p.ok("console", "read", "main", "--grep", "^last"))
			p.ok("console", "close", "main")
			p.requireNothingLeft()
		}
	}
}

// A shell that replaces the program does not print ripple's markers: it counts as a program that
// waits for input, and nothing is lost.
func TestAShellReplacesTheProgram(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	r := p.exec("main", "sleep 1000 & exec bash --norc --noprofile")
	require.Equal(t, 4, r.code, r.err)
	require.Contains(t, r.err, "the command waits for input")
	p.ok("console", "send", "main", "echo in $((6*7))", "--key", "enter")
	p.ok("console", "wait", "main", "--for", "text", "--text", "in 42")
	p.ok("console", "send", "main", "exit 3", "--key", "enter")
	assert.Equal(t, 3, p.run("", "console", "wait", "main").code)
	p.ok("console", "close", "main")
	p.requireNothingLeft()
}

// A model is informed that the host was killed, and can read the output before a new console uses
// the name.
func TestAModelIsInformedOfAKilledHost(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.server()
	require.Contains(t, s.call("console_exec", args{"code": "echo precious"}), "] done ")
	require.NoError(t, syscall.Kill(p.status("main").Host, syscall.SIGKILL))
	p.until("main", "dead")
	text := s.call("console_exec", args{"code": "echo next"})
	assert.Contains(t, text, "main: its host was killed; to read the output of its commands: console_read")
	assert.Contains(t, s.call("console_read", args{"console": "main"}), "precious")
	assert.Contains(t, s.call("console_close", args{"console": "main"}), "closed")
	assert.Contains(t, s.call("console_exec", args{"code": "echo next"}), "\nnext\n")
}

// A console whose program has not reached its first prompt exists while it starts: it can be
// inspected and ended.
func TestAStartingConsole(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.path("work/hangs"), []byte("#!/bin/sh\necho still at it\nexec sleep 1000\n"), 0o700))
	starter := p.command("console", "start", "--name", "main", "--executable", p.path("work/hangs"))
	require.NoError(t, starter.Start())
	p.eventually(func() bool { all := p.list(); return len(all) == 1 && all[0].State == "starting" }, func() string { return fmt.Sprint(p.list()) })
	p.eventually(func() bool { return strings.Contains(p.ok("console", "peek", "main"), "still at it") }, func() string { return p.ok("console", "peek", "main") })
	r := p.exec("main", "echo x", "--timeout", "100ms")
	assert.Equal(t, 4, r.code)
	assert.Contains(t, r.err, "has not reached its first prompt")
	p.ok("console", "close", "main")
	require.Error(t, starter.Wait(), "the end of the console is reported")
	p.requireNothingLeft()
}
