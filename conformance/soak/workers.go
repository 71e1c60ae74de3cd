//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"example.org/ripple/runtime/console"
)

// programs are the adapters that the uses name.
type programs struct{ shell, agent string }

// place is a home of its own for ripple, by the environment.
type place struct {
	programs
	binary, dir string
}

func newPlace(binary string, programs programs) (*place, error) {
	dir, err := os.MkdirTemp("", "soak") // a short path, because it holds sockets
	if err != nil {
		return nil, err
	}
	p, private := &place{programs, binary, dir}, filepath.Join(dir, "run")
	return p, errors.Join(os.Mkdir(private, 0o700), os.Setenv("HOME", dir), os.Setenv("XDG_RUNTIME_DIR", private), os.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state")))
}

func (p *place) remove() error {
	out, err := exec.Command(p.binary, "console", "close", "--all", "--kill").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return errors.Join(err, os.RemoveAll(p.dir))
}

// command returns the code of a unit, its output and its exit code: short and long output, more
// than ASCII, several lines of code.
func command(n int) (code, output string, exit int) {
	switch n % 5 {
	case 0:
		return fmt.Sprintf("echo $((%d * 3))", n), fmt.Sprintf("%d\n", n*3), 0
	case 1:
		return fmt.Sprintf("printf 'é漢😀 %d\\n'\nfalse", n), fmt.Sprintf("é漢😀 %d\n", n), 1
	case 2:
		return fmt.Sprintf("for i in 1 2 3; do\n  echo \"$i %d\"\ndone", n), fmt.Sprintf("1 %d\n2 %d\n3 %d\n", n, n, n), 0
	case 3:
		return fmt.Sprintf("(exit %d)", n%200), "", n % 200
	}
	return fmt.Sprintf("printf '%%0200d\\n' %d %d", n, n), strings.Repeat(fmt.Sprintf("%0200d\n", n), 2), 0
}

func startConsole(ctx context.Context, p *place) (*worker, error) {
	c, status, err := console.Start(ctx, []string{p.binary, "console", "host"}, os.Getenv, console.Spec{Adapter: p.shell, Name: "soak", Dir: p.dir})
	if err != nil {
		return nil, err
	}
	next := func(n int) error {
		code, want, exit := command(n)
		var out strings.Builder
		a, err := c.Exec(ctx, console.ExecRequest{Code: code}, &out)
		switch {
		case err != nil:
			return err
		case out.String() != want || a.Command.ExitCode == nil || *a.Command.ExitCode != exit:
			return fmt.Errorf("%q printed %q and ended with %v", code, out.String(), a.Command.ExitCode)
		}
		return nil
	}
	return &worker{status.HostPID, filepath.Join(p.dir, "state"), next, func() error { c.Close(); return nil }}, nil
}

// scenarioText has the turns of the scripted agent: each says its number and changes a file.
const scenarioText = `turns:
- steps:
  - {text: "Turn {turn}."}
  - {write: {path: progress.txt, content: "turn {turn}\n"}}
  - {tool: {name: Read, input: {file_path: a}, result: "TEXT"}}
`

func startTurns(ctx context.Context, p *place) (*worker, error) {
	project, scenario := filepath.Join(p.dir, "project"), filepath.Join(p.dir, "scenario.yaml")
	err := errors.Join(
		os.MkdirAll(filepath.Join(project, ".ralph"), 0o755),
		os.WriteFile(filepath.Join(project, ".ralph", "PROMPT.md"), []byte("Do it.\n"), 0o644),
		os.WriteFile(scenario, []byte(strings.ReplaceAll(scenarioText, "TEXT", strings.Repeat("text ", 200))), 0o644),
	)
	if err != nil {
		return nil, err
	}
	cmd := interruptible(ctx, p.binary, "run", "--adapter", p.agent, "--json", "--max-turns", "1000000")
	cmd.Dir = project
	cmd.Env = append(os.Environ(), "RIPPLE_SCENARIO="+scenario, "MAX_CALLS_PER_HOUR=100000", "CB_NO_PROGRESS_THRESHOLD=100000")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	next := func(n int) error {
		said := ""
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return err
			}
			var e struct {
				Type, Text string
				Turn       int
			}
			if err := json.Unmarshal(line, &e); err != nil {
				return fmt.Errorf("%w: %s", err, line)
			}
			if e.Type == "text" {
				said = e.Text
			}
			if e.Type != "turn_ended" {
				continue
			}
			if want := fmt.Sprintf("Turn %d.", n+1); e.Turn != n+1 || said != want {
				return fmt.Errorf("turn %d said %q: %s", e.Turn, said, line)
			}
			return nil
		}
	}
	works, err := worksIn(ctx, cmd.Process.Pid)
	if err != nil {
		return nil, errors.Join(err, cmd.Wait())
	}
	return &worker{works, filepath.Join(project, ".ralph"), next, func() error {
		err := cmd.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, lines) // to its end
		_ = cmd.Wait()                    // it was interrupted
		return err
	}}, nil
}

