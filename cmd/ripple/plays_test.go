package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"example.org/ripple/internal/testkit"
)

// plays is a script command: `plays SCENARIO CODE REASON TURNS [FLAG]...` lets ripple run play
// $WORK/SCENARIO.yaml in the directory $WORK/SCENARIO, which becomes the working directory. A
// second call continues the first run. The run must stop with this exit code and reason after TURNS
// turns, and report the same everywhere: in its messages, in events.jsonl, in status.json.
func plays(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: plays SCENARIO CODE REASON TURNS [FLAG]...")
	}
	dir := filepath.Join(ts.Getenv("WORK"), args[0])
	ts.Setenv("RIPPLE_SCENARIO", dir+".yaml")
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(ts.Chdir(dir))
	command := []string{args[1], "ripple", "run", "--adapter", "rehearsal"}
	if _, err := os.Stat(filepath.Join(dir, ".ralph", "PROMPT.md")); errors.Is(err, fs.ErrNotExist) {
		command = append(command, "--prompt", "Do it.")
	}
	exits(ts, false, append(command, args[4:]...))
	stopped(ts, args[1:4])
}

// stopped checks how the run in the working directory ended: CODE REASON TURNS.
func stopped(ts *testscript.TestScript, want []string) {
	var status struct {
		LoopCount  int    `json:"loop_count"`
		ExitReason string `json:"exit_reason"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(".ralph/status.json")), &status))
	lines := bytes.Split([]byte(strings.TrimSpace(ts.ReadFile(".ralph/events.jsonl"))), []byte("\n"))
	var last struct {
		Type, Reason, Why string
		ExitCode          int `json:"exit_code"`
		State             struct{ Questions []json.RawMessage }
	}
	for _, line := range lines {
		ts.Check(json.Unmarshal(line, &last))
	}
	got := []string{strconv.Itoa(last.ExitCode), status.ExitReason, strconv.Itoa(status.LoopCount)}
	if last.Type != "stopped" || last.Reason != status.ExitReason || strings.Join(got, " ") != strings.Join(want, " ") {
		ts.Fatalf("stopped with code, reason and turns %q, want %q; the last event is %s\nstderr: %s", got, want, lines[len(lines)-1], ts.ReadFile("stderr"))
	}
	_, next, said := strings.Cut(ts.ReadFile("stderr"), last.Why+"\n")
	if !said || strings.TrimSpace(next) == "" {
		ts.Fatalf("no sentence on why (%q) and one on what to do next\nstderr: %s", last.Why, ts.ReadFile("stderr"))
	}
	kind := fmt.Sprint(last.ExitCode, last.Reason, len(last.State.Questions) > 0)
	if _, known := statusOf.LoadOrStore(kind, true); !known || testkit.Thorough {
		statusCode(ts, last.ExitCode)
	}
}

// statusOf has the kinds of ends of which statusCode has seen one: a hundred runs of the scripts end in twenty ways.
var statusOf sync.Map

// statusCode checks that "ripple status --exit-code" has the exit code of the run that ended, or 8 if it needs an answer to
// continue. It leaves the script's stdout and stderr as they are.
func statusCode(ts *testscript.TestScript, want int) {
	cmd := exec.Command("env", "ripple", "status", "--exit-code", "--json")
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"), "HOME="+ts.Getenv("HOME"))
	out, err := cmd.Output()
	if bytes.Contains(out, []byte(`"state": "needs_you"`)) {
		want = 8
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("ripple status --exit-code: %d (%v), want %d\n%s", got, err, want, out)
	}
}
