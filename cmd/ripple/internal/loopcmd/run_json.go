package loopcmd

import (
	"encoding/json"
	"fmt"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/loop/record"
)

// jsonNotice is the --json form of notices other than events of the agent.
type jsonNotice struct {
	Turn     int     `json:"turn"`
	Type     string  `json:"type"`
	Text     string  `json:"text,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`
	Reason   string  `json:"reason,omitempty"`
	ExitCode *int    `json:"exit_code,omitempty"`
	Next     string  `json:"next,omitempty"`
	Verified bool    `json:"verified,omitempty"`
	OK       *bool   `json:"ok,omitempty"`       // verified: it succeeded; decided: it is allowed
	CostUSD  float64 `json:"cost_usd,omitempty"` // turn_ended: of the run so far

	Hat    string       `json:"hat,omitempty"`    // turn_started
	Task   string       `json:"task,omitempty"`   // turn_started: the first open task of the plan
	Branch string       `json:"branch,omitempty"` // turn_started: branch of the worktree
	Topics []hats.Topic `json:"topics,omitempty"` // turn_ended

	Question *record.Question `json:"question,omitempty"` // asked, answered, decided

	Verdicts []record.Verdict `json:"verdicts,omitempty"` // verified: of each command

	Summary *loop.Summary `json:"summary,omitempty"` // stopped
	Rows    []jsonRow     `json:"rows,omitempty"`    // stopped: where the commits are, if that needs the user's attention
}

// jsonRow is a row of the summary about git.
type jsonRow struct {
	Label   string `json:"label"`
	Text    string `json:"text"`
	Command bool   `json:"command,omitempty"` // Text is a shell command to run in the project's directory
}

// jsonRows returns the rows about git, or nil if there are only commits and changed files on the branch where they are expected:
// other fields of the summary count those.
func jsonRows(s *loop.Summary) (rows []jsonRow) {
	if s == nil {
		return nil
	}
	notable := false
	for _, r := range gitRows(s) {
		notable = notable || r.label != "commits" && r.label != "dirty"
		rows = append(rows, jsonRow{Label: r.label, Text: r.text, Command: r.isCommand()})
	}
	if !notable {
		return nil
	}
	return rows
}

// jsonEvent is an event of the agent with its turn.
type jsonEvent struct {
	turn int
	e    event.Event
}

func (j jsonEvent) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(j.e)
	if err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, `{"turn":%d,`, j.turn), b[1:]...), nil
}

func (v *loopView) json(n loop.Notice) {
	switch {
	case n.Event != nil:
		_ = v.encode.Encode(jsonEvent{n.Turn, *n.Event}) // v.out keeps its error
	case n.Stop != nil:
		code := ExitCode(n.Stop)
		_ = v.encode.Encode(jsonNotice{
			Turn: n.Turn, Type: n.Kind, Text: n.Stop.Message, Reason: n.Stop.Reason, ExitCode: &code, Next: whatNext(n.Stop), Verified: n.Stop.Verified,
			Summary: n.Summary, Rows: jsonRows(n.Summary),
		}) // v.out keeps its error
	default:
		j := jsonNotice{Turn: n.Turn, Type: n.Kind, Text: n.Text, Seconds: n.Remaining.Seconds(), Question: n.Question}
		switch n.Kind {
		case loop.NoticeVerified, loop.NoticeDecided:
			j.OK = &n.OK
			if n.Record != nil {
				j.Verdicts = n.Record.Verdicts
			}
		case loop.NoticeTurnStarted:
			j.Hat, j.Task, j.Branch = n.Hat, n.Task, n.Branch
		case loop.NoticeTurnEnded:
			j.CostUSD, j.Topics = n.Cost, n.Topics
		}
		_ = v.encode.Encode(j) // v.out keeps its error
	}
}
