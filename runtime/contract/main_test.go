package contract

import (
	"fmt"
	"os"
	"testing"

	"github.com/dlclark/regexp2"
	"go.uber.org/goleak"

	"example.org/ripple/internal/testkit"
)

func TestMain(m *testing.M) {
	code := testkit.Main(m, "python3")
	regexp2.StopTimeoutClock() // its goroutine would count as a leak
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
