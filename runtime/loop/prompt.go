package loop

import (
	"fmt"
	"strings"
	"unicode"
)

// maxContext bounds what the loop adds to the prompt, in characters.
const maxContext = 500

// about is what the loop tells the agent with a turn.
type about struct {
	project        string // "" when nobody named it
	turn, maxTurns int
	plan           plan
	planPath       string // as the agent finds it
	breaker        string
	last           string // one line on the last turn
	refusal        string // why git did not commit the last turn
	verify         string // the last failure of --verify
}

// context words it, the important first: what is too long is cut at the end.
func (a about) context() string {
	lines := []string{fmt.Sprintf("Turn %d of at most %d.", a.turn, a.maxTurns)}
	if a.project != "" {
		lines = append(lines, "Project: "+oneLine(a.project, 80)+".")
	}
	if total := a.plan.open + a.plan.ticked; total > 0 {
		lines = append(lines, fmt.Sprintf("Open tasks in %s: %d of %d.", a.planPath, a.plan.open, total))
	}
	if a.breaker != closed {
		lines = append(lines, "Circuit breaker: "+a.breaker+": this turn must make progress.")
	}
	if a.refusal != "" {
		lines = append(lines, "Not committed, git refused: "+oneLine(a.refusal, 300))
	}
	if a.verify != "" {
		lines = append(lines, "Not done yet, the check failed: "+oneLine(a.verify, 300))
	}
	if a.last != "" {
		lines = append(lines, "Last turn: "+oneLine(a.last, 160))
	}
	return shorten(strings.Join(lines, "\n"), maxContext)
}

// oneLine puts text on one line of at most so many characters. What a program
// printed may hold bytes that neither an argument nor a commit can have.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	return shorten(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text), limit)
}