// interruptible returns a command that is asked to end at the end of the context.
func interruptible(ctx context.Context, binary string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return cmd
}

// worksIn returns the process that does the work of a guarded command: below its supervisor.
func worksIn(ctx context.Context, pid int) (int, error) {
	for range 2 {
		child := 0
		for child == 0 {
			if child = firstChild(pid); ctx.Err() != nil {
				return 0, ctx.Err()
			}
		}
		pid = child
	}
	return pid, nil
}

// firstChild returns the first child of any thread, 0 if there is none.
func firstChild(pid int) (child int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is valid
	for _, path := range threads {
		text, _ := os.ReadFile(path) // the thread may have ended
		for word := range strings.FieldsSeq(string(text)) {
			if n, err := strconv.Atoi(word); err == nil && (child == 0 || n < child) {
				child = n
			}
		}
	}
	return child
}

func startMCP(ctx context.Context, p *place) (*worker, error) {
	cmd := interruptible(ctx, p.binary, "mcp")
	cmd.Dir, cmd.Stderr = p.dir, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{in: in, out: bufio.NewReader(out)}
	_, err = s.call("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "soak", "version": "1"}})
	if err == nil {
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	if err == nil {
		_, err = s.tool("console_start", map[string]any{"name": "soak", "adapter": p.shell})
	}
	if err != nil {
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	next := func(n int) error {
		code, want, exit := command(n)
		name, arguments, wants := "console_exec", map[string]any{"console": "soak", "code": code}, []string{want, fmt.Sprintf("exit=%d", exit)}
		switch n % 10 {
		case 7:
			name, arguments, wants = "console_list", map[string]any{}, []string{"soak"}
		case 8:
			name, arguments, wants = "console_peek", map[string]any{"console": "soak"}, []string{"soak"}
		}
		text, err := s.tool(name, arguments)
		for _, want := range wants {
			if err == nil && !strings.Contains(text, want) {
				err = fmt.Errorf("%s %v has no %q: %s", name, arguments, want, text)
			}
		}
		return err
	}
	return &worker{cmd.Process.Pid, filepath.Join(p.dir, "state"), next, func() error { return errors.Join(in.Close(), cmd.Wait()) }}, nil
}

// server is an MCP server on standard input and output.
type server struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

// call calls a method and waits for its answer; notifications are skipped.
func (s *server) call(method string, params any) (json.RawMessage, error) {
	s.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		switch {
		case m.ID == nil:
			continue
		case *m.ID != s.id || m.Error != nil:
			return nil, fmt.Errorf("the answer to %s is %s", method, line)
		}
		return m.Result, nil
	}
}

// tool calls a tool and returns the text of its result.
func (s *server) tool(name string, arguments any) (string, error) {
	result, err := s.call("tools/call", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return "", err
	}
	var r struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return "", err
	}
	if r.IsError || len(r.Content) != 1 {
		return "", fmt.Errorf("%s: %s", name, result)
	}
	return r.Content[0].Text, nil
}
