//go:build unix

package agentloop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/runtime/registry"
)

// limitedOnce is a program that prints what codex prints. The second call has reached the limit of the account,
// which ends at the time in the file until, and the third call completes the work.
const limitedOnce = `#!/bin/sh
cat >/dev/null
says() { printf '%s\n' "$1"; }
here=$(dirname "$0")
echo "$*" >>"$here/calls"
says '{"type":"thread.started","thread_id":"01a1fed7-79e0-7d33-a786-f23bb0e8d5ad"}'
says '{"type":"turn.started"}'
case $(wc -l <"$here/calls") in
*1) echo one >work ;;
*2)
	said="You've hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/codex/settings/usage to purchase more credits or try again at $(cat "$here/until")."
	says '{"type":"error","message":"'"$said"'"}'
	says '{"type":"turn.failed","error":{"message":"'"$said"'"}}'
	exit 1
	;;
*) promise='\nLOOP_COMPLETE' ;;
esac
says '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"The work is done.'"$promise"'"}}'
says '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":2}}'
`

// limitedAgent returns the agent that is limited until a time in words, and the directory of its program.
func limitedAgent(t *testing.T, until string) (a *Agent, home string) {
	t.Helper()
	r, err := registry.Open(registry.DefaultSources(func(string) string { return "" }, ""))
	require.NoError(t, err)
	e, err := r.Find("codex")
	require.NoError(t, err)
	home = t.TempDir()
	program := filepath.Join(home, "codex")
	require.NoError(t, os.WriteFile(program, []byte(limitedOnce), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "until"), []byte(until), 0o600))
	return &Agent{Adapter: e.Adapter, Executable: program}, home
}

// The loop waits until the time that codex prints, and status and journal say so; the turn after the wait
// continues the session, unless that has expired. A time that is later than the longest wait stops the loop
// at once, and a resumed loop tries again.
func TestALimitInCodexsWords(t *testing.T) {
	for _, tt := range []struct {
		name    string
		in      time.Duration // from the start
		layout  string        // of the time
		maxWait string
		first   bool // the first turn is limited
		stops   bool
		same    bool // the session goes on
	}{
		{"a time of the same day", 3*time.Hour + 5*time.Minute, "3:04 PM", "4h", false, false, true},
		{"a time of another day", 51 * time.Hour, "Jan 2rd, 2006 3:04 PM", "72h", false, false, false},
		{"too late for the longest wait", 3*time.Hour + 5*time.Minute, "3:04 PM", "2h", false, true, true},
		{"in the first turn", 3*time.Hour + 5*time.Minute, "3:04 PM", "4h", true, false, true},
		{"in the first turn, too late for the longest wait", 3*time.Hour + 5*time.Minute, "3:04 PM", "2h", true, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				until := began.Add(tt.in)
				a, home := limitedAgent(t, until.Local().Format(tt.layout))
				dir := t.TempDir()
				if tt.first {
					require.NoError(t, os.WriteFile(filepath.Join(home, "calls"), []byte("a call before the loop\n"), 0o600))
				}
				waited, status := time.Time{}, journal.Report{}
				run := func(resume bool, maxWait string) loop.Stop {
					c, _, err := config.Load(dir, map[string]string{"max-wait": maxWait, "max-turns": "4"}, func(string) string { return "" })
					require.NoError(t, err)
					return loop.New(loop.Options{
						Project: dir, Config: c, Agent: a, AgentName: "codex", Prompt: "Work.", Resume: resume,
						Observe: func(n loop.Notice) {
							if n.Kind == loop.NoticeWaiting && waited.IsZero() {
								waited = time.Now().Add(n.Remaining)
								status, err = journal.ReadReport(dir)
								assert.NoError(t, err)
							}
						},
					}).Run(t.Context())
				}

				stop := run(false, tt.maxWait)
				if tt.stops {
					assert.Equal(t, loop.ReasonProviderLimit, stop.Reason, stop.Message)
					assert.Contains(t, stop.Message, "lasts until "+until.Local().Format(time.DateTime))
					assert.True(t, waited.IsZero(), "it does not wait")
					stop = run(true, "4h")
				} else {
					assert.WithinDuration(t, until, time.Now(), time.Minute)
					assert.WithinDuration(t, until, waited, time.Minute, "the announced end")
					assert.Equal(t, "paused", status.Status.Status)
					assert.Equal(t, "waiting until "+until.Local().Format(time.DateTime)+" for the provider's limit", status.Status.LastAction)
				}
				require.True(t, stop.Done(), stop.Message)

				var ended []record.Line
				data, err := os.ReadFile(filepath.Join(dir, ".ralph/events.jsonl"))
				require.NoError(t, err)
				for line := range strings.Lines(string(data)) {
					var v record.Line
					require.NoError(t, json.Unmarshal([]byte(line), &v))
					if v.Type == record.TurnEnded {
						ended = append(ended, v)
					}
				}
				turns := 3
				if tt.first {
					turns = 2
				}
				require.Len(t, ended, turns)
				limited := ended[turns-2].State
				assert.Equal(t, event.Limited, limited.Failed)
				assert.WithinDuration(t, until, limited.NotBefore, time.Minute)
				assert.Equal(t, []int{1, 0, 0}, []int{limited.Lost, limited.Failures, ended[turns-1].State.Failures}, "a limit is not a failure")

				calls, err := os.ReadFile(filepath.Join(home, "calls"))
				require.NoError(t, err)
				last := strings.Split(strings.TrimSpace(string(calls)), "\n")[2]
				assert.Equal(t, tt.same, strings.Contains(last, "resume 01a1fed7-79e0-7d33-a786-f23bb0e8d5ad"), last)
			})
		})
	}
}
