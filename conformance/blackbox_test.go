package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"example.org/ripple/internal/testkit"
)

var binary = flag.String("binary", "", "the program that TestBlackBox judges; empty: ripple, built from this module")

// blackBoxCase is a line of blackbox/cases.yaml.
type blackBoxCase struct {
	File    string
	Because string
	Flags   []string
	OK      bool
	Exit    int
	Failed  []string
	Skipped bool
	Refused bool // the file does not load, so there is no report
}

// blackBoxReport is the required part of a report, which may contain more.
type blackBoxReport struct {
	OK      bool
	Reports []struct {
		Adapter string
		Skipped string
		Tests   []struct{ Name, Status string }
	}
}

// TestBlackBox judges any program that has `adapter test FILE --report json`:
//
//	go test ./conformance -run BlackBox -binary /usr/local/bin/other
func TestBlackBox(t *testing.T) {
	t.Parallel()
	program := *binary
	if program == "" {
		var err error
		program, err = testkit.Binary()
		require.NoError(t, err)
	}
	data, err := os.ReadFile("blackbox/cases.yaml")
	require.NoError(t, err)
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	var cases []blackBoxCase
	require.NoError(t, d.Decode(&cases))
	for _, c := range cases {
		require.NotEmpty(t, c.Because, c.File)
		t.Run(c.Because, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"adapter", "test", filepath.Join("blackbox", c.File), "--report", "json"}, c.Flags...)
			cmd := exec.CommandContext(t.Context(), program, args...)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
			out, err := cmd.Output()
			code := 0
			if exit, failed := errors.AsType[*exec.ExitError](err); failed {
				code = exit.ExitCode()
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, c.Exit, code, "exit code; it printed %s", out)
			if c.Refused {
				return
			}
			var report blackBoxReport
			require.NoError(t, json.Unmarshal(out, &report), "%s", out)
			c.judge(t, report)
		})
	}
}

func (c blackBoxCase) judge(t *testing.T, report blackBoxReport) {
	t.Helper()
	assert.Equal(t, c.OK, report.OK, "ok")
	require.Len(t, report.Reports, 1)
	r := report.Reports[0]
	assert.Equal(t, strings.TrimSuffix(c.File, ".yaml"), r.Adapter)
	assert.Equal(t, c.Skipped, r.Skipped != "", "skipped: %q", r.Skipped)
	var failed []string
	for _, test := range r.Tests {
		if test.Status == "failed" || test.Status == "error" {
			failed = append(failed, test.Name)
		}
	}
	if len(c.Failed) == 1 && c.Failed[0] == "*" {
		assert.NotEmpty(t, failed)
		return
	}
	assert.ElementsMatch(t, c.Failed, failed, "the tests that fail")
}
