package loop

import (
	"fmt"
	"os"
	"testing"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/box"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "box-enter":
			fmt.Fprintln(os.Stderr, box.Enter(os.Args[2:]))
			os.Exit(3)
		case "box-inside":
			code, err := box.Inside(os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			os.Exit(code)
		}
	}
	os.Exit(testkit.Main(m))
}
