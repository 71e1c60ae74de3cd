package loop

import (
	"fmt"
	"strings"

	"example.org/ripple/runtime/loop/record"
)

// maxContext limits the text that the loop adds to the prompt, in characters.
const maxContext = 500

// about is the data that the loop gives the agent in a turn.
type about struct {
	project        string // "" if unnamed
	turn, maxTurns int
	hat            []string // lines on the hat of the turn
	plan           record.Plan
	planPath       string // relative to the agent's directory
	breaker        string
	last           string // one line on the last turn
	refusal        string // the reason that git did not commit the last turn
	verify         string // the reason that the verification failed
	missing        string // the reason that a claim does not count
}

// context formats it, most important lines first: a text that is too long is cut at the end.
func (a about) context() string {
	lines := []string{fmt.Sprintf("Turn %d of at most %d.", a.turn, a.maxTurns)}
	if a.project != "" {
		lines = append(lines, "Project: "+record.OneLine(a.project, 80)+".")
	}
	lines = append(lines, a.hat...)
	if total := a.plan.Open + a.plan.Ticked; total > 0 {
		lines = append(lines, fmt.Sprintf("Open tasks in %s: %d of %d.", a.planPath, a.plan.Open, total))
	}
	if a.breaker != record.Closed {
		lines = append(lines, "Circuit breaker: "+a.breaker+": this turn must make progress.")
	}
	if a.refusal != "" {
		lines = append(lines, "Not committed, git refused: "+record.OneLine(a.refusal, 300))
	}
	if a.verify != "" {
		lines = append(lines, "Not done yet, the check failed: "+record.OneLine(a.verify, 300))
	}
	if a.missing != "" {
		lines = append(lines, "Not done yet: "+record.OneLine(a.missing, 200)+".")
	}
	if a.last != "" {
		lines = append(lines, "Last turn: "+record.OneLine(a.last, 160))
	}
	return record.Shorten(strings.Join(lines, "\n"), maxContext)
}
