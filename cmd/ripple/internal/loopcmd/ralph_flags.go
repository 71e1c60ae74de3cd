package loopcmd

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// elsewhere maps flags of the Ralph reference to ripple's equivalents.
var elsewhere = map[string]string{
	"status": "to see the state of the loop: ripple status", "circuit-status": "to see the state of the circuit: ripple status",
	"reset-circuit": "to close it: ripple reset circuit", "reset-session": "to discard the session: ripple reset session",
	"monitor": "to watch the loop from another terminal: ripple watch", "no-continue": "to start a new conversation in every turn: --fresh",
	"output-format": "leave it out: the adapter defines the output format",
}

// flagError names the equivalent of an unknown flag that another loop has.
func flagError(cmd *cobra.Command, err error) error {
	if name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --"); unknown && elsewhere[name] != "" {
		return ui.UsageError(elsewhere[name], "%v", err)
	}
	return ui.FlagError(cmd, err)
}

// warnOfPromptFile warns that a task that is the name of a file is used literally: in other
// loops, --prompt takes a file.
func (a *app) warnOfPromptFile(prompt string) {
	if info, err := os.Stat(prompt); prompt != "" && err == nil && info.Mode().IsRegular() {
		a.Note("%q is a file, and --prompt takes the task itself; to read the task from the file: --prompt-file", prompt)
	}
}
