package session_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// One session, several commands: state persists, and each command has its own
// output and exit code.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := session.Open(ctx, bashAdapter(), session.Options{Dir: "/"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(ctx)

	for _, code := range []string{"x=20", "echo $((x + 22))", "ls /no/such/file 2>/dev/null"} {
		r, err := s.Eval(ctx, code)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q exit %d in %s\n", r.Output, *r.ExitCode, r.Cwd)
	}
	// Output:
	// "" exit 0 in /
	// "42\n" exit 0 in /
	// "" exit 2 in /
}

// A deadline ends the wait, not the command.
func ExampleSession_Interrupt() {
	ctx := context.Background()
	s, err := session.Open(ctx, bashAdapter(), session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(ctx)

	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	r, err := s.Eval(short, "echo working; sleep 1000")
	fmt.Printf("%v %q\n", errors.Is(err, session.ErrTimeout), r.Output)

	r, err = s.Interrupt(ctx)
	fmt.Println(r.CompletedBy, *r.ExitCode, err)
	// Output:
	// true "working\n"
	// interrupt 130 <nil>
}

// Output can be received as it arrives.
func ExampleOptions_output() {
	ctx := context.Background()
	s, err := session.Open(ctx, bashAdapter(), session.Options{
		Output: func(b []byte) { os.Stdout.Write(b) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(ctx)
	if _, err := s.Eval(ctx, "for i in 1 2 3; do echo $i; done"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1
	// 2
	// 3
}

// bashAdapter returns the bash adapter that is part of ripple.
func bashAdapter() *schema.Adapter {
	reg, err := registry.Open(registry.Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}})
	if err != nil {
		panic(err)
	}
	entry, err := reg.Find("bash")
	if err != nil {
		panic(err)
	}
	return entry.Adapter
}
