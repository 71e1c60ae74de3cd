package loop

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/loop/record"
)

// The markers of a status block, each alone on its line.
const (
	blockBegin = "---RALPH_STATUS---"
	blockEnd   = "---END_RALPH_STATUS---"
)

// Values of a block with an effect on the loop.
const (
	statusComplete = "COMPLETE"
	statusBlocked  = "BLOCKED"
	workTesting    = "TESTING"
	testsFailing   = "FAILING"
)

// block is an agent's report about its turn. A missing key or one with an unknown value is empty;
// ExitSignal is then false.
type block struct {
	Status         string `json:"status,omitempty"`    // IN_PROGRESS, COMPLETE, BLOCKED
	WorkType       string `json:"work_type,omitempty"` // IMPLEMENTATION, TESTING, …
	Tests          string `json:"tests,omitempty"`     // PASSING, FAILING, NOT_RUN
	Tasks          int    `json:"tasks,omitempty"`     // number of tasks reported as completed
	Files          int    `json:"files,omitempty"`     // number of files reported as changed
	ExitSignal     bool   `json:"exit_signal,omitempty"`
	NotDone        bool   `json:"not_done,omitempty"` // it has EXIT_SIGNAL: false
	Recommendation string `json:"recommendation,omitempty"`
	Odd            string `json:"-"` // description of its first invalid part
}

var (
	statuses  = []string{"IN_PROGRESS", statusComplete, statusBlocked}
	tests     = []string{"PASSING", testsFailing, "NOT_RUN"}
	workTypes = []string{"IMPLEMENTATION", workTesting, "DOCUMENTATION", "REFACTORING"}
)

// placed is a block with its surroundings.
type placed struct {
	lines  []string // between the markers
	before string   // the last text line before it, or ""
	fenced bool     // it is in fenced code
	shown  bool     // fenced, and text follows: it is an example
}

// parseBlock reads the last complete status block of an agent's text, or returns nil. A block
// that the prompt also contains, after the same line, is an echo; one in fenced code is an
// example unless the answer ends with it.
func parseBlock(text, prompt string) *block {
	for _, p := range slices.Backward(ownBlocks(text, prompt)) {
		if !p.shown {
			return readBlock(p.lines)
		}
	}
	return nil
}

// ownBlocks returns the complete blocks of a text that do not echo the prompt.
func ownBlocks(text, prompt string) []placed {
	echoes := findBlocks(prompt)
	return slices.DeleteFunc(findBlocks(text), func(p placed) bool {
		return slices.ContainsFunc(echoes, func(e placed) bool {
			return slices.Equal(e.lines, p.lines) && (p.shown || e.before == p.before)
		})
	})
}

// findBlocks returns the complete blocks of a text. A second begin marker starts over.
func findBlocks(text string) []placed {
	var found []placed
	var open *placed
	before, fence := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		within := fence != ""
		fence = hats.Fence(fence, line)
		switch {
		case line == blockBegin:
			open = &placed{before: before, fenced: within}
		case line == blockEnd && open != nil:
			found = append(found, *open)
			open = nil
		case open != nil:
			open.lines = append(open.lines, line)
		case line != "" && within == (fence != ""): // it neither opens nor closes a fence
			showAll(found)
		}
		if words := strings.TrimSpace(line); words != "" && !strings.HasPrefix(words, "```") {
			before = words
		}
	}
	return found
}

// showAll marks the blocks in fenced code as examples.
func showAll(found []placed) {
	for i := range found {
		found[i].shown = found[i].fenced
	}
}

var sentenceEnd = lazyregexp.New(`[.!?] +`)

// lastSentence returns the last sentence of an answer before its status block.
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

// readBlock reads keys at line starts; the last value of a repeated key counts.
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
			b.Tasks, _ = strconv.Atoi(v) // 0 if it is not a number
		case "FILES_MODIFIED":
			b.Files, _ = strconv.Atoi(v) // 0 if it is not a number
		case "EXIT_SIGNAL":
			b.ExitSignal = strings.EqualFold(v, "true")
			b.NotDone = strings.EqualFold(v, "false")
			read = b.ExitSignal || b.NotDone
		case "RECOMMENDATION":
			b.Recommendation = v
		}
		b.Odd = cmp.Or(b.Odd, oddLine(key, v, read))
	}
	return &b
}

// oneOf returns a value in the case of the list, or "" if it is not in the list.
func oneOf(v string, list []string) string {
	v = strings.ToUpper(v)
	if slices.Contains(list, v) {
		return v
	}
	return ""
}
