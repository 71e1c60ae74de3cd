package loop

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// dirSize is how many bytes the files under a directory have.
func dirSize(t *testing.T, dir string) (size int64) {
	t.Helper()
	require.NoError(t, filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			size += info.Size()
		}
		return err
	}))
	return size
}

// Each turn prints many times the limit, and claims to be done at the end.
func TestOutputOfATurnIsCapped(t *testing.T) {
	times := testkit.Fewer(t, 1000, testkit.Times(t, 4000, 10_000))
	r := newRig(t, func(d *doing) {
		d.work()
		d.event(event.Event{Type: event.Usage, Tokens: &event.Tokens{Input: 1, CostUSD: 1}})
		for i := range times {
			d.says(fmt.Sprintf("%d %s", i, strings.Repeat("words ", 50)))
			if i == times/2 {
				d.event(event.Event{Type: event.Usage, Tokens: &event.Tokens{Input: 2, CostUSD: 2}})
			}
		}
		d.says("done\n" + complete)
	})
	r.flags["max-output"] = "40k"
	assert.Equal(t, "project_complete", r.run().Reason, "output that is left out still counts for the result")
	const turns, files = 2, 2 // a log for each, and the record; live.log is the last one's
	assert.Less(t, dirSize(t, filepath.Join(r.dir, ".ralph")), int64((turns*files+1)*45<<10))
	assert.Contains(t, strings.Join(r.notes(), "\n"), "turn 1 printed more than 40.0 KB (max_output): only the end of the rest is kept")

	var left []record.Line
	events := 0
	for _, v := range r.lines() {
		if v.Turn != 1 {
			continue
		}
		switch v.Type {
		case record.LeftOut:
			left = append(left, v)
		case "text":
			events++
		}
	}
	require.Len(t, left, 2)
	assert.Regexp(t, `^\d+ events of turn 1 left out here, \d+\.\d [KM]B$`, left[1].Why)
	assert.Equal(t, times+1, events+left[1].Events)
	text, last := r.read(".ralph/events.jsonl"), fmt.Sprintf("%d words", times-1)
	for _, part := range []string{`"text":"0 words`, `"text":"` + last, "EXIT_SIGNAL: true", `"cost_usd":2`} {
		assert.True(t, strings.Contains(text, part), part)
	}
	live := r.read(".ralph/live.log")
	for _, part := range []string{"0 words", last, complete} {
		assert.True(t, strings.Contains(live, part), part)
	}
	assert.Regexp(t, `\n\[\d+\.\d [KM]B left out here; max_output is 40\.0 KB\]\n`, live)
	assert.Equal(t, 1, strings.Count(live, "\n["), "one line about what is left out")
}

// The record has the beginning and the end of an answer, also if it is one event that exceeds the limit.
func TestLongAnswerIsCapped(t *testing.T) {
	long := "the beginning\n" + strings.Repeat("words ü\n", testkit.Fewer(t, 6000, testkit.Times(t, 20_000, 100_000))) + complete
	for name, script := range map[string]func(*doing){
		"alone":        func(d *doing) { d.says(long) },
		"after others": func(d *doing) { d.says(long); d.says(long) },
		"before the end": func(d *doing) {
			d.says(long)
			d.event(event.Event{Type: event.ToolResult, Content: long})
			d.says("that was it\n" + complete)
		},
		"after the limit": func(d *doing) {
			d.says("the beginning\n")
			for range 1000 {
				d.says(strings.Repeat("words ", 50))
			}
			d.says(long)
			d.event(event.Event{Type: event.Finished, Result: long, CostUSD: 2})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(d *doing) { d.work(); script(d) })
			r.flags["max-output"] = "40k"
			assert.Equal(t, "project_complete", r.run().Reason)
			assert.Less(t, dirSize(t, filepath.Join(r.dir, ".ralph")), int64(2*2+1)*45<<10)
			first, last, left := "", "", int64(0)
			for line := range strings.Lines(r.read(".ralph/events.jsonl")) {
				v, err := journal.Parse([]byte(line))
				require.NoError(t, err)
				if v.Turn == 1 && v.Type == "text" {
					first, last = cmp.Or(first, v.Event.Text), v.Event.Text
				}
				if v.Turn == 1 && v.Type == record.LeftOut {
					left += v.Bytes
				}
			}
			assert.True(t, strings.HasPrefix(first, "the beginning\n"))
			assert.True(t, strings.HasSuffix(last, complete))
			if len(last) > 1000 {
				assert.Regexp(t, `\n\[\d+\.\d KB left out here; max_output is 40\.0 KB\]\n`, last)
			}
			assert.Greater(t, left, int64(len(long)-40<<10))
		})
	}
}

