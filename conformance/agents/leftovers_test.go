package agents

import (
	"bytes"
	"fmt"
	"os"

	"example.org/ripple/internal/testkit"
)

// leftovers returns the command lines of the processes with this home.
func leftovers(home string) []string {
	var list []string
	for _, pid := range testkit.ProcessesWith("HOME=" + home + "\x00") {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
		if len(line) > 0 {
			list = append(list, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return list
}
