package registry_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"example.org/ripple/runtime/registry"
)

// An adapter is found by its name or an alias; the error for an unknown name has suggestions.
func Example() {
	adapters, err := registry.Open(registry.DefaultSources(os.Getenv, "."))
	if err != nil {
		log.Fatal(err)
	}
	entry, err := adapters.Find("python3")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(entry.Name, entry.Origin, entry.Adapter.Family)

	_, err = adapters.Find("pyhton")
	if missing, ok := errors.AsType[*registry.NotFoundError](err); ok {
		fmt.Println(missing)
	}
	// Output:
	// python embedded repl
	// no adapter is named "pyhton"; did you mean python or ipython or jython?
}
