package terminal_test

import (
	"context"
	"fmt"
	"log"

	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/terminal"
)

// A program runs on a terminal; its output arrives in pieces, and the screen can be read at any time.
func Example() {
	t, err := terminal.Start(pty.Command{
		Path: "/bin/sh", Argv: []string{"sh", "-c", `read -r name; printf 'hello, %s\rH' "$name"`},
		Size: pty.Size{Cols: 40, Rows: 10},
	}, terminal.Options{Screen: true})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close(context.Background())
	if _, err := t.Write([]byte("world\n")); err != nil {
		log.Fatal(err)
	}
	if err := t.Run(nil); err != nil { // until the program has ended
		log.Fatal(err)
	}
	t.WithScreen(func(s *terminal.Screen) { fmt.Println(string(s.AppendText(nil))) })
	code, _ := t.ExitStatus()
	fmt.Println("exit code", code)
	// Output:
	// Hello, world
	// exit code 0
}
