// Command packages reads `ripple adapter list --json` and prints the packages
// that the adapters of this repository name, one a line, after the manager that
// has them: debian, pypi, npm, go, crates, or maven with its launcher, its class and its
// archives. Of an adapter that names several managers it is the first of these, and with
// -every all. After "none" stands an adapter whose program is not
// there and in no package, and how to get it. With arguments it prints those of these
// adapters only; with -family those of this family, else those of all but agents,
// which are large and want a folder of their own. Packages of npm, PyPI and Go have the versions
// of the file -versions, those that it does not name have none or what the adapter says.
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
	Install, Server                  *install
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
	family := flag.String("family", "", "only adapters of this family")
	every := flag.Bool("every", false, "from each manager that has them, not from the first only")
	versions := flag.String("versions", "versions", "the file of versions; see its first lines")
	flag.Parse()
	pinned, err := readVersions(*versions)
	if err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
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
		for _, line := range a.lines(*every) {
			lines = append(lines, pinned.pin(line))
		}
	}
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		fmt.Println(line)
	}
}

// lines are the adapter's packages after their managers, with those of the server that its tests
// start.
func (a adapter) lines(every bool) (lines []string) {
	for _, offer := range a.Install.offers() {
		if len(lines) == 0 || every {
			lines = append(lines, offer...)
		}
	}
	if a.Server != nil {
		lines = append(lines, slices.Concat(a.Server.offers()...)...)
	}
	if len(lines) > 0 || a.Executable != "" {
		return lines
	}
	advice := slices.DeleteFunc([]string{a.Install.Hint, a.Install.URL}, func(s string) bool { return s == "" })
	return []string{"none " + a.Name + ": " + strings.Join(advice, "; ")}
}

// offers are the lines of each manager that has packages.
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
