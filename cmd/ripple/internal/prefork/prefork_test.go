package prefork

import (
	"strings"
	"testing"
)

// A command line with a flag that affects the start of the program is left to the command itself.
func TestPlain(t *testing.T) {
	for line, want := range map[string]string{
		"exec bash true":               "bash",
		"exec bash -- -x":              "bash",
		"exec bash -":                  "bash",
		"exec bash --json true":        "bash",
		"exec bash --lines":            "bash",
		"exec bash --lines --json":     "bash",
		"exec bash -0":                 "bash",
		"exec bash --null --lines":     "bash",
		"exec bash":                    "",
		"exec bash --":                 "",
		"exec bash --json":             "",
		"exec bash true false":         "",
		"exec bash -- true false":      "",
		"exec bash true -- false":      "",
		"exec bash --lines true":       "",
		"exec bash --help":             "",
		"exec bash true --help":        "",
		"exec bash -f x":               "",
		"exec bash --cwd /":            "",
		"exec bash --cwd / true":       "",
		"exec bash --env A=b true":     "",
		"exec bash --arg x true":       "",
		"exec bash --executable x a":   "",
		"exec bash --cols=80 true":     "",
		"exec bash --ready-timeout=1s": "",
		"exec --json bash true":        "",
		"exec -- bash true":            "",
		"run":                          "",
		"":                             "",
	} {
		if got, ok := Plain(strings.Fields(line)); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", line, got, ok)
		}
	}
}

func TestGuarded(t *testing.T) {
	for line, want := range map[string]bool{
		"run":                    true,
		"run --dry-run":          false,
		"loop run --max-turns 2": true,
		"loop run --dry-run":     false,
		"loop status":            false,
		"loop":                   false,
		"exec bash true":         true,
		"agent run hi":           true,
		"agent run hi --screen":  false,
		"adapter test bash":      true,
		"adapter list":           false,
		"console host":           true,
		"":                       false,
	} {
		if got := Guarded(strings.Fields(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestHosting(t *testing.T) {
	for line, want := range map[string]bool{
		"console start":                 true,
		"console start python --name x": true,
		"console start nowhere":         true, // it ends, told nothing
		"console start bash -- --color": true,
		"console start bash --help":     false,
		"console start -h":              false,
		"console list":                  false,
		"console":                       false,
		"exec console start":            false,
		"help console start":            false,
		"__complete console start ba":   false,
		"":                              false,
	} {
		if got := hosting(strings.Fields(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// Whatever else a console is started with is left to the command itself.
func TestPlainStart(t *testing.T) {
	type start struct {
		adapter, name string
		ok            bool
	}
	for line, want := range map[string]start{
		"console start":                    {ok: true},
		"console start python":             {"python", "", true},
		"console start python --name calc": {"python", "calc", true},
		"console start --name calc python": {"python", "calc", true},
		"console start --name=calc --json": {"", "calc", true},
		"console start --name= python":     {"python", "", true},
		"console start --name a --name b":  {"", "b", true},
		"console start --name --json":      {"", "--json", true}, // the command rejects that name
		"console start python --name":      {},
		"console start python perl":        {},
		"console start python --cols 80":   {},
		"console start python --reuse":     {},
		"console start python --names x":   {},
		"console start python -- -c 1":     {},
		"console start python --":          {},
		"console start --name calc --help": {},
		"console list":                     {},
		"exec python --name x":             {},
	} {
		var got start
		got.adapter, got.name, got.ok = PlainStart(strings.Fields(line))
		if got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
