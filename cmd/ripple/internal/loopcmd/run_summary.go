package loopcmd

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/record"
)

// row is a labeled line of a summary.
type row struct{ label, text string }

// isCommand reports whether the text is a command to copy: the label is "to merge" or the like, or
// empty after one.
func (r row) isCommand() bool { return r.label == "" || strings.HasPrefix(r.label, "to ") }

// summaryRows say what a run has done, and what can be done with it.
func summaryRows(s *loop.Summary) (rows []row) {
	rows = []row{{"turns", fmt.Sprintf("%d in %s", s.Turns, s.Elapsed.Round(time.Second))}}
	add := func(when bool, label, text string) {
		if when {
			rows = append(rows, row{label, text})
		}
	}
	add(len(s.Failures) > 0, "failed", failedTurns(s.Failures))
	add(s.CostUSD > 0, "cost", loop.FormatUSD(s.CostUSD))
	add(s.Tokens.Input+s.Tokens.Output > 0, "tokens", fmt.Sprintf("%s in, %s out", ui.ShortNumber(s.Tokens.Input), ui.ShortNumber(s.Tokens.Output)))
	return slices.Concat(rows, boxRows(s.Denied, s.Review, s.ReviewMore), gitRows(s))
}

// failedTurns returns the number of turns that ended in a failure, by its kind, the most frequent first.
func failedTurns(failures map[event.Kind]int) string {
	kinds := slices.Collect(maps.Keys(failures))
	sort.Slice(kinds, func(i, j int) bool {
		if a, b := failures[kinds[i]], failures[kinds[j]]; a != b {
			return a > b
		}
		return kinds[i] < kinds[j]
	})
	all, words := 0, make([]string, len(kinds))
	for i, k := range kinds {
		all += failures[k]
		words[i] = fmt.Sprintf("%d %s", failures[k], k)
	}
	return ui.Count(all, "turn") + ": " + strings.Join(words, ", ")
}

// boxRows lists the connections that a box denied, and the files to review, of which more are not listed.
func boxRows(denied []record.Denied, review []string, more int) (rows []row) {
	if len(denied) > 0 {
		rows = append(rows, row{"denied", "connections to " + loop.FormatDenied(denied)})
	}
	if len(review) > 0 {
		text := "these before you run anything here: " + strings.Join(review, ", ")
		if more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		rows = append(rows, row{"review", text})
	}
	return rows
}

func commits(s *loop.Summary) string {
	switch {
	case s.Merged:
		return "none to merge: " + quote.Name(s.Main) + " has all commits of " + quote.Name(s.Branch)
	case s.Commits == 0 && s.Copied > 0:
		return "none to merge: " + quote.Name(s.Main) + " has copies of all commits of " + quote.Name(s.Branch)
	case s.Commits == 0:
		return "none"
	}
	what := fmt.Sprint(s.Commits)
	if s.Copied > 0 {
		what += fmt.Sprintf(", and %d of which %s has copies; together", s.Copied, quote.Name(s.Main))
	}
	return fmt.Sprintf("%s: %s changed, %s added, %d removed", what, ui.Count(s.Files, "file"), ui.Count(s.Added, "line"), s.Removed)
}

// summaryIndent is the column at which the texts of a summary stand.
const summaryIndent = 13

// summarise writes them where notes go.
func (a *app) summarise(s *loop.Summary) {
	if s == nil {
		return
	}
	if a.ErrTerminal {
		fmt.Fprintln(a.Err)
	}
	for _, r := range summaryRows(s) {
		text := ui.Harmless(r.text)
		if a.ErrTerminal && !r.isCommand() { // a command that is copied in two lines is another one
			text = strings.ReplaceAll(a.Wrapped(text, strings.Repeat(" ", summaryIndent)), "\n", "\n"+strings.Repeat(" ", summaryIndent))
		}
		fmt.Fprintf(a.Err, "  %s %s\n", a.Paint(ui.Bold, fmt.Sprintf("%-*s", summaryIndent-3, r.label)), text)
	}
}
