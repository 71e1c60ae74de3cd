package contract_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"regexp"

	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/registry"
)

// The tests run against the real program.
func Example() {
	adapters, err := registry.Open(registry.DefaultSources(os.Getenv, "."))
	if err != nil {
		log.Fatal(err)
	}
	entry, err := adapters.Find("bash")
	if err != nil {
		log.Fatal(err)
	}
	report := contract.Run(context.Background(), entry.Adapter, contract.Options{
		Filter: regexp.MustCompile("^arithmetic$"), RequireProgram: true,
	})
	for _, test := range report.Tests {
		fmt.Println(test.Kind, test.Name, test.Status)
	}
	fmt.Println(report.OK())
	// Output:
	// declared arithmetic passed
	// true
}
