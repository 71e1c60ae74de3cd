package loop

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ripple/internal/lazyregexp"
	"ripple/runtime/loop/record"
)

// The markers of a status block, each alone on its line.
const (
	blockBegin = "---RALPH_STATUS---"
	blockEnd   = "---END_RALPH_STATUS---"
)

// Values of a block that mean something to the loop.
const (
	statusComplete = "COMPLETE"
	statusBlocked  = "BLOCKED"
	workTesting    = "TESTING"
	testsFailing   = "FAILING"
)

// block is what an agent says about its turn. A key that is missing or has a
// value of no meaning is empty; ExitSignal is then false.
type block struct {
	Status         string `json:"status,omitempty"`    // IN_PROGRESS, COMPLETE, BLOCKED
	WorkType       string `json:"work_type,omitempty"` // IMPLEMENTATION, TESTING, …
	Tests          string `json:"tests,omitempty"`     // PASSING, FAILING, NOT_RUN
	Tasks          int    `json:"tasks,omitempty"`     // that it says it completed
	Files          int    `json:"files,omitempty"`     // that it says it changed
	ExitSignal     bool   `json:"exit_signal,omitempty"`
	Recommendation string `json:"recommendation,omitempty"`
	Odd            string `json:"-"` // the first thing in it that is not read
}

var (
	statuses  = []string{"IN_PROGRESS", statusComplete, statusBlocked}
	tests     = []string{"PASSING", testsFailing, "NOT_RUN"}
	workTypes = []string{"IMPLEMENTATION", workTesting, "DOCUMENTATION", "REFACTORING"}
)

// placed is a block with the words around it.
type placed struct {
	lines  []string // between the markers
	before string   // the last line of words before it, "" for none
}

// parseBlock reads the last complete status block of an agent's text, nil for
// none. A block that the prompt has too, after the same line, is an echo.
func parseBlock(text, prompt string) *block {
	found := findBlocks(text)
	echoes := findBlocks(prompt)
	for _, p := range slices.Backward(found) {
		echo := func(e placed) bool { return e.before == p.before && slices.Equal(e.lines, p.lines) }
		if !slices.ContainsFunc(echoes, echo) {
			return readBlock(p.lines)
		}
	}
	return nil
}

// findBlocks lists the complete blocks of a text. A second begin starts anew.
func findBlocks(text string) []placed {
	var found []placed
	var open *placed
	before := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case line == blockBegin:
			open = &placed{before: before}
		case line == blockEnd && open != nil:
			found = append(found, *open)
			open = nil
		case open != nil:
			open.lines = append(open.lines, line)
		}
		if words := strings.TrimSpace(line); words != "" && !strings.HasPrefix(words, "```") {
			before = words
		}
	}
	return found
}

var sentenceEnd = lazyregexp.New(`[.!?] +`)

// lastSentence is the last thing that an answer says before its status block.
func lastSentence(text string) string {
	last, open := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == blockBegin, line == blockEnd:
			open = line == blockBegin
		case line != "" && !open && !strings.HasPrefix(line, "```"):
			last = line
		}
	}
	sentences := sentenceEnd().Split(last, -1)
	return record.OneLine(sentences[len(sentences)-1], 200)
}

// readBlock takes keys at line starts; of a key that stands twice, the last.
func readBlock(lines []string) *block {
	var b block
	for _, line := range lines {
		key, v, found := strings.Cut(line, ":")
		v = strings.TrimSpace(v)
		if !found {
			continue
		}
		read := true
		switch key {
		case "STATUS":
			b.Status = oneOf(v, statuses)
			read = b.Status != ""
		case "WORK_TYPE":
			b.WorkType = oneOf(v, workTypes)
			read = b.WorkType != ""
		case "TESTS_STATUS":
			b.Tests = oneOf(v, tests)
			read = b.Tests != ""
		case "TASKS_COMPLETED_THIS_LOOP":
			b.Tasks, _ = strconv.Atoi(v) // what is no number says nothing
		case "FILES_MODIFIED":
			b.Files, _ = strconv.Atoi(v) // see above
		case "EXIT_SIGNAL":
			b.ExitSignal = strings.EqualFold(v, "true")
			read = b.ExitSignal || strings.EqualFold(v, "false")
		case "RECOMMENDATION":
			b.Recommendation = v
		}
		b.Odd = cmp.Or(b.Odd, oddLine(key, v, read))
	}
	return &b
}

// oneOf gives a value in the case of the list, "" when it is not in it.
func oneOf(v string, list []string) string {
	v = strings.ToUpper(v)
	if slices.Contains(list, v) {
		return v
	}
	return ""
}

// promised says whether the last line of words is the completion promise.
func promised(text, promise string) bool {
	for _, line := range slices.Backward(strings.Split(text, "\n")) {
		if line = strings.TrimSpace(line); line != "" {
			return promise != "" && line == promise
		}
	}
	return false
}
