//go:build !linux

package contract

const (
	processesAreKnown = false // the tests that need a list do not apply
	waitingIsKnown    = false
)

type process struct{}

func childrenWith(string) int            { return 0 }
func membersOf(int) []process            { return nil }
func stillThere([]process, int) []string { return nil }
func openDescriptors() int               { return 0 }
