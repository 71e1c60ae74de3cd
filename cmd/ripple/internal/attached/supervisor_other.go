//go:build !unix

package attached

import (
	"os"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// supervisor does nothing here: on this system a terminal's modes do not outlive the process
// that set them.
type supervisor struct{}

func newSupervisor(*os.File) *supervisor { return nil }

// Watch does nothing here.
func Supervise(*os.File) (stop func()) { return func() {} }

func (*supervisor) arm(*os.File) {}

func (*supervisor) dismiss() {}

// SupervisorCommand returns a command that is not used here.
func SupervisorCommand(*ui.App) *cobra.Command {
	return &cobra.Command{Use: "supervisor", Hidden: true}
}
