package pty_test

import (
	"fmt"
	"io"
	"log"

	"example.org/ripple/runtime/pty"
)

// The program sees a terminal of the given size.
func Example() {
	p, err := pty.Start(pty.Command{
		Path: "/bin/sh", Argv: []string{"sh", "-c", "stty size; exit 3"},
		Size: pty.Size{Cols: 100, Rows: 30},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	output, err := io.ReadAll(p)
	if err != nil {
		log.Fatal(err)
	}
	<-p.Exited()
	code, _ := p.ExitStatus()
	fmt.Printf("%q, exit code %d\n", output, code)
	// Output: "30 100\r\n", exit code 3
}
