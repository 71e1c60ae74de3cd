package scripts_test

import (
	"fmt"
	"io/fs"
	"log"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/schema"
)

// An adapter names its script with init.script_resource; schema looks it up in Options.Scripts.
func Example() {
	text, err := fs.ReadFile(adapters.FS, "lua.yaml")
	if err != nil {
		log.Fatal(err)
	}
	a, diagnostics := schema.ParseValid("lua.yaml", text, schema.Options{Scripts: []fs.FS{scripts.FS}})
	if a == nil {
		log.Fatal(diagnostics)
	}
	script, err := fs.ReadFile(scripts.FS, a.Init.ScriptResource)
	fmt.Println(a.Init.ScriptResource, a.Script == string(script), err)
	// Output: integration.lua true <nil>
}
