//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/journal"
)

const killedRoles = `
event_loop: {starting_event: go, required_events: [passed], max_iterations: 20}
hats:
  builder: {triggers: [go, rejected], publishes: [built], verify: [test -s shared.txt], max_activations: 4}
  reviewer: {triggers: [built], publishes: [rejected, passed, LOOP_COMPLETE], default_publishes: rejected, session: fresh}
`

// rolesScenario publishes by tags, by commands, and by default.
func rolesScenario(ripple string) string {
	return fmt.Sprintf(`turns:
  - steps:
      - write: {path: shared.txt, content: "1\n"}
      - text: "So:\n<event topic=\"built\">first</event>"
  - steps:
      - run: %[1]s emit rejected one; echo 2 > turn
      - text: No.
  - steps:
      - write: {path: a.txt, content: "3\n"}
      - run: %[1]s emit built
      - text: "And:\n<event topic=\"built\">second</event>"
  - steps:
      - text: I say nothing.
  - steps:
      - text: "Again:\n<event topic=\"passed\"></event>"
  - steps:
      - write: {path: shared.txt, content: "6\n"}
      - text: Nothing to publish.
  - steps:
      - write: {path: shared.txt, content: "7\n"}
      - text: "<event topic=\"built\">third</event>"
  - steps:
      - text: "Good.\nLOOP_COMPLETE"
`, ripple)
}

// kill -9 or `stop --now` at any moment, and --resume: each topic is published, taken and answered once, also if the agents work
// in a worktree whose turns are committed.
func TestKilledHatsContinue(t *testing.T) {
	t.Parallel()
	ripple, err := binary()
	require.NoError(t, err)
	const inWorktree = "loop: {commit: true, worktree: side}\n"
	for _, w := range testkit.Sample(t, 2, []struct {
		name, settings string
		stops          bool
	}{
		{"killed", "", false},
		{"stopped", "", true},
		{"killed in a worktree", inWorktree, false},
		{"stopped in a worktree", inWorktree, true},
	}) {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			moments := testkit.Times(t, 1, 200)
			begin := func() *testLoop {
				l := newCommitted(t)
				l.stops = w.stops
				for name, text := range map[string]string{"scenario.yaml": rolesScenario(ripple), "project/ripple.yml": killedRoles + w.settings} {
					require.NoError(t, os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600))
				}
				l.sh("git add ripple.yml; git commit -qm settings -- ripple.yml")
				return l
			}
			topics := func(l *testLoop) []journal.Published {
				list, err := journal.ReadTopics(filepath.Join(l.dir, "project"))
				require.NoError(t, err)
				for i := range list {
					list[i].Time = time.Time{}
				}
				return list
			}
			type all struct {
				result
				topics     []journal.Published
				repository string
			}
			calm := killAtAnyMoment(t, moments, begin, func(l *testLoop) any {
				assert.NoFileExists(t, filepath.Join(l.dir, "project/.ralph/.topics"))
				a := all{l.result(), topics(l), ""}
				if w.stops || w.settings != "" {
					a.events = nil // they contain the stops, and commit hashes and times
				}
				if w.settings != "" {
					a.repository = l.repository(".ralph/side-worktree")
				}
				return a
			})
			require.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8}, calm.result().turns)
			require.Len(t, topics(calm), 8)
		})
	}
}
