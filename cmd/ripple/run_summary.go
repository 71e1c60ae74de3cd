package main

import (
	"fmt"
	"strings"
	"time"

	"ripple/runtime/loop"
)

// row is a labelled line of a summary.
type row struct{ label, text string }

// summaryRows say what a run has done, and what can be done with it.
func summaryRows(s *loop.Summary) []row {
	rows := []row{{"turns", fmt.Sprintf("%d in %s", s.Turns, s.Elapsed.Round(time.Second))}}
	add := func(when bool, label, text string) {
		if when {
			rows = append(rows, row{label, text})
		}
	}
	add(s.CostUSD > 0, "cost", loop.Dollars(s.CostUSD))
	add(s.Tokens.Input+s.Tokens.Output > 0, "tokens", fmt.Sprintf("%s in, %s out", short(s.Tokens.Input), short(s.Tokens.Output)))
	add(s.Git, "commits", commits(s))
	add(s.Git && s.Dirty > 0, "dirty", count(s.Dirty, "file")+" not in a commit")
	if s.Branch != "" {
		main, branch := shellQuote(s.Main), shellQuote(s.Branch)
		add(true, "to look", "git diff "+main+"..."+branch)
		add(true, "to merge", "git merge "+branch)
		add(true, "to remove", "git worktree remove "+shellQuote(s.Dir))
		add(true, "", "git branch -d "+branch)
	}
	return rows
}

func commits(s *loop.Summary) string {
	if s.Commits == 0 {
		return "none"
	}
	return fmt.Sprintf("%d: %s changed, %s added, %d removed", s.Commits, count(s.Files, "file"), count(s.Added, "line"), s.Removed)
}

// wrapped breaks words that stand behind a prefix for the terminal of notes.
func (a *app) wrapped(text, prefix string) string {
	width := min(a.page(a.err).width, widestProse) - len(prefix)
	var lines []string
	for line := range strings.SplitSeq(harmless(text), "\n") {
		lines = append(lines, wrapLine(line, width)...)
	}
	return strings.Join(lines, "\n")
}

// summaryIndent is the column at which the texts of a summary stand.
const summaryIndent = 13

// summarise writes them where notes go.
func (a *app) summarise(s *loop.Summary) {
	if s == nil {
		return
	}
	if a.errTerminal {
		fmt.Fprintln(a.err)
	}
	for _, r := range summaryRows(s) {
		text := harmless(r.text)
		if a.errTerminal {
			text = strings.ReplaceAll(a.wrapped(text, strings.Repeat(" ", summaryIndent)), "\n", "\n"+strings.Repeat(" ", summaryIndent))
		}
		fmt.Fprintf(a.err, "  %s %s\n", a.paint(bold, fmt.Sprintf("%-*s", summaryIndent-3, r.label)), text)
	}
}
