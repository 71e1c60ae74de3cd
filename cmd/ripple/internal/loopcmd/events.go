package loopcmd

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// newEvents returns the events command.
func newEvents(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "events",
		Short: "List the topics of a loop: publisher, recipient and reason",
		Long: `List the topics of the current or last run. A topic is a message with which one hat hands over
to another (see docs/hats.md). The list shows the turn and the hat that published each one, its
recipient, the turns that received it, and why it was delivered or not. The command reads
.ralph/events.jsonl and changes nothing.`,
		Args: ui.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := layout.Check(loopDir()); err != nil {
				return ui.FailWith(ui.ExitUsage, err, "")
			}
			list, err := journal.ReadTopics(loopDir())
			if err != nil {
				return ui.FailWith(ui.ExitFailed, err, ownersHint(err))
			}
			if asJSON {
				if list == nil {
					list = []journal.Published{}
				}
				return a.PrintJSON(list)
			}
			a.printTopics(list)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

// widestCell is the maximum width of a text in a cell; --json prints the whole text.
const widestCell = 60

func (a *app) printTopics(list []journal.Published) {
	if len(list) == 0 {
		a.Note("no topic has been published here; to see the hats: ripple hats")
		return
	}
	rows := [][]string{{"turn", "from", "topic", "to", "turns", "why", "payload"}}
	for _, t := range list {
		rows = append(rows, []string{fmt.Sprint(t.Turn), t.From, t.Topic.Topic, receiver(t.Topic), takenIn(t), record.OneLine(whyOf(t), widestCell), record.OneLine(t.Payload, widestCell)})
	}
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	for _, r := range rows {
		line := ""
		for i, cell := range r {
			line += cell + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2)
		}
		if line = strings.TrimRight(ui.Harmless(line), " "); a.Interactive() {
			line = ansi.Truncate(line, a.Columns(), "…")
		}
		a.Printf("%s\n", line)
	}
}

func receiver(t hats.Topic) string {
	if t.To == "" {
		return "-"
	}
	return t.To
}

// takenIn lists the turns that received a topic.
func takenIn(t journal.Published) string {
	if len(t.Taken) == 0 {
		return "-"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(t.Taken), "[]"), " ", ",")
}

func whyOf(t journal.Published) string {
	if t.Aside != "" {
		return t.Aside
	}
	return t.Why
}

// topicWords describes the delivery of a topic on one line.
func topicWords(t hats.Topic) string {
	if t.To == "" {
		return t.Topic + ": " + t.Why
	}
	text := fmt.Sprintf("%s → %s", t.Topic, t.To)
	if t.Why == "default_publishes" {
		text += " (default_publishes)"
	}
	if t.Payload != "" {
		text += ": " + ui.FirstLine(t.Payload)
	}
	return text
}
