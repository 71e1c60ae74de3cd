package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"example.org/ripple/runtime/internal/rpc"
	"example.org/ripple/runtime/loop/record"
)

// loopEnd is how long a loop that is to end now may take to, before it is killed: its
// agent has three seconds twice, and the end is recorded.
const loopEnd = 20 * time.Second

// loopRun is a loop that a prompt began.
type loopRun struct {
	*session
	*asking
	prompt *promptRequest
	tell   *teller
	lines  rpc.Lines
	began  bool
	stop   *said // its last word
}

// said is a line of `ripple run --json` that is not an event of the agent.
type said struct {
	Turn     int              `json:"turn"`
	Type     string           `json:"type"`
	Text     string           `json:"text"`
	Reason   string           `json:"reason"`
	Next     string           `json:"next"`
	ExitCode int              `json:"exit_code"`
	Verified bool             `json:"verified"`
	OK       bool             `json:"ok"`
	CostUSD  float64          `json:"cost_usd"`
	Task     string           `json:"task"`
	Branch   string           `json:"branch"`
	Verdicts []record.Verdict `json:"verdicts"`
	Question *record.Question `json:"question"`
	Rows     []workRow        `json:"rows"`
}

// workRow is a line about the loop's commits, or a command that keeps, merges or removes them.
type workRow struct {
	Label   string `json:"label"`
	Text    string `json:"text"`
	Command bool   `json:"command"`
}

// workWords returns rows as a list in Markdown.
func workWords(rows []workRow) string {
	var b strings.Builder
	for _, r := range rows {
		text := r.Text
		if r.Command {
			text = "`` " + text + " ``" // a name of a branch can have a single backtick
		}
		fmt.Fprintf(&b, "\n- %s: %s", cmp.Or(r.Label, "and"), text)
	}
	return b.String()
}

// maxPrinted bounds a line that a loop prints, in bytes.
const maxPrinted = 64 << 20

// loop starts the loop for a prompt, or continues it, and returns when it has stopped.
func (ss *session) loop(ctx context.Context, p *promptRequest, tell *teller, text string) (ended, *rpc.Error) {
	command, err := ss.prepare(text)
	switch {
	case errors.Is(err, errTooLong):
		return ended{}, bad("%v", err)
	case err != nil:
		return ended{}, &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	}
	r := &loopRun{session: ss, prompt: p, tell: tell, asking: newAsking(ss)}
	r.lines = rpc.Lines{Max: maxPrinted, Line: r.line, Long: func([]byte) { ss.log("a line of the loop was too long to be shown") }}
	r.asking.later = p.now
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	words := &tail{also: ss.o.Log}
	cmd.Dir, cmd.Stdout, cmd.Stderr = ss.dir, r, words
	cmd.Cancel, cmd.WaitDelay = func() error { return askToEnd(cmd.Process) }, loopEnd
	defer func() {
		if !r.began && r.cancels() > 0 {
			ss.unbegun()
		}
	}()
	if err := cmd.Start(); err != nil {
		return ended{}, &rpc.Error{Code: rpc.CodeInternal, Message: "the loop cannot be started: " + err.Error()}
	}
	over := make(chan struct{})
	go func() {
		select {
		case <-p.softly:
			r.interrupt(cmd.Process)
		case <-over:
		}
	}()
	_ = cmd.Wait() // the exit code and its last line say how it ended
	close(over)
	r.lines.End()
	open := r.asking.end()
	return r.ended(cmd.ProcessState, words.String(), open)
}

// interrupt ends the loop after its turn, or now when the turn waits for an answer.
func (r *loopRun) interrupt(p *os.Process) {
	if r.asking.inTurn() || askToStop(p) != nil {
		r.prompt.now()
	}
}

// Write takes what the loop prints.
func (r *loopRun) Write(b []byte) (int, error) {
	r.lines.Feed(b)
	return len(b), nil
}

// line handles a line that the loop printed. A panic costs this line, not the loop.
func (r *loopRun) line(b []byte) {
	r.guard("showing a line of the loop", b, func() { r.show(b) })
}

func (r *loopRun) show(b []byte) {
	var v said
	if json.Unmarshal(b, &v) != nil {
		v = said{} // an event, whose fields mean something else
	}
	if !r.began {
		r.began = true
		r.sign()
	}
	switch v.Type {
	case "asked":
		if v.Question != nil {
			r.asking.ask(*v.Question, v.Text)
		}
	case "answered":
		if v.Question != nil {
			r.asking.answered(v.Question.ID)
		}
	case "stopped":
		r.stop = &v
	default:
		r.tell.line(b, v)
	}
}

// ended returns how the loop ended, and reports it to the client.
func (r *loopRun) ended(state *os.ProcessState, printed string, postponed *record.Question) (ended, *rpc.Error) {
	if r.stop == nil {
		return ended{}, &rpc.Error{Code: rpc.CodeInternal, Message: lastWordsOf(printed, state)}
	}
	r.settle(r.stop.ExitCode)
	r.tell.plan("")
	defer func() { r.tell.message(workWords(r.stop.Rows)) }()
	reason := stopReason(r.stop.ExitCode)
	switch words := strings.TrimSpace(r.stop.Text + "\n" + r.stop.Next); {
	case postponed != nil && r.cancels() == 0:
		reason = "refusal"
		r.tell.message(fmt.Sprintf("%s waits for your answer: %s\nWrite the answer here, and the loop continues.", postponed.ID, wordsOf(*postponed)))
	case reason == "":
		return ended{}, &rpc.Error{Code: rpc.CodeInternal, Message: words}
	case reason != "end_turn":
		r.tell.message(words + "\nOr write here what to do, and the loop continues.")
	default:
		r.tell.message(words)
	}
	return ended{stop: reason, meta: map[string]any{
		"reason": r.stop.Reason, "exitCode": r.stop.ExitCode, "verified": r.stop.Verified, "next": r.stop.Next,
	}}, nil
}

func (r *loopRun) cancels() (n int) {
	r.locked(func() { n = r.prompt.cancels })
	return n
}

// stopReason is the protocol's word for an exit code of ripple run
// (https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons): 5, 6 and 7
// are bounds of turns, of turns without progress and of claims that were not verified.
func stopReason(exitCode int) string {
	switch exitCode {
	case 0:
		return "end_turn"
	case 5, 6, 7:
		return "max_turn_requests"
	case 8:
		return "refusal"
	case 130:
		return "cancelled"
	}
	return ""
}
