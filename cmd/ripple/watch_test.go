package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func watched(t *testing.T) (d *dashboard, add func(string)) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir(".ralph", 0o755))
	for name, text := range map[string]string{
		"status.json":            `{"loop_count":1,"calls_made_this_hour":3,"max_calls_per_hour":100,"last_action":"executing","status":"running"}`,
		".circuit_breaker_state": `{"state":"HALF_OPEN","consecutive_no_progress":2,"reason":"no progress"}`,
		"@fix_plan.md":           "- [x] a\n- [ ] b\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(".ralph", name), []byte(text), 0o644))
	}
	events := filepath.Join(".ralph", "events.jsonl")
	add = func(text string) {
		f, err := os.OpenFile(events, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		require.NoError(t, err)
		_, err = f.WriteString(text)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	now := time.Date(2026, 1, 2, 3, 4, 50, 0, time.UTC)
	return &dashboard{tail: &eventTail{path: events}, now: func() time.Time { return now }, width: 80, height: 24}, add
}

// The chart shows the last turns, the sum has all.
func TestDashboardOfManyTurns(t *testing.T) {
	d, add := watched(t)
	for range keptCosts + 50 {
		add(`{"turn":1,"type":"turn_started"}` + "\n" + `{"turn":1,"type":"usage","input":1,"cost_usd":1}` + "\n")
	}
	d.read()
	assert.Contains(t, ansi.Strip(d.render()), "· $250.00  ")
}

// On a narrow terminal what matters is wrapped and not cut.
func TestDashboardIsNarrow(t *testing.T) {
	d, add := watched(t)
	d.width = 20
	add(`{"turn":2,"type":"turn_started"}` + "\n" + `{"turn":2,"type":"usage","input":10,"output":2,"cost_usd":0.25}` + "\n" +
		`{"turn":2,"type":"stopped","why":"The turns cost $0.25, the limit of --max-cost is $0.20."}` + "\n")
	d.read()
	shown := ansi.Strip(d.render())
	for line := range strings.SplitSeq(shown, "\n") {
		assert.LessOrEqual(t, ansi.StringWidth(line), 20, line)
	}
	words := strings.Join(strings.Fields(shown), " ")
	assert.Contains(t, words, "limit of --max-cost is $0.20.")
	assert.Contains(t, words, "10 tokens in, 2 out · $0.25")
	assert.Contains(t, words, "1 of 2 · executing")
}

func TestDashboard(t *testing.T) {
	d, add := watched(t)
	add(`{"turn":2,"seq":1,"time":"2026-01-02T03:04:05Z","type":"turn_started"}
{"turn":2,"seq":2,"time":"2026-01-02T03:04:06Z","type":"text","text":"I look.\nI see."}
{"turn":2,"seq":3,"time":"2026-01-02T03:04:07Z","type":"tool_use","id":"1","tool":"bash","name":"Bash","input":{"command":"make test"}}
{"turn":2,"seq":4,"time":"2026-01-02T03:04:08Z","type":"tool_result","id":"1","is_error":true,"content":"FAIL x\nmore"}
{"turn":2,"seq":5,"time":"2026-01-02T03:04:09Z","type":"usage","input":10,"output":2,"cost_usd":0.25}
{"turn":2,"seq":6,"time":"2026-01-02T0`)
	d.read()
	shown := ansi.Strip(d.render())
	for _, want := range []string{
		"cut off", "turn 2 · since 45s · calls 3 of 100 · tasks █████░░░░░ 1 of 2 · executing",
		"circuit HALF_OPEN: no progress (2 turns without progress)", "10 tokens in, 2 out · $0.25  █",
		"I look.\nI see.", "Bash make test  ✗ FAIL x",
	} {
		assert.Contains(t, shown, want)
	}
	add("3:04:10Z\",\"type\":\"stopped\",\"why\":\"It was enough.\"}\n")
	d.read()
	assert.Contains(t, ansi.Strip(d.render()), "It was enough.", "a line that was torn before")
	assert.NotContains(t, ansi.Strip(d.render()), "since")
}

// Nothing that the agent says can be wider than the terminal or move its cursor.
func TestDashboardKeepsItsSize(t *testing.T) {
	d, add := watched(t)
	add(`{"turn":1,"seq":1,"type":"text","text":"` + strings.Repeat("wide ", 100) + strings.Repeat(`\nx`, 100) + `"}` + "\n")
	d.Update(tea.WindowSizeMsg{Width: 50, Height: 20})
	d.read()
	lines := strings.Split(strings.TrimRight(d.render(), "\n"), "\n")
	assert.LessOrEqual(t, len(lines), 20)
	for _, l := range lines {
		assert.LessOrEqual(t, ansi.StringWidth(l), 50)
	}
}

// The agent can write all the files that are shown.
func TestDashboardOfHostileFiles(t *testing.T) {
	d, add := watched(t)
	require.NoError(t, os.WriteFile(filepath.Join(".ralph", "status.json"), []byte(`{"last_action":"a\u001b]0;evil\u0007b","status":"\u001b[2J"}`), 0o644))
	add(`{"type":"turn_started","turn":1}
{"type":"usage","cost_usd":-1}
{"type":"turn_started","turn":2}
{"type":"usage","cost_usd":5}
{"type":"tool_use","name":"x\u001b]0;evil\u0007y","input":[]}
{"type":"tool_use","input":"` + "\\u0000" + `"}
{"type":"text","text":"c\u001b[2Jd"}
{"type":"stopped","why":"e\u001b[31mf","turn":-5}
{"type":7}
null
[]
`)
	d.read()
	shown := d.render()
	for _, want := range []string{"ab", "xy", "cd", "ef", "$4.00   █"} {
		assert.Contains(t, ansi.Strip(shown), want)
	}
	assert.NotRegexp(t, `\x1b[^[]|\x1b\[[0-9;]*[^0-9;m]|evil|\x07`, shown, "colours only, and none of theirs")
}

func TestDashboardIsLeft(t *testing.T) {
	d, _ := watched(t)
	_, cmd := d.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	require.NotNil(t, cmd)
	assert.IsType(t, tea.QuitMsg{}, cmd())
}
