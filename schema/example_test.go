package schema_test

import (
	"fmt"

	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate" // files are read
)

const calculator = `schema: 1
name: calculator
version: 0.1.0
description: An RPN calculator
family: repl
process: {executable: dc}
init: {strategy: none}
prompt: {strategy: regex, primary: '^> $'}
outptu: {}
`

// The diagnostics list all errors of a file, each with its position.
func Example() {
	a, diagnostics := schema.Parse("calculator.yaml", []byte(calculator), schema.Options{})
	fmt.Println(a == nil)
	for _, d := range diagnostics {
		fmt.Println(d)
	}
	// Output:
	// true
	// calculator.yaml:9:1: unknown key "outptu" in the adapter (did you mean "output"?) [unknown-key]
}
