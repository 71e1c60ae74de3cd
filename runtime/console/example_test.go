//go:build unix

package console_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"example.org/ripple/runtime/console"
)

// A console keeps its program while clients come and go. Its host is a program whose main function calls
// console.Serve, as TestMain of this package does.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "console") // without it, the console would be among those of the user
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	variables := map[string]string{"XDG_RUNTIME_DIR": dir, "XDG_STATE_HOME": dir, "HOME": dir}
	host := []string{"/usr/bin/env", hostMark + "=1"}
	for name, value := range variables {
		host = append(host, name+"="+value)
	}
	getenv := func(name string) string { return variables[name] }
	c, status, err := console.Start(ctx, append(host, os.Args[0]), getenv, console.Spec{Name: "work", Adapter: "bash", Dir: "/"})
	if err != nil {
		log.Fatal(err)
	}
	defer c.End(ctx, false)
	fmt.Println(status.Name, status.State)

	result, err := c.Exec(ctx, console.ExecRequest{Code: "cd /usr && echo here"}, os.Stdout)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Reason, *result.Command.ExitCode, result.Status.Cwd)
	// Output:
	// work idle
	// here
	// done 0 /usr
}
