//go:build linux

// Command bench measures ripple and its peers in one run and writes one table: ratios from one run
// are meaningful, figures from two runs are not comparable.
//
// Each measurement is a function in its own file that returns rows. A peer that is not installed is
// reported, never omitted silently.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// row is one line of a table; the first row of a table is its baseline.
type row struct {
	name  string
	cells []string
}

// table is one measurement.
type table struct {
	title   string
	note    string
	columns []string
	rows    []row
	written string // the whole table, if another program writes it
}

// measurement is one of the tables, with a short name.
type measurement struct {
	name string
	run  func(*schema.Adapter, bool) (table, error)
}

var measurements = []measurement{
	{"roundtrip", roundTrips},
	{"start", starts},
	{"lines", clients},
	{"bulk", bulk},
	{"terminal", terminals},
	{"console-exec", consoleExecs},
	{"console-many", manyConsoles},
	{"cold", colds},
	{"fleet", fleet},
}

//go:embed measured.yaml
var measuredYAML []byte

// measured names the programs that are measured, and those they are compared with.
var measured struct {
	Adapter string
	Plain   []string // the adapter's program as it is usually started
	Behind  []string // runs the command line that follows it with a cat before it
	Tmux    string   // the same, as a command line for a shell
	Xterm   []string // measures xterm.js; arguments: a file, columns, rows and milliseconds
	Pythons []string // one of them may have pexpect
}

func main() {
	out := flag.String("o", "", "also write the report to this file")
	quick := flag.Bool("quick", false, "fewer repetitions")
	names := make([]string, len(measurements))
	for i, m := range measurements {
		names[i] = m.name
	}
	only := flag.String("only", "", "run the measurements whose name contains `TEXT`: "+strings.Join(names, ", "))
	child := flag.String("child", "", "internal: run the program of one measurement")
	flag.Parse()
	exitOn(yaml.Unmarshal(measuredYAML, &measured))
	switch *child {
	case "":
	case "lines":
		a, err := subject()
		exitOn(err)
		exitOn(bareLines(a))
		return
	default:
		exitOn(bulkChild(*child))
		return
	}
	if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, *only) }) {
		exitOn(fmt.Errorf("-only %s: no measurement has such a name; use %s", *only, strings.Join(names, ", ")))
	}
	exitOn(report(*out, *quick, *only))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func report(path string, quick bool, only string) error {
	a, err := subject()
	if err != nil {
		return err
	}
	var text strings.Builder
	w := io.MultiWriter(os.Stdout, &text)
	fmt.Fprintf(w, "# Benchmarks\n\n`make bench` writes this file; all rows of a table come from one run.\n\n%s\n", machine())
	for _, m := range measurements {
		if !strings.Contains(m.name, only) {
			continue
		}
		t, err := m.run(a, quick)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		t.print(w)
	}
	if path == "" {
		return nil
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// subject returns the adapter under test.
func subject() (*schema.Adapter, error) {
	r, err := registry.Open(registry.Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}})
	if err != nil {
		return nil, err
	}
	e, err := r.Find(measured.Adapter)
	if err != nil {
		return nil, err
	}
	return e.Adapter, nil
}

func (t table) print(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n", t.title)
	if t.note != "" {
		fmt.Fprintf(w, "%s\n\n", t.note)
	}
	if t.written != "" {
		fmt.Fprint(w, t.written)
		return
	}
	fmt.Fprintf(w, "| | %s |\n|---%s|\n", strings.Join(t.columns, " | "), strings.Repeat("|---:", len(t.columns)))
	for _, r := range t.rows {
		fmt.Fprintf(w, "| %s | %s |\n", r.name, strings.Join(r.cells, " | "))
	}
}

// machine describes the machine of the measurements.
func machine() string {
	model := "unknown processor"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for _, line := range strings.Split(string(b), "\n") {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	kernel, _ := exec.Command("uname", "-sr").Output() // only a label
	return fmt.Sprintf("%s, %d × %s, %s/%s, %s, %s", strings.TrimSpace(string(kernel)), runtime.NumCPU(), model,
		runtime.GOOS, runtime.GOARCH, runtime.Version(), time.Now().UTC().Format(time.DateOnly))
}

// percentile returns a percentile of durations, which it sorts in place.
func percentile(d []time.Duration, p float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[min(len(d)-1, int(float64(len(d))*p))]
}

func micro(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1e3) }
func milli(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Nanoseconds())/1e6) }

func ratio(a, b time.Duration) string {
	if b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f×", float64(a)/float64(b))
}

func missing(name string, columns int) row {
	cells := make([]string, columns)
	for i := range cells {
		cells[i] = "not installed"
	}
	return row{name, cells}
}
