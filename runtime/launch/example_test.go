package launch_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/registry"
)

// Errors of a start list what was tried, and how to install the program.
func Example() {
	adapters, err := registry.Open(registry.DefaultSources(os.Getenv, "."))
	if err != nil {
		log.Fatal(err)
	}
	entry, err := adapters.Find("bash")
	if err != nil {
		log.Fatal(err)
	}
	host := launch.OSHost()
	host.IsExecutable = func(string) bool { return false } // a machine without programs
	_, err = launch.Locate(entry.Adapter, host, "")
	if missing, ok := errors.AsType[*launch.MissingError](err); ok {
		for _, remedy := range missing.Remedies() {
			fmt.Println(remedy)
		}
	}
	// Output:
	// on Debian or Ubuntu: apt-get install bash
	// bash is part of nearly every Linux; on macOS the system's 3.2 is too old
	// see https://www.gnu.org/software/bash/
}