func TestOutputIsWholeBelowTheCap(t *testing.T) {
	r := newRig(t, claims)
	r.flags["max-output"] = "40k"
	assert.Equal(t, "project_complete", r.run().Reason)
	assert.NotContains(t, r.read(".ralph/events.jsonl"), record.LeftOut)
	assert.NotContains(t, r.read(".ralph/live.log"), "max_output")
}

type nopCloser struct{ bytes.Buffer }

func (*nopCloser) Close() error { return nil }

func TestCappedLog(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limit  int64
		writes []string
		want   string
	}{
		{"no limit", 0, []string{"abc", "def"}, "abcdef"},
		{"below", 8, []string{"abc", "def"}, "abcdef"},
		{"up to the end that is kept", 8, []string{"abcdef", "gh"}, "abcdefgh"},
		{"in one", 8, []string{"abcdefghijklmnop"}, "abcdef\n[8 bytes left out here; max_output is 8 bytes]\nop"},
		{"in many", 8, strings.Split("abcdefghijklmnop", ""), "abcdef\n[8 bytes left out here; max_output is 8 bytes]\nop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var to nopCloser
			log := &cappedLog{to: &to, limit: tt.limit}
			for _, w := range tt.writes {
				n, err := log.Write([]byte(w))
				require.NoError(t, err)
				assert.Len(t, w, n)
			}
			require.NoError(t, log.Close())
			assert.Equal(t, tt.want, to.String())
		})
	}
}

func TestCappedLogHoldsLittle(t *testing.T) {
	log := &cappedLog{to: &nopCloser{}, limit: 1 << 20}
	for range 100 {
		_, _ = log.Write(bytes.Repeat([]byte("x"), 1<<20))
	}
	assert.LessOrEqual(t, cap(log.end), 8*endSize)
}

// requireCapped requires one log that matches pattern, of 5 MB capped at 40 KB.
func requireCapped(t *testing.T, pattern string) {
	t.Helper()
	logs, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.Len(t, logs, 1)
	text, err := os.ReadFile(logs[0])
	require.NoError(t, err)
	assert.Less(t, len(text), 42<<10)
	assert.Regexp(t, `(?s)^y\n.*\[4\.7 MB left out here; max_output is 40\.0 KB\]\n.*the end\n$`, string(text))
}

func TestVerifyLogIsCapped(t *testing.T) {
	r := newRig(t, claims)
	r.flags["max-output"] = "40k"
	r.flags["verify"] = "yes | head -c 5000000; echo the end"
	assert.Equal(t, "project_complete", r.run().Reason)
	requireCapped(t, filepath.Join(r.dir, ".ralph/logs/verify_*"))
}

func TestQuestionLogIsCapped(t *testing.T) {
	r := newRig(t, blocks, claims, claims)
	r.flags["max-output"] = "40k"
	r.flags["on-question"] = "yes | head -c 5000000; echo the end; exit 3"
	r.onNotice = func(_ *Loop, n Notice) {
		if n.Kind == NoticeNote && strings.Contains(n.Text, "exit code 3") {
			assert.NoError(t, r.answers("q1", event.Answer{Text: "yes"}))
		}
	}
	assert.Equal(t, "project_complete", r.run().Reason)
	requireCapped(t, filepath.Join(r.dir, ".ralph/logs/question_*"))
}

