// Package scenario plays a coding agent from a script, so that a loop can be tried, shown
// and tested without an account or a model.
//
// Play takes one turn of a schema.Scenario: it prints the events of runtime/event as JSON, one
// per line, as a real agent prints its own events. It really writes the files and runs the
// commands of the scenario.
package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/schema"
)

// Environment variables that a loop sets for the scripted agent.
const (
	FileVariable = "RIPPLE_SCENARIO" // path of the scenario
	TurnVariable = "RIPPLE_TURN"     // number of the turn, from 1
)

// Stage has the surroundings of a turn.
type Stage struct {
	Dir     string // working directory, in which files are written
	Prompt  string
	Session string
	Turn    int // counted from 1; the last turn of a scenario is repeated

	Out, Err io.Writer
	Now      func() time.Time
	Deaf     func() // makes the process ignore SIGINT and SIGTERM
}

// player plays one turn.
type player struct {
	Stage
	tools int
	deaf  bool  // to SIGINT and SIGTERM
	err   error // the first error of Out
}

// errExit ends a turn without a result.
type errExit struct{ code int }

func (e errExit) Error() string { return "exit " + strconv.Itoa(e.code) }

// Play takes a turn and returns the exit code. An error means that the turn could not be taken,
// for example because a file could not be written or the context ended.
func Play(ctx context.Context, s *schema.Scenario, st Stage) (code int, err error) {
	turn := s.Turns[min(max(st.Turn, 1), len(s.Turns))-1]
	p := &player{Stage: st}
	p.emit(event.Event{Type: event.Session, ID: st.Session})
	for _, step := range turn.Steps {
		err := p.step(ctx, step)
		if err == nil {
			err = ctx.Err() // it may have ended during a step that does not wait for that
		}
		if exit, is := errors.AsType[errExit](err); is {
			return exit.code, p.err
		}
		if err != nil {
			return 1, err
		}
	}
	if u := turn.Usage; u != nil {
		p.emit(event.Event{Type: event.Usage, Tokens: &event.Tokens{Input: int64(u.Input), Output: int64(u.Output), CostUSD: u.CostUSD}})
	}
	p.emit(event.Event{Type: event.Finished, IsError: turn.Failed, Kind: event.Kind(turn.Kind), Result: turn.Result})
	return turn.ExitCode, p.err
}

func (p *player) emit(e event.Event) {
	b, err := json.Marshal(e)
	if err == nil {
		_, err = p.Out.Write(append(b, '\n'))
	}
	if p.err == nil {
		p.err = err
	}
}

func (p *player) step(ctx context.Context, s schema.ScenarioStep) error {
	switch {
	case s.Text != nil:
		p.say(*s.Text)
	case s.Status != nil:
		p.say(statusBlock(s.Status))
	case s.Tool != nil:
		p.tool(s.Tool.Name, s.Tool.Input, s.Tool.Result, s.Tool.Failed)
	case s.Write != nil:
		return p.write(*s.Write)
	case s.Edit != nil:
		return p.edit(*s.Edit)
	case s.Run != "":
		return p.run(ctx, s.Run)
	case s.Limit != nil:
		e := event.Event{Type: event.RateLimited, Message: s.Limit.Message}
		if s.Limit.ResetsInMS > 0 {
			e.ResetsAt = p.Now().Add(time.Duration(s.Limit.ResetsInMS) * time.Millisecond).UTC()
		}
		p.emit(e)
	case s.Deny != nil:
		p.emit(event.Event{Type: event.PermissionDenied, Name: s.Deny.Tool, Detail: s.Deny.Detail})
	case s.Error != nil:
		p.emit(event.Event{Type: event.Error, Message: s.Error.Message, Fatal: s.Error.Fatal, Kind: event.Kind(s.Error.Kind)})
	default:
		return p.oddities(ctx, s)
	}
	return nil
}

