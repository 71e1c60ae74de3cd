//go:build !unix

package seat

import (
	"os"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// caretaker is of systems whose terminals have modes that outlive a process.
type caretaker struct{}

func newCaretaker(*os.File) *caretaker { return nil }

// Watch has nothing to look after here.
func Watch(*os.File) (stop func()) { return func() {} }

func (*caretaker) charge(*os.File) {}

func (*caretaker) relieve() {}

// Caretaker is a command that nothing uses here.
func Caretaker(*ui.App) *cobra.Command {
	return &cobra.Command{Use: "caretaker", Hidden: true}
}
