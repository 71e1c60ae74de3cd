package contract

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files; review the difference")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update")
	assert.Equal(t, string(want), string(got))
}

// sampleReports returns a test of each status, texts that a format must escape, and a program that
// is missing.
func sampleReports() []*Report {
	return []*Report{{
		Adapter: "toy", AdapterVersion: "1.0.0", File: "toy.yaml", Executable: "/usr/bin/toy", InterpreterVersion: "5.2",
		Level: 1, LevelNote: "level 2 is not reached: failed: a < b & #c", Notes: []string{"process 9 was left"},
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Duration: 1234 * time.Millisecond,
		Tests: []TestResult{
			{Name: "probe", Kind: KindProbe, Status: Passed, File: "toy.yaml", Line: 80, Level: 1, Duration: 3 * time.Millisecond},
			{Name: "starts again", Kind: KindDeclared, Status: Passed, File: "toy.yaml", Line: 90, Level: 2, Duration: time.Millisecond, Notes: []string{"a new session"}},
			{Name: "a < b & #c", Kind: KindDeclared, Status: Failed, File: "toy.yaml", Line: 92, Level: 2, Duration: 1100 * time.Millisecond, Failure: &Failure{
				Message: "expect: the output does not match", Line: 95, Column: 9, Step: "setup_sequence[1]", Sent: "print 1\\n\nprint 2", Pattern: "^</x>$",
				Output: `\x1b[1mone`, Received: "print 1\\r\\n\n\\x1b[1mone", EndedBy: "marker",
				Timeline: []TimelineEntry{{0, `write 8: print 1\n`}, {12.5, `read 14: \x1b[1mone\r\n`}},
			}},
			{Name: "no pattern", Kind: KindDeclared, Status: Errored, File: "toy.yaml", Line: 99, Level: 2, Failure: &Failure{Message: `expect: missing closing )`, Pattern: "("}},
			{Name: "forged OSC 633", Kind: KindDerived, Status: NotApplicable, Reason: "samples.raw_bytes is not declared", Level: 3},
			{Name: "killed program", Kind: KindDerived, Status: Skipped, Reason: "the run was stopped: interrupted", Level: 4, Round: 2},
		},
	}, {
		Adapter: "other", File: "other.yaml", Started: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC), Tests: []TestResult{},
		Unverified: "there was none to try it with",
		Skipped:    "other: its program is not installed; tried other (not in PATH)\n  on Debian or Ubuntu: apt-get install other",
	}}
}

func TestWriters(t *testing.T) {
	text := func(o TextOptions) func(io.Writer, []*Report) error {
		return func(w io.Writer, r []*Report) error { return WriteText(w, r, o) }
	}
	for name, write := range map[string]func(io.Writer, []*Report) error{
		"report.txt":         text(TextOptions{}),
		"report-verbose.txt": text(TextOptions{Verbose: true, Marks: true}),
		"report-color.txt":   text(TextOptions{Verbose: true, Color: true}),
		"report.json":        WriteJSON,
		"report.xml":         WriteJUnit,
		"report.tap":         WriteTAP,
		"report.github":      func(w io.Writer, r []*Report) error { return WriteGitHub(w, r, "TOKEN") },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, write(&b, sampleReports()))
			golden(t, name, b.Bytes())
			b.Reset()
			assert.NoError(t, write(&b, nil), "no reports")
			assert.ErrorIs(t, write(brokenPipe{}, sampleReports()), errBroken)
		})
	}
}

var errBroken = errors.New("broken pipe")

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

func TestJSONIsOneDocument(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteJSON(&b, sampleReports()))
	var doc struct {
		Version int
		OK      bool
		Reports []Report
	}
	d := json.NewDecoder(&b)
	require.NoError(t, d.Decode(&doc))
	assert.ErrorIs(t, d.Decode(&doc), io.EOF)
	assert.Equal(t, 1, doc.Version)
	assert.False(t, doc.OK)
	assert.Equal(t, sampleReports()[0].Tests, doc.Reports[0].Tests)
}

