// Package loopcmd implements the commands of a loop: init, run, status, watch, replay, stop,
// reset and others.
package loopcmd

import (
	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// app is the context shared by all commands, extended by methods for these.
type app struct{ *ui.App }

// New returns `ripple loop`: the commands of a loop under one name.
func New(a *ui.App) *cobra.Command {
	cmd := ui.Group(&cobra.Command{
		Use:   "loop",
		Short: "Run, watch and stop the loop of this directory",
		Long: `Run an agent turn after turn, and inspect its loop. Each command also works without the word
"loop": "ripple status" is short for "ripple loop status".`,
		Example: "  ripple loop init\n  ripple loop run --adapter claude --verify 'make test'\n  ripple loop status",
	})
	cmd.AddCommand(Commands(a)...)
	return cmd
}

// Commands returns new instances of the commands of a loop.
func Commands(a *ui.App) []*cobra.Command {
	return []*cobra.Command{
		newInit(a), newRun(a), newStatus(a), newWatch(a), newStop(a), newGuide(a), newAnswer(a), newReset(a),
		newReplay(a), newHats(a), newEvents(a), newEmit(a),
	}
}
