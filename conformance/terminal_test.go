package conformance

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// passedBy lists the names that give direct access to standard output or standard error,
// without the filter that keeps text from acting on a terminal (ui.App.Out and Err).
var passedBy = []string{"Stdout", "Stderr", "Raw.Out", "Raw.Err"}

// passesBy maps the files of the command that use them to the reason.
var passesBy = map[string]string{
	"main.go":                              "passes them on",
	"internal/ui/app.go":                   "creates the filtering writers, and rewrites a line",
	"internal/ui/guard.go":                 "compares them",
	"internal/ui/turn_view.go":             "asks whether they are terminals",
	"internal/attached/supervisor_unix.go": "restores the terminal",
	"internal/consolecmd/attach.go":        "a console's screen",
	"internal/consolecmd/console.go":       "the answer of a console's host to the process that started it",
	"internal/consolecmd/exec.go":          "a program's output",
	"internal/consolecmd/record.go":        "a program's output",
	"internal/execcmd/command.go":          "a program's output",
	"internal/execcmd/run.go":              "a program's output",
	"internal/adaptercmd/try.go":           "a program's screen",
	"internal/adaptercmd/report.go":        "asks whether it is a terminal",
	"internal/adaptercmd/bench_view.go":    "asks whether it is a terminal",
	"internal/agentcmd/map.go":             "reads lines of an agent",
	"internal/agentcmd/run.go":             "an agent's screen",
	"internal/agentcmd/attached.go":        "an agent's screen",
	"internal/agentcmd/rehearse_acp.go":    "messages of a protocol",
	"internal/agentcmd/rehearse_screen.go": "draws a screen, as an agent would",
	"internal/boxcmd/box.go":               "a program's output",
	"internal/acpcmd/acp.go":               "messages of a protocol",
	"internal/loopcmd/notify.go":           "the bell, and a notification of the terminal's",
	"internal/loopcmd/task.go":             "passes them on",
	"internal/loopcmd/watch.go":            "draws the dashboard",
}

// TestOneWriterForATerminal checks that commands print through the writers that prevent text from
// controlling a terminal.
func TestOneWriterForATerminal(t *testing.T) {
	used := map[string]bool{}
	eachNode(t, func(file string, line int, n ast.Node) {
		file, ours := strings.CutPrefix(strings.ReplaceAll(file, "\\", "/"), "cmd/ripple/")
		s, is := n.(*ast.SelectorExpr)
		if !ours || !is {
			return
		}
		name := s.Sel.Name
		if x, is := s.X.(*ast.SelectorExpr); is && x.Sel.Name == "Raw" {
			name = "Raw." + name
		}
		if !slices.Contains(passedBy, name) {
			return
		}
		if x, is := s.X.(*ast.Ident); is && x.Name == "cmd" { // of another process
			return
		}
		used[file] = true
		assert.NotEmptyf(t, passesBy[file], "%s:%d: %s bypasses the writer that prevents text from controlling a terminal", file, line, name)
	})
	for file := range passesBy {
		assert.Truef(t, used[file], "%s bypasses nothing: remove it from the list", file)
	}
}