// A written report can be read, and written again without loss.
func TestReadJSON(t *testing.T) {
	var b, again bytes.Buffer
	require.NoError(t, WriteJSON(&b, sampleReports()))
	text := b.String()
	reports, err := ReadJSON(&b)
	require.NoError(t, err)
	require.NoError(t, WriteJSON(&again, reports))
	assert.Equal(t, text, again.String())
	for text, want := range map[string]string{
		"":                                  "not a JSON report",
		"[]":                                "not a JSON report",
		`{"version": 1}`:                    "not a JSON report",
		`{"reports": []}`:                   "not a JSON report",
		`{"version": 1, "reports": [null]}`: "not a JSON report",
		`{"version": 2, "reports": []}`:     "report version 2 is not supported; the supported version is 1",
		`{"version": 1, "reports": [{"adapter": "a", "tests": [{"name": "t", "status": "failed"}]}]}`: `a: the test "t" has the status failed but no failure`,
	} {
		_, err := ReadJSON(strings.NewReader(text))
		assert.ErrorContains(t, err, want, text)
	}
}

// A dashboard reads the report and not the exit code: a missing required program is an error in
// each report.
func TestRequiredAndMissing(t *testing.T) {
	reports := sampleReports()[1:]
	reports[0].Required = true
	for name, write := range map[string]func(io.Writer, []*Report) error{
		`"ok": false`: WriteJSON,
		`tests="1" failures="0" errors="1" skipped="0"`: WriteJUnit,
		"not ok 1 - other\n":                            WriteTAP,
		"other: in error: its program is not installed": func(w io.Writer, r []*Report) error { return WriteText(w, r, TextOptions{}) },
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b, reports))
		assert.Contains(t, b.String(), name)
		assert.Contains(t, b.String(), "apt-get install other", "what to do next")
	}
}

// Output of a program cannot give the workflow commands, and the text of an annotation cannot end
// it.
func TestGitHubCommandsAreEscaped(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteGitHub(&b, []*Report{{
		Adapter: "toy", File: "a,b:c%.yaml", LevelNote: noLevel + "no reason", Tests: []TestResult{{
			Name: "one: 100%, two", Status: Failed, File: "a,b:c%.yaml", Line: 3, Column: 5,
			Failure: &Failure{Message: "50%\r\n::error::forged", Line: 4, Column: 7, Output: "::set-env name=PATH::/evil\n##[add-path]/evil"},
		}},
	}}, "TOKEN"))
	before, after, found := strings.Cut(b.String(), "\n::TOKEN::\n")
	require.True(t, found)
	assert.True(t, strings.HasPrefix(before, "::stop-commands::TOKEN\n"))
	assert.Contains(t, before, "::set-env", "shown, but not at the beginning of a line, where it would be a command")
	assert.Equal(t, "::error file=a%2Cb%3Ac%25.yaml,line=4,col=7,title=toy%3A one%3A 100%25%2C two::50%25%0D%0A::error::forged%0A"+
		"output: ::set-env name=PATH::/evil%0A  ##[add-path]/evil\n", after)
}

func TestTextIsShort(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteText(&b, []*Report{{Adapter: "toy", LevelNote: noLevel + "no reason", Tests: []TestResult{
		{Name: "probe", Status: Failed, Failure: &Failure{Message: "no"}},
		{Name: "a", Status: Skipped, Reason: notStartedReason},
		{Name: "b", Status: Skipped, Reason: notStartedReason},
	}}}, TextOptions{}))
	assert.Equal(t, "FAIL  toy: probe (0s)\n    no\nskip  toy: the 2 tests after it: the program did not start\n"+
		"toy: 0 passed, 1 failed, 2 skipped, 0s; no level: no reason\n", b.String())
}

func TestJUnitCounts(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteJUnit(&b, sampleReports()))
	var doc junitSuites
	require.NoError(t, xml.Unmarshal(b.Bytes(), &doc))
	assert.Equal(t, [4]int{7, 1, 1, 3}, [4]int{doc.Tests, doc.Failures, doc.Errors, doc.Skipped})
}
