// Command packages reads `ripple adapter list --json` and prints tools/packages.list: the packages that the adapters
// of this repository name, one per line, as "ADAPTER FAMILY RANK MANAGER PACKAGE". The managers are debian, pypi, npm,
// go, crates, and maven with its launcher, its class and its archives. RANK numbers the managers that an adapter
// names, from 1; the packages of the server that an adapter's tests start have rank 1. An adapter without a package
// has the manager "none" and how to get its program. The file given with -versions has the versions of packages; other
// packages have the version that the adapter names, or none.
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
	Name, Family, Origin string
	Install, Server      *install
}

type install struct {
	Debian, PyPI, NPM, Go, Crates []string
	Maven                         *struct {
		Artifacts     []string
		Main, Command string
	}
	Hint, URL string
}

func main() {
	file := flag.String("versions", "versions", "the file of versions; see its first lines")
	flag.Parse()
	pinned, err := readVersions(*file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
	var adapters []adapter
	if err := json.NewDecoder(os.Stdin).Decode(&adapters); err != nil {
		fmt.Fprintln(os.Stderr, "packages: reading the list of adapters:", err)
		os.Exit(1)
	}
	fmt.Println("# Written by `make gen` from the adapters and tools/versions: adapter, family, rank, manager, package.")
	for _, line := range list(adapters, pinned) {
		fmt.Println(line)
	}
}

// list returns the lines of all adapters, sorted.
func list(adapters []adapter, pinned versions) (lines []string) {
	for _, a := range adapters {
		if a.Origin != "embedded" || a.Install == nil {
			continue
		}
		for rank, packages := range a.ranks() {
			for _, p := range packages {
				lines = append(lines, fmt.Sprintf("%s %s %d %s", a.Name, a.Family, rank+1, pinned.pin(p)))
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// ranks returns the adapter's packages with their managers, by rank.
func (a adapter) ranks() [][]string {
	ranks := a.Install.offers()
	if len(ranks) == 0 {
		ranks = [][]string{nil}
	}
	if a.Server != nil {
		ranks[0] = append(ranks[0], slices.Concat(a.Server.offers()...)...)
	}
	if len(ranks[0]) == 0 {
		advice := slices.DeleteFunc([]string{a.Install.Hint, a.Install.URL}, func(s string) bool { return s == "" })
		ranks[0] = []string{"none " + strings.Join(advice, "; ")}
	}
	return ranks
}

// offers returns the packages of each manager that has any.
func (i install) offers() (offers [][]string) {
	for _, m := range []struct {
		manager  string
		packages []string
	}{{"debian", i.Debian}, {"pypi", i.PyPI}, {"npm", i.NPM}, {"go", i.Go}, {"crates", i.Crates}} {
		var lines []string
		for _, p := range m.packages {
			lines = append(lines, m.manager+" "+p)
		}
		if len(lines) > 0 {
			offers = append(offers, lines)
		}
	}
	if m := i.Maven; m != nil {
		offers = append(offers, []string{strings.Join(append([]string{"maven", m.Command, m.Main}, m.Artifacts...), " ")})
	}
	return offers
}
