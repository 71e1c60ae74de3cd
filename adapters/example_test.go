package adapters_test

import (
	"fmt"
	"io/fs"
	"log"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/schema"
)

// Each adapter is a file. Package registry also finds them by their aliases.
func Example() {
	text, err := fs.ReadFile(adapters.FS, "bash.yaml")
	if err != nil {
		log.Fatal(err)
	}
	a, diagnostics := schema.ParseValid("bash.yaml", text, schema.Options{Scripts: []fs.FS{scripts.FS}})
	if a == nil {
		log.Fatal(diagnostics)
	}
	fmt.Println(a.Name, a.Family, a.Script != "")
	// Output: bash shell true
}
