// Command fleet writes the table of adapters into docs/adapters.md, from the output of `ripple adapter list --json`,
// in its order, and of `ripple adapter test --all --report json`. Its arguments are the two files and the document.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

type adapter struct{ Name, Family, Origin, Unverified string }

type report struct {
	Adapter            string
	InterpreterVersion string        `json:"interpreter_version"`
	Start              time.Duration `json:"start_ns"`
	Level              int
	Skipped            string
}

const (
	begin = "<!-- fleet: make fleet -->\n"
	end   = "<!-- end -->"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: fleet LIST REPORT DOCUMENT")
	}
	var list []adapter
	if err := read(args[0], &list); err != nil {
		return err
	}
	var doc struct{ Reports []report }
	if err := read(args[1], &doc); err != nil {
		return err
	}
	found := map[string]report{}
	for _, r := range doc.Reports {
		found[r.Adapter] = r
	}
	document, err := os.ReadFile(args[2])
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(document), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s: no table between %q and %q", args[2], strings.TrimSpace(begin), end)
	}
	return os.WriteFile(args[2], []byte(before+begin+table(list, found)+end+after), 0o644)
}

func read(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func table(list []adapter, found map[string]report) string {
	var b strings.Builder
	b.WriteString("| adapter | family | tested with | level | start |\n|---|---|---|---|---:|\n")
	for _, a := range list {
		if a.Origin != "embedded" || a.Family == "agent" { // agents have no levels
			continue
		}
		r, tested := found[a.Name]
		version, level, start := r.InterpreterVersion, fmt.Sprint(r.Level), milliseconds(r.Start)
		if !tested || r.Skipped != "" || a.Unverified != "" {
			version, level, start = "not verified: "+a.Unverified, "", ""
			if a.Unverified == "" {
				version = "not tested in this run"
			}
		}
		fmt.Fprintf(&b, "| [%s](../adapters/%s.yaml) | %s | %s | %s | %s |\n", a.Name, a.Name, a.Family, version, level, start)
	}
	return b.String()
}

func milliseconds(d time.Duration) string {
	if d >= 100*time.Millisecond {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1e3)
}
