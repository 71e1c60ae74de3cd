package box_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"example.org/ripple/runtime/box"
)

// The program itself is also the helper process in the box: it is started again with the arguments of
// Command.Inside, which its main function must pass to box.Inside.
func Example() {
	if len(os.Args) > 1 && os.Args[1] == "inside" {
		code, err := box.Inside(os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
		if err != nil {
			log.Print(err)
		}
		os.Exit(code)
	}
	home, err := box.Home()
	if err != nil {
		log.Fatal(err)
	}
	policy := box.Policy{Dir: "/srv/project", Home: home, Env: box.Environment(os.Environ(), nil)}
	if err := policy.Allow(policy.Dir, nil, nil, []string{"proxy.golang.org"}); err != nil {
		log.Fatal(err)
	}
	code, err := box.Run(context.Background(), box.Command{
		Policy: policy, Argv: []string{"make", "test"}, Inside: []string{"inside"},
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Denied: func(d box.Denial) { fmt.Fprintln(os.Stderr, d) },
	})
	fmt.Println(code, err)
}
