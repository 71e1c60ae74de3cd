package loopcmd

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// elsewhere maps flags of the Ralph reference to ripple's equivalents.
var elsewhere = map[string]string{
	"status": "ripple status shows the state of the loop", "circuit-status": "ripple status shows the state of the circuit",
	"reset-circuit": "ripple reset circuit closes it", "reset-session": "ripple reset session forgets the session",
	"monitor": "ripple watch in another terminal is the dashboard", "no-continue": "--fresh starts a new conversation in every turn",
	"output-format": "leave it out: the adapter says what its agent prints",
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
		a.Note("%q is a file, and --prompt takes the task itself: --prompt-file reads it from there", prompt)
	}
}