// oddities lists misbehavior of agents that a scenario can request.
func (p *player) oddities(ctx context.Context, s schema.ScenarioStep) error {
	switch {
	case s.Raw != nil:
		_, err := fmt.Fprintln(p.Out, *s.Raw)
		return err
	case s.Stderr != nil:
		_, err := fmt.Fprintln(p.Err, *s.Stderr)
		return err
	case s.Exit != nil:
		return errExit{*s.Exit}
	case s.Deaf:
		p.deaf = true
		p.Deaf()
	case s.Stall:
		<-ctx.Done()
		return ctx.Err()
	case s.WaitMS > 0:
		timer := time.NewTimer(time.Duration(s.WaitMS) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (p *player) say(text string) {
	text = strings.NewReplacer("{prompt}", p.Prompt, "{turn}", strconv.Itoa(p.Turn), "{session}", p.Session).Replace(text)
	p.emit(event.Event{Type: event.Text, Text: text})
}

// statusKeys are the keys of a status block in their usual order.
var statusKeys = []string{"STATUS", "TASKS_COMPLETED_THIS_LOOP", "FILES_MODIFIED", "TESTS_STATUS", "WORK_TYPE", "EXIT_SIGNAL", "RECOMMENDATION"}

func statusBlock(values map[string]string) string {
	var b strings.Builder
	b.WriteString("---RALPH_STATUS---\n")
	for _, k := range statusKeys {
		if v, set := values[k]; set {
			fmt.Fprintf(&b, "%s: %s\n", k, v)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(statusKeys, k) {
			fmt.Fprintf(&b, "%s: %s\n", k, values[k])
		}
	}
	b.WriteString("---END_RALPH_STATUS---")
	return b.String()
}

// tool reports a tool use and its result.
func (p *player) tool(name string, input map[string]any, result string, failed bool) {
	p.tools++
	id := fmt.Sprintf("%d-%d", p.Turn, p.tools)
	raw, err := json.Marshal(input)
	if err != nil || input == nil {
		raw = nil
	}
	p.emit(event.Event{Type: event.ToolUse, ID: id, Name: name, Input: raw})
	p.emit(event.Event{Type: event.ToolResult, ID: id, Content: result, IsError: failed})
}

// files returns the project's directory. A scenario may run in a project that the user does not
// trust, so writing must not follow a link to one of the user's files.
func (p *player) write(w schema.ScenarioWrite) error {
	if err := replace(projectfile.In(p.Dir, "."), w.Path, []byte(w.Content)); err != nil {
		return err
	}
	p.tool("Write", map[string]any{"file_path": w.Path}, fmt.Sprintf("%d bytes written", len(w.Content)), false)
	return nil
}

// edit reports, as an agent's tool does, if there is nothing to replace.
func (p *player) edit(e schema.ScenarioEdit) error {
	input := map[string]any{"file_path": e.Path, "old_string": e.Old, "new_string": e.New}
	base := EditedIn(p.Dir, e.Path)
	if base != p.Dir {
		input["file_path"] = filepath.Join(base, e.Path)
	}
	files := projectfile.In(base, ".")
	text, err := files.Read(e.Path, projectfile.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		p.tool("Edit", input, "there is no file "+e.Path, true)
		return nil
	}
	if err != nil || !bytes.Contains(text, []byte(e.Old)) {
		p.tool("Edit", input, "the text to replace is not in "+e.Path, true)
		return nil
	}
	err = replace(files, e.Path, bytes.ReplaceAll(text, []byte(e.Old), []byte(e.New)))
	if err != nil && base != p.Dir { // a box may not let it write there
		p.tool("Edit", input, err.Error(), true)
		return nil
	}
	if err != nil {
		return err
	}
	p.tool("Edit", input, "replaced", false)
	return nil
}

// EditedIn returns the directory to which the name of a file to edit is relative: dir, where the agent works, or, for the plan of a
// loop whose working tree is dir and has none, that of the project.
func EditedIn(dir, name string) string {
	if path.Clean(filepath.ToSlash(name)) != layout.Dir+"/"+layout.PlanFile || projectfile.In(dir, ".").Exists(name) {
		return dir
	}
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if filepath.Base(at) != layout.Dir {
			continue
		}
		if project := filepath.Dir(at); projectfile.In(project, ".").Exists(name) {
			return project
		}
		break
	}
	return dir
}

// replace writes a file and creates its directory.
func replace(files projectfile.Dir, name string, content []byte) error {
	if err := files.Mkdir(path.Dir(filepath.ToSlash(name)), 0o755); err != nil {
		return err
	}
	f, err := files.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

func (p *player) run(ctx context.Context, command string) error {
	cmd := proctree.Command(ctx, "/bin/sh", "-c", command)
	cmd.Dir = p.Dir
	out, err := output(cmd)
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return err
	}
	p.tool("Bash", map[string]any{"command": command}, string(out), err != nil)
	status, is := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !p.deaf && is && status.Signaled() && (status.Signal() == syscall.SIGINT || status.Signal() == syscall.SIGTERM) {
		return errExit{128 + int(status.Signal())} // as a shell: the signal, which was for the agent, too, may arrive later here
	}
	return nil
}

// output runs a command and returns what it and what it started have printed when it ends. A file takes that, and not a
// pipe: a program that the command started in the background may continue, and print more.
func output(cmd *exec.Cmd) (out []byte, err error) {
	f, err := os.CreateTemp("", "ripple-rehearsal-")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = f, f
	if err = cmd.Run(); cmd.ProcessState == nil {
		return nil, err
	}
	info, statErr := f.Stat()
	if statErr != nil {
		return nil, statErr
	}
	out, readErr := io.ReadAll(io.NewSectionReader(f, 0, info.Size())) // not more: a program may print without end
	if readErr != nil {
		return nil, readErr
	}
	return out, err
}
