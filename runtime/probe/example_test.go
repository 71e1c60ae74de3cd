package probe_test

import (
	"context"
	"fmt"
	"log"

	"example.org/ripple/runtime/probe"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate" // the adapter is read
)

// It has no Output comment because learning a program takes many seconds.
func Example() {
	result, err := probe.Run(context.Background(), probe.Options{
		Name: "calculator", Command: []string{"bc", "-q"}, File: "calculator.yaml",
		Progress: func(step string) { fmt.Println(step) },
	})
	if err != nil {
		log.Fatalf("%v\n%s", err, result.Evidence)
	}
	a, diagnostics := schema.Parse("calculator.yaml", result.Adapter, schema.Options{})
	if a == nil {
		log.Fatal(diagnostics)
	}
	fmt.Println(a.Prompt.Strategy, result.Language, "level", result.Report.Level)
}