// An agent can ask as often as it likes what a rule answers.
func TestDecisionsInTheRecordAreCapped(t *testing.T) {
	const asked = 500
	r := newRig(t, func(d *doing) {
		q := mayIRemove
		q.Input = fmt.Appendf(nil, `{"command":"rm -rf build %s"}`, strings.Repeat("x", 1000))
		for range asked {
			a, err := d.r.Ask(d.ctx, q)
			assert.NoError(t, err)
			assert.Equal(t, "yes", a.Option)
		}
		d.work()
	})
	r.flags = map[string]string{"max-output": "40k", "allow": "Bash", "max-turns": "1"}
	assert.Equal(t, "max_turns", r.run().Reason)
	assert.Less(t, len(r.read(".ralph/events.jsonl")), 60<<10)
	assert.Contains(t, strings.Join(r.notes(), "\n"), "the rules' answers in turn 1 exceed 40.0 KB (max_output): further answers are not recorded")
	decided, left := 0, 0
	for _, v := range r.lines() {
		switch v.Type {
		case record.Decided:
			decided++
		case record.LeftOut:
			left += v.Events
		}
	}
	assert.Positive(t, decided)
	assert.Equal(t, asked, decided+left)
}

func TestRecordAndLogsAreTrimmed(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int{"events of the agent alone": 100, "the loop's own lines too": 20} {
		t.Run(name, func(t *testing.T) { trimmed(t, limit) })
	}
}

func trimmed(t *testing.T, limit int) {
	talks := func(d *doing) {
		d.work()
		for i := range 100 {
			d.says(fmt.Sprintf("turn %d: %d %s", d.n, i, strings.Repeat("words ", 20)))
		}
	}
	r := newRig(t, append(slices.Repeat(script(talks), 30), claims)...)
	r.flags = map[string]string{"max-record": fmt.Sprintf("%dk", limit), "max-logs": "50k", "max-turns": "12"}
	assert.Equal(t, "max_turns", r.run().Reason)
	r.flags["max-turns"] = "100"
	assert.Equal(t, "project_complete", r.resume().Reason)
	assert.Equal(t, 32, r.status().LoopCount)
	assert.Less(t, dirSize(t, filepath.Join(r.dir, ".ralph/logs")), int64(70<<10))
	assert.Less(t, len(r.read(".ralph/events.jsonl")), (limit+25)<<10)
	lines := r.lines()
	first := lines[0]
	assert.Equal(t, record.LeftOut, first.Type)
	assert.Regexp(t, `^\d+ lines of older turns left out so far, [\d.]+ KB: this file is cut when it has more than \d+\.0 KB \(max_record\)$`, first.Why)
	count := first.Events
	removed := false
	for _, v := range lines[1:] {
		count++
		removed = removed || v.Type == record.LeftOut && strings.Contains(v.Why, "(max_logs)")
		assert.False(t, v.Type == record.LeftOut && v.Turn == 0, "one such note is enough")
	}
	assert.True(t, removed)
	assert.EqualValues(t, lines[len(lines)-1].Seq, count, "each line is there or counted")
	began, err := journal.ReadBegan(r.dir)
	require.NoError(t, err)
	assert.False(t, began.Time.IsZero())
}

// The directory of the logs is not read in each turn, but when they may have reached their limit.
func TestLogsAreCountedAsTheyAreWritten(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".ralph/logs"), 0o700))
	at := time.Now().Add(-time.Hour)
	number := 0
	put := func(size int) {
		number++
		name := filepath.Join(dir, ".ralph/logs", fmt.Sprintf("turn_%04d_x.log", number))
		require.NoError(t, os.WriteFile(name, make([]byte, size), 0o600))
		require.NoError(t, os.Chtimes(name, at, at.Add(time.Duration(number)*time.Second)))
	}
	store := journal.NewStore(dir, nil)
	file, err := store.OpenLog()
	require.NoError(t, err)
	defer file.Close()
	r := &run{clock: clock{wall: time.Now}, config: &config.Config{MaxLogs: 800, MaxOutput: 1000}, store: store, log: file}
	left := func() int64 {
		t.Helper()
		require.NoError(t, r.trimLogs())
		return dirSize(t, filepath.Join(dir, ".ralph/logs"))
	}
	put(500)
	require.EqualValues(t, 500, left())
	put(600) // nobody has counted it
	assert.EqualValues(t, 1100, left())
	log := r.newLog(&nopCloser{})
	_, _ = log.Write(make([]byte, 299))
	assert.EqualValues(t, 1100, left())
	_, _ = log.Write(make([]byte, 1))
	assert.EqualValues(t, 600, left(), "the oldest is removed")
	assert.EqualValues(t, 600, left())
}
