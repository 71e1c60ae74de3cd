// Command debian reads `ripple adapter list --json` and prints the Debian
// packages that the adapters of this repository name, one a line.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

func main() {
	var adapters []struct {
		Origin  string
		Install *struct{ Debian []string }
	}
	if err := json.NewDecoder(os.Stdin).Decode(&adapters); err != nil {
		fmt.Fprintln(os.Stderr, "debian: reading the list of adapters:", err)
		os.Exit(1)
	}
	var packages []string
	for _, a := range adapters {
		if a.Origin == "embedded" && a.Install != nil {
			packages = append(packages, a.Install.Debian...)
		}
	}
	slices.Sort(packages)
	for _, p := range slices.Compact(packages) {
		fmt.Println(p)
	}
}
