// Command ripple drives interactive programs, each described by one YAML file: it runs commands in
// sessions, tests such files against the real program, and runs coding agents in loops.
package main

import (
	"os"

	"example.org/ripple/cmd/ripple/internal/prefork" // initialized first
	_ "example.org/ripple/schema/validate"
)

func main() {
	code := Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	prefork.Done()
	os.Exit(code)
}
