package adaptercmd

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/schema"
)

// NewAgentMatrix returns the command ripple agent matrix.
func NewAgentMatrix(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var asJSON bool
	var file string
	cmd := &cobra.Command{
		Use:   "matrix REPORT...",
		Short: "Show test results of agents over each transport, and their capabilities",
		Long: `Show a table of the JSON reports of "ripple adapter test" for agents: a row for each
tested version of an agent, and for each of its transports (stdio, ACP, its screen)
whether the same scripted turns had the same result as over its first transport: "same", the
known differences, or FAILED with the failures. The last column lists its capabilities in the
Agent Client Protocol: those that it announced, and those seen in use (plan, usage, asks).

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
				return ui.UsageError("to write a report with turns of an installed agent: ripple adapter test AGENT --report json", "no report contains turns of an agent")
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

// agentRow is the row of one version of an agent.
type agentRow struct {
	Agent      string                  `json:"agent"`
	Version    string                  `json:"version,omitempty"`
	Transports map[string]transportRow `json:"ways"`             // by name: stdio, acp, screen
	Offers     []string                `json:"offers,omitempty"` // over ACP
}

// transportRow holds the results of the scripted turns over one transport.
type transportRow struct {
	Version string    `json:"version,omitempty"`
	Missing string    `json:"missing,omitempty"`
	First   bool      `json:"first,omitempty"` // the other transports are compared with this one
	Turns   []turnRow `json:"turns,omitempty"`
}

// turnRow is the result of one turn.
type turnRow struct {
	Name    string                `json:"name"`
	Status  contract.Status       `json:"status"` // passed unless an unexpected difference was found
	Differs []contract.Difference `json:"differs,omitempty"`
}

// agentsOf returns the agents of the reports, by name and in the order of the reports.
func agentsOf(files []reportFile) (list []*agentRow) {
	for _, f := range files {
		for _, r := range f.reports {
			if row := agentOf(r); len(row.Transports) > 0 {
				list = append(list, row)
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Agent < list[j].Agent })
	return list
}

func agentOf(r *contract.Report) *agentRow {
	row := &agentRow{Agent: r.Adapter, Version: r.InterpreterVersion, Transports: map[string]transportRow{}}
	for _, t := range r.Tests {
		first := true
		for _, p := range t.Transports {
			w := row.Transports[p.Transport]
			w.Version, w.Missing = cmp.Or(p.Version, w.Version), p.Missing
			if p.Missing == "" {
				w.First = first
				w.Turns = append(w.Turns, turnRow{t.Name, fared(t, p, first), p.Differences})
				first = false
			}
			row.Transports[p.Transport] = w
			row.Offers = append(row.Offers, p.Capabilities...)
		}
	}
	slices.Sort(row.Offers)
	row.Offers = slices.Compact(row.Offers)
	return row
}

// fared returns the status of a turn over one of its transports: a failure that is not a difference of
// another transport belongs to the first one.
func fared(t contract.TestResult, p contract.TransportResult, first bool) contract.Status {
	unknown := func(d contract.Difference) bool { return d.Reason == "" }
	switch {
	case slices.ContainsFunc(p.Differences, unknown):
		return contract.Failed
	case first && !slices.ContainsFunc(t.Transports, func(p contract.TransportResult) bool { return slices.ContainsFunc(p.Differences, unknown) }):
		return t.Status
	}
	return contract.Passed
}

var transportNames = []string{schema.TransportStdio, schema.TransportACP, schema.TransportScreen}

func agentTable(list []*agentRow) table {
	t := table{head: []string{"AGENT", "VERSION", "STDIO", "ACP", "SCREEN", "OFFERS OVER ACP"}}
	for _, row := range list {
		cells := []string{row.Agent, cmp.Or(row.Version, "-")}
		for _, name := range transportNames {
			cell := "-"
			if w, has := row.Transports[name]; has {
				cell = w.words(row.Version)
			}
			cells = append(cells, cell)
		}
		t.rows = append(t.rows, append(cells, cmp.Or(strings.Join(row.Offers, ", "), "-")))
	}
	return t
}

// words formats a cell: the results of the turns, with the version if the transport has its own program.
func (w transportRow) words(version string) string {
	if w.Missing != "" {
		return "not here"
	}
	var known, failed []string
	broken := false
	for _, t := range w.Turns {
		broken = broken || t.Status != contract.Passed
		for _, d := range t.Differs {
			if d.Reason == "" {
				failed = append(failed, d.Field)
			} else {
				known = append(known, d.Field)
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

// each joins the distinct words of a list.
func each(list []string) string {
	slices.Sort(list)
	return strings.ReplaceAll(strings.Join(slices.Compact(list), ", "), "_", " ")
}
