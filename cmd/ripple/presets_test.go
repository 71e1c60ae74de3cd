package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/scenario"
	"example.org/ripple/internal/testkit"
)

// rehearsed returns a scenario with the topics that each turn publishes: separated by blanks, with
// "!" before a word that ends the answer. No turn changes a file.
func rehearsed(turns []string) string {
	var b strings.Builder
	b.WriteString("turns:\n")
	for n, turn := range turns {
		text := "Done so far.\n"
		for word := range strings.FieldsSeq(turn) {
			if promise, is := strings.CutPrefix(word, "!"); is {
				text += promise + "\n"
			} else {
				text += fmt.Sprintf("<event topic=%q>in turn %d</event>\n", word, n+1)
			}
		}
		fmt.Fprintf(&b, "  - steps: [{text: %q}]\n", text)
	}
	return b.String()
}

// Each preset, and files in the formats of ralph-orchestrator, run to the end.
func TestPresetsRunToTheirEnd(t *testing.T) {
	t.Parallel()
	const shapes = "../../runtime/loop/config/testdata/presets/"
	tests := []struct {
		preset string
		turns  []string // topics published in each turn
		hats   string   // role of each turn
	}{
		{"build-review", []string{"build.done", "review.rejected", "build.done", "review.next", "build.done", "", "build.done", "review.passed !LOOP_COMPLETE"}, "builder reviewer builder reviewer builder reviewer builder reviewer"},
		{"plan-build-review", []string{"plan.ready", "build.blocked", "plan.ready", "build.done", "review.next", "build.done", "review.passed !LOOP_COMPLETE"}, "planner builder planner builder reviewer builder reviewer"},
		{"review", []string{"review.findings", "review.confirmed", "review.more", "review.findings", "review.confirmed", "!LOOP_COMPLETE"}, "reader prover editor reader prover editor"},
		{"research", []string{"research.finding", "research.question", "research.finding", "!LOOP_COMPLETE"}, "researcher skeptic researcher skeptic"},
		{"debug", []string{"fault.seen", "fault.explained", "fix.done", "fault.back", "fault.explained", "fix.done", "fault.gone !LOOP_COMPLETE"}, "reproducer explainer fixer reproducer explainer fixer reproducer"},

		{shapes + "review.yml", []string{"review.section", "analysis.complete", "review.followup", "", "analysis.complete", "REVIEW_COMPLETE"}, "reviewer analyzer closer reviewer analyzer closer"},
		{shapes + "research.yml", []string{"research.finding", "research.followup", "", "!RESEARCH_COMPLETE"}, "researcher synthesizer researcher synthesizer"},
		{shapes + "debug.yml", []string{"hypothesis.test", "hypothesis.rejected", "hypothesis.test", "hypothesis.confirmed", "fix.propose", "fix.applied", "", "fix.applied", "fix.verified", "DEBUG_COMPLETE"}, "investigator tester investigator tester investigator fixer verifier fixer verifier investigator"},
		{shapes + "code-assist.yml", []string{"tasks.ready", "review.ready", "", "review.ready", "review.passed", "queue.advance", "tasks.ready", "", "review.passed", "LOOP_COMPLETE"}, "planner builder critic builder critic finalizer planner builder critic finalizer"},
		{shapes + "wave-review.yml", []string{"review.perspective review.perspective", "review.done", "review.done", "", "review.complete"}, "coordinator reviewer reviewer synthesizer synthesizer"}, // its default is the promise: it is asked again
	}
	for _, tt := range testkit.Sample(t, 4, tests) {
		t.Run(filepath.Base(tt.preset), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			ripple := func(args ...string) (stdout, stderr string) {
				path, err := binary()
				require.NoError(t, err)
				cmd := exec.Command(path, args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "HOME="+dir, scenario.FileVariable+"="+filepath.Join(dir, "scenario.yaml"))
				var out, says bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &says
				require.NoError(t, cmd.Run(), says.String())
				return out.String(), says.String()
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "scenario.yaml"), []byte(rehearsed(tt.turns)), 0o600))
			if strings.HasSuffix(tt.preset, ".yml") {
				data, err := os.ReadFile(tt.preset)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(dir, "ripple.yml"), data, 0o600))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "PROMPT.md"), []byte("Do it.\n"), 0o600))
			} else {
				ripple("init", "--preset", tt.preset)
			}
			ripple("hats")
			out, _ := ripple("run", "--adapter", "rehearsal", "--json")
			var hats []string
			var last struct{ Type, Reason, Hat string }
			for line := range strings.Lines(out) {
				last.Hat = ""
				require.NoError(t, json.Unmarshal([]byte(line), &last))
				if last.Type == "turn_started" {
					hats = append(hats, last.Hat)
				}
			}
			assert.Equal(t, tt.hats, strings.Join(hats, " "))
			assert.Equal(t, "project_complete", last.Reason)
		})
	}
}
