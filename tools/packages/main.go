// Command packages reads `ripple adapter list --json` and prints the packages
// that the adapters of this repository name, one a line, after the manager that
// has them: debian, npm or go. After "none" stands an adapter whose program is not
// there and in no package, and how to get it. With arguments it prints those of these
// adapters only; with -family those of this family, else those of all but agents,
// which are large and want a folder of their own.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

type adapter struct {
	Name, Family, Origin, Executable string
	Install                          *install
}

type install struct {
	Debian, NPM, Go []string
	Hint, URL       string
}

func main() {
	family := flag.String("family", "", "only adapters of this family")
	flag.Parse()
	var adapters []adapter
	if err := json.NewDecoder(os.Stdin).Decode(&adapters); err != nil {
		fmt.Fprintln(os.Stderr, "packages: reading the list of adapters:", err)
		os.Exit(1)
	}
	wanted := flag.Args()
	var lines []string
	for _, a := range adapters {
		if a.Family != *family && (*family != "" || a.Family == "agent") {
			continue
		}
		if a.Origin != "embedded" || a.Install == nil || len(wanted) > 0 && !slices.Contains(wanted, a.Name) {
			continue
		}
		lines = append(lines, a.lines()...)
	}
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		fmt.Println(line)
	}
}

// lines are the adapter's packages after their managers.
func (a adapter) lines() (lines []string) {
	for manager, packages := range map[string][]string{"debian": a.Install.Debian, "npm": a.Install.NPM, "go": a.Install.Go} {
		for _, p := range packages {
			lines = append(lines, manager+" "+p)
		}
	}
	if len(lines) > 0 || a.Executable != "" {
		return lines
	}
	advice := slices.DeleteFunc([]string{a.Install.Hint, a.Install.URL}, func(s string) bool { return s == "" })
	return []string{"none " + a.Name + ": " + strings.Join(advice, "; ")}
}
