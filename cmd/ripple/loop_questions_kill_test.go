//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// twoQuestions is a scenario whose turns ask, and print the answers.
const twoQuestions = `turns:
  - steps:
      - write: {path: a.txt, content: "1\n"}
      - status: {STATUS: BLOCKED, RECOMMENDATION: "Which color?"}
  - steps:
      - text: "{prompt}"
      - write: {path: a.txt, content: "2\n"}
  - steps:
      - text: "{prompt}"
      - status: {STATUS: BLOCKED, RECOMMENDATION: "How many?"}
  - steps:
      - text: "{prompt}"
      - write: {path: a.txt, content: "3\n"}
      - text: LOOP_COMPLETE
`

// answerer answers the questions of a loop, after some time, until the test ends.
func answerer(l *testLoop) {
	over, ended := make(chan struct{}), make(chan struct{})
	l.t.Cleanup(func() { close(over); <-ended })
	project := filepath.Join(l.dir, "project")
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-over:
				return
			}
			open, err := journal.OpenQuestions(project)
			if err != nil || len(open) == 0 {
				continue
			}
			select {
			case <-time.After(time.Duration(rand.Int64N(int64(150 * time.Millisecond)))):
			case <-over:
				return
			}
			err = journal.Answer(project, time.Now(), func(open []record.Question) (string, event.Answer, error) {
				q := open[0]
				a, _ := q.Choose("a user", event.AllowOnce)
				return q.ID, event.Answer{Option: a.Option, Text: "so: " + q.Text, By: "a user"}, nil
			})
			assert.NoError(l.t, err, "an open question can be answered")
		}
	}()
}

// asked counts how often the record contains each question and each answer.
func (l *testLoop) asked() map[string]int {
	f, err := os.Open(filepath.Join(l.dir, "project/.ralph/events.jsonl"))
	require.NoError(l.t, err)
	defer f.Close()
	n := map[string]int{}
	require.NoError(l.t, journal.Read(f, func(_ int, r journal.Record, err error) error {
		if q := r.Question; q != nil {
			text := fmt.Sprintf("%s %s", r.Type, q.ID)
			if q.Given != nil {
				text += " " + q.Given.Text
			}
			n[strings.TrimSpace(text)]++
		}
		for _, q := range r.Asked {
			n[strings.TrimSpace(fmt.Sprintf("asked %s %s", q.ID, q.Ended))]++
		}
		return err
	}))
	return n
}

// kill -9 at any moment while a question is open, and --resume: asked once, answered once, never
// lost.
func TestKilledLoopKeepsItsQuestions(t *testing.T) {
	t.Parallel()
	moments := testkit.Times(t, 3, 200)
	begin := func() *testLoop {
		l := newTestLoop(t, twoQuestions)
		require.NoError(t, os.WriteFile(filepath.Join(l.dir, "project/ripple.yml"), []byte("loop: {wait_for_answer: always}\n"), 0o600))
		answerer(l)
		return l
	}
	type all struct {
		result
		asked map[string]int
	}
	calm := killAtAnyMoment(t, moments, begin, func(l *testLoop) any {
		assert.NoFileExists(t, filepath.Join(l.dir, "project/.ralph/.answers"))
		return all{l.result(), l.asked()}
	})
	require.Equal(t, map[string]int{"asked q1": 1, "answered q1 so: Which color?": 1, "asked q2": 1, "answered q2 so: How many?": 1}, calm.asked())
	told := strings.Join(calm.result().events, "\n")
	require.Equal(t, 1, strings.Count(told, "    so: Which color?"))
	require.Equal(t, 1, strings.Count(told, "    so: How many?"))
}
