package sandbox_test

import (
	"fmt"
	"log"
	"os"

	"example.org/ripple/runtime/sandbox"
)

// This is the main function of a process of its own: Exec replaces it with the program, which then can
// write only below the two directories.
func Example() {
	const dir = "/srv/project"
	enforced, err := sandbox.Check(dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(os.Stderr, enforced)
	temp, err := os.MkdirTemp("", "sandbox")
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(sandbox.Exec(dir, temp, []string{"/bin/sh", "-c", "make test"}))
}
