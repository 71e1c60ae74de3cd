//go:build !unix

package consolecmd

import (
	"os"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
)

// caretaker is of systems whose terminals have modes that outlive a process.
type caretaker struct{}

func newCaretaker(*os.File) *caretaker { return nil }

func (*caretaker) charge(*os.File) {}

func (*caretaker) relieve() {}

func newCaretakerCommand(*ui.App) *cobra.Command {
	return &cobra.Command{Use: "caretaker", Hidden: true}
}
