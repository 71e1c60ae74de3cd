//go:build unix

package place_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"example.org/ripple/runtime/console/place"
)

// A host claims the name of its console before it starts the program.
func Example() {
	dir, err := os.MkdirTemp("", "place")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	getenv := func(name string) string {
		return map[string]string{"XDG_RUNTIME_DIR": dir, "XDG_STATE_HOME": dir, "HOME": dir}[name]
	}
	spec := place.Spec{Name: "work", Adapter: "bash"}
	claim, err := spec.ClaimName(getenv)
	if err != nil {
		log.Fatal(err)
	}
	_, err = spec.ClaimName(getenv)
	fmt.Println("in use:", errors.Is(err, place.ErrNameInUse))

	claim.Release()
	claim, err = spec.ClaimName(getenv)
	if err != nil {
		log.Fatal(err)
	}
	claim.Release()
	// Output: in use: true
}
