package adaptercmd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/contract"
	"ripple/schema"
)

// NewAgentMatrix is ripple agent matrix.
func NewAgentMatrix(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var asJSON bool
	var file string
	cmd := &cobra.Command{
		Use:   "matrix REPORT...",
		Short: "Show how agents fare over each of their ways, and what they can do",
		Long: `Show a table of the JSON reports of "ripple adapter test" of agents: a row for each
agent and version that was tested, and for each of its ways (stdio, ACP, its screen)
whether the same scripted turns came to the same there as over its first way: "same",
what differs and is known to, or what FAILED. Last is what it offers over the Agent Client Protocol:
the capabilities that it told, and what it was seen to do (plan, usage, asks).

--write FILE puts the table into a document, between the lines "<!-- ripple agent
matrix -->" and "<!-- end -->".`,
		Example: "  ripple adapter test claude codex --report json > agents.json\n  ripple agent matrix agents.json",
		Args:    someReports,
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := readReports(args, a.In)
			if err != nil {
				return err
			}
			list := agentsOf(files)
			if len(list) == 0 {
				return ui.UsageError("ripple adapter test NAME --report json, of an agent whose program is here, has some", "no report has turns over the ways of an agent")
			}
			if file != "" {
				if err := agentTable(list).write(file); err != nil {
					return err
				}
			}
			switch {
			case asJSON:
				return a.PrintJSON(list)
			case file == "":
				return a.printTable(agentTable(list))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.Flags().StringVar(&file, "write", "", "put the table into this document (`FILE`)")
	return cmd
}

// agentRow is what is known of an agent in one version.
type agentRow struct {
	Agent   string            `json:"agent"`
	Version string            `json:"version,omitempty"`
	Ways    map[string]wayRow `json:"ways"`             // by way: stdio, acp, screen
	Offers  []string          `json:"offers,omitempty"` // over ACP
}

// wayRow is how the scripted turns went over a way.
type wayRow struct {
	Version string    `json:"version,omitempty"`
	Missing string    `json:"missing,omitempty"`
	First   bool      `json:"first,omitempty"` // the others are compared with it
	Turns   []turnRow `json:"turns,omitempty"`
}

// turnRow is one of them.
type turnRow struct {
	Name    string                `json:"name"`
	Status  contract.Status       `json:"status"` // passed but for what is not known to differ
	Differs []contract.Difference `json:"differs,omitempty"`
}

// agentsOf are the agents of the reports, by name and in the order of the reports.
func agentsOf(files []reportFile) (list []*agentRow) {
	for _, f := range files {
		for _, r := range f.reports {
			if row := agentOf(r); len(row.Ways) > 0 {
				list = append(list, row)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y *agentRow) int { return strings.Compare(x.Agent, y.Agent) })
	return list
}

func agentOf(r *contract.Report) *agentRow {
	row := &agentRow{Agent: r.Adapter, Version: r.InterpreterVersion, Ways: map[string]wayRow{}}
	for _, t := range r.Tests {
		first := true
		for _, p := range t.Ways {
			w := row.Ways[p.Way]
			w.Version, w.Missing = cmp.Or(p.Version, w.Version), p.Missing
			if p.Missing == "" {
				w.First = first
				w.Turns = append(w.Turns, turnRow{t.Name, fared(t, p, first), p.Differs})
				first = false
			}
			row.Ways[p.Way] = w
			row.Offers = append(row.Offers, p.Offers...)
		}
	}
	slices.Sort(row.Offers)
	row.Offers = slices.Compact(row.Offers)
	return row
}

// fared is how a turn went over one of its ways: what fails it and is no difference of
// another way is the first one's.
func fared(t contract.TestResult, p contract.Played, first bool) contract.Status {
	unknown := func(d contract.Difference) bool { return d.Because == "" }
	switch {
	case slices.ContainsFunc(p.Differs, unknown):
		return contract.Failed
	case first && !slices.ContainsFunc(t.Ways, func(p contract.Played) bool { return slices.ContainsFunc(p.Differs, unknown) }):
		return t.Status
	}
	return contract.Passed
}

var wayNames = []string{schema.TransportStdio, schema.TransportACP, schema.TransportScreen}

func agentTable(list []*agentRow) table {
	t := table{head: []string{"AGENT", "VERSION", "STDIO", "ACP", "SCREEN", "OFFERS OVER ACP"}}
	for _, row := range list {
		cells := []string{row.Agent, cmp.Or(row.Version, "-")}
		for _, name := range wayNames {
			cell := "-"
			if w, has := row.Ways[name]; has {
				cell = w.words(row.Version)
			}
			cells = append(cells, cell)
		}
		t.rows = append(t.rows, append(cells, cmp.Or(strings.Join(row.Offers, ", "), "-")))
	}
	return t
}

// words are the way's cell: how its turns went, with the version of a program of its own.
func (w wayRow) words(version string) string {
	if w.Missing != "" {
		return "not here"
	}
	var known, failed []string
	broken := false
	for _, t := range w.Turns {
		broken = broken || t.Status != contract.Passed
		for _, d := range t.Differs {
			if d.Because == "" {
				failed = append(failed, d.In)
			} else {
				known = append(known, d.In)
			}
		}
	}
	text := "same"
	switch {
	case len(failed) > 0:
		text = "FAILED: " + each(failed)
	case w.First && broken:
		text = "FAILED"
	case w.First:
		text = "yes"
	case len(known) > 0:
		text = "differs: " + each(known)
	}
	if w.Version != "" && w.Version != version {
		text = w.Version + " " + text
	}
	return text
}

// each are the words, each once.
func each(list []string) string {
	slices.Sort(list)
	return strings.ReplaceAll(strings.Join(slices.Compact(list), ", "), "_", " ")
}
