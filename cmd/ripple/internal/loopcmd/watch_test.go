package loopcmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/journal"
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
	return &dashboard{tail: journal.NewTail("."), now: func() time.Time { return now }, width: 80, height: 24}, add
}

// recorded returns lines of events.jsonl for a turn.
func recorded(t *testing.T, turn int, from string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(home, "testdata", "screens", from))
	require.NoError(t, err)
	var b strings.Builder
	fmt.Fprintf(&b, `{"turn":%d,"time":"2026-01-02T03:04:05Z","type":"turn_started","agent":"claude","branch":"agent/work","task":"Write the tokenizer","max_turns":100}`+"\n", turn)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for line := range strings.Lines(string(data)) {
		at = at.Add(time.Second)
		fmt.Fprintf(&b, `{"turn":%d,"time":"%s",%s`, turn, at.Format(time.RFC3339), line[1:])
	}
	return b.String()
}

// In a subdirectory, the dashboard has the name of the loop's directory.
func TestDashboardOfTheDirectoryAbove(t *testing.T) {
	d, _ := watched(t)
	project, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir("below", 0o755))
	t.Chdir("below")
	d.project, d.tail = "..", journal.NewTail("..")
	d.read()
	assert.Contains(t, d.render(), " · "+filepath.Base(project)+"\n")
	assert.NotContains(t, d.render(), "below")
}

// The screens of three sizes, while the loop runs and after scrolling back.
func TestDashboardScreens(t *testing.T) {
	d, add := watched(t)
	add(recorded(t, 1, "turn.ndjson"))
	add(`{"turn":1,"time":"2026-01-02T03:04:25Z","type":"turn_ended","progress":true}` + "\n" +
		`{"turn":1,"type":"committed","sha":"0123456789abcdef"}` + "\n")
	add(recorded(t, 2, "turn.ndjson"))
	d.read()
	screen := func(name string, width, height int) string {
		d.Update(tea.WindowSizeMsg{Width: width, Height: height})
		shown := d.render()
		testkit.ScreenFits(t, shown, width)
		assert.Len(t, strings.Split(shown, "\n"), height, "the footer is at the bottom")
		golden(t, name, shown)
		return shown
	}
	screen("watch-40.txt", 40, 15)
	plain := screen("watch-80.txt", 80, 24)
	screen("watch-200.txt", 200, 50)
	d.color = true
	assert.Equal(t, plain, testkit.WithoutColors(screen("watch-80-color.txt", 80, 24)), "colors add nothing but colors")
	d.color = false
	for range 3 {
		d.Update(tea.KeyPressMsg{Code: tea.KeyPgUp})
	}
	back := screen("watch-80-back.txt", 80, 24)
	add(`{"turn":2,"type":"text","text":"more"}` + "\n")
	d.read()
	assert.Equal(t, strings.Split(back, "\n")[:23], strings.Split(d.render(), "\n")[:23], "new lines do not move it")
	d.Update(tea.KeyPressMsg{Code: tea.KeyEnd})
	assert.Contains(t, d.render(), "more")
	for range 100 {
		d.Update(tea.KeyPressMsg{Code: tea.KeyUp})
	}
	assert.Contains(t, d.render(), "line 1 of ", "and not above the first line")
}

// A result marks its tool in place, regardless of later lines.
func TestDashboardMarksTools(t *testing.T) {
	d, add := watched(t)
	add(`{"turn":2,"time":"2026-01-02T03:04:05Z","type":"turn_started"}
{"turn":2,"time":"2026-01-02T03:04:07Z","type":"tool_use","id":"1","name":"Bash","input":{"command":"make test"}}
{"turn":2,"time":"2026-01-02T03:04:07Z","type":"tool_use","id":"2","name":"Read","input":{"file_path":"a"}}
`)
	d.read()
	assert.Contains(t, d.render(), "  … Bash make test\n  … Read a\n")
	add(`{"turn":2,"time":"2026-01-02T03:04:09Z","type":"tool_result","id":"1","is_error":true,"content":"FAIL x\nmore"}` + "\n")
	d.read()
	assert.Contains(t, d.render(), "  ✗ Bash make test  2s\n    FAIL x\n  … Read a\n")
	add(`{"turn":2,"seq":6,"time":"2026-01-02T0`)
	d.read()
	add("3:04:10Z\",\"type\":\"stopped\",\"reason\":\"max_turns\",\"why\":\"It was enough.\"}\n")
	d.read()
	assert.Contains(t, d.render(), "  ■ stopped (max_turns): It was enough.", "a line that was torn before")
	assert.NotContains(t, d.render(), "this turn")
}

// The chart shows the last turns, the sum has all; the usage of a turn is reported more than
// once.
func TestDashboardOfManyTurns(t *testing.T) {
	d, add := watched(t)
	for range journal.MaxTurnsKept + 50 {
		add(`{"turn":1,"type":"turn_started"}` + "\n" + `{"turn":1,"type":"usage","input":1,"cost_usd":0.5}` + "\n" +
			`{"turn":1,"type":"usage","input":3,"cost_usd":1}` + "\n")
	}
	d.read()
	assert.Contains(t, d.render(), "cost $250.00 █")
	assert.Contains(t, d.render(), "tokens 750 in")
}

// A long story uses memory only for its end, and is laid out once.
func TestStoryIsBounded(t *testing.T) {
	s := story{}
	s.layOut(ui.Page{Width: 80})
	for n := range 5 * keptItems {
		r, err := journal.Parse(fmt.Appendf(nil, `{"type":"text","text":"line %d"}`, n))
		require.NoError(t, err)
		s.take(r)
	}
	assert.LessOrEqual(t, len(s.items), 2*keptItems)
	lines := s.layOut(ui.Page{Width: 80})
	assert.Len(t, lines, len(s.items))
	assert.Equal(t, fmt.Sprintf("line %d", 5*keptItems-1), lines[len(lines)-1])
}

// Nor do a few long texts stay in memory.
func TestStoryOfLongTextsIsBounded(t *testing.T) {
	for _, p := range []ui.Page{{}, {Width: 80}} { // before the size of the screen is known, and after
		s := story{}
		if p.Width > 0 {
			s.layOut(p)
		}
		for n := range 60 { // seven times what is kept
			r, err := journal.Parse(fmt.Appendf(nil, `{"type":"text","text":"%s %d"}`, strings.Repeat("word ", 1<<17/5), n))
			require.NoError(t, err)
			s.take(r)
		}
		var size int
		for _, line := range s.layOut(ui.Page{Width: 80}) {
			size += len(line)
		}
		assert.LessOrEqual(t, size, 3*keptBytes)
		assert.Contains(t, s.lines[len(s.lines)-1], "59")
	}
	r, err := journal.Parse(fmt.Appendf(nil, `{"type":"text","text":"%s"}`, strings.Repeat("word ", keptBytes)))
	require.NoError(t, err)
	s := story{}
	s.take(r)
	s.take(r)
	assert.Len(t, s.items, 2, "the latest text is kept, however long it is")
}

// All that an item keeps in memory counts, also what it does not show.
func TestStoryCountsTheKeptBytes(t *testing.T) {
	for _, kept := range []string{
		`{"type":"permission_denied","id":"%d","name":"Bash","input":{"command":"%s"}}`,
		`{"type":"permission_denied","id":"%d","name":"Bash","detail":"%s"}`,
		`{"type":"tool_use","id":"%d","name":"Bash","input":{"command":"%s"}}`,
		`{"type":"tool_result","id":"%d","is_error":true,"content":"%s"}`,
		`{"type":"finished","id":"%d","result":"%s"}`,
		`{"type":"unknown","id":"%d","raw":"%s"}`,
		`{"type":"turn_started","turn":%d,"task":"%s"}`,
		`{"type":"stopped","turn":%d,"why":"%s"}`,
	} {
		s := story{}
		for n := range 40 { // five times what is kept
			lines := []string{fmt.Sprintf(kept, n, strings.Repeat("x", keptBytes/8))}
			if strings.Contains(kept, "tool_result") {
				lines = append([]string{fmt.Sprintf(`{"type":"tool_use","id":"%d","name":"Bash"}`, n)}, lines...)
			}
			for _, line := range lines {
				r, err := journal.Parse([]byte(line))
				require.NoError(t, err)
				s.take(r)
			}
		}
		assert.LessOrEqual(t, len(s.items), 17, kept)
	}
}

// Any content of the files stays within the screen.
func TestDashboardKeepsItsSize(t *testing.T) {
	d, add := watched(t)
	add(`{"turn":1,"seq":1,"type":"text","text":"` + strings.Repeat("wide ", 100) + strings.Repeat(`\nx`, 100) + `"}` + "\n")
	d.read()
	for _, size := range [][2]int{{50, 20}, {20, 8}, {10, 12}, {300, 100}, {120, 3}} {
		d.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		testkit.ScreenFits(t, d.render(), size[0])
		if size[1] > 8 {
			assert.Len(t, strings.Split(d.render(), "\n"), size[1])
		}
	}
}

// The agent can write all the files that are shown.
func TestDashboardOfHostileFiles(t *testing.T) {
	d, add := watched(t)
	require.NoError(t, os.WriteFile(filepath.Join(".ralph", "status.json"), []byte(`{"last_action":"\u001b]0;evil\u0007b","status":"a\u001b[2Jb"}`), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(".ralph", "@fix_plan.md"), []byte("- [ ] n\x1b[2Jo\n"), 0o644))
	add(`{"type":"turn_started","turn":1,"agent":"p\u001b[2Jq","branch":"\u001b]0;evil\u0007r"}
{"type":"usage","cost_usd":-1}
{"type":"turn_started","turn":2,"hat":"\u001b]8;;http://evil\u0007h\u202e"}
{"type":"usage","cost_usd":5}
{"type":"tool_use","name":"x\u001b]0;evil\u0007y","input":[]}
{"type":"tool_use","input":"` + "\\u0000" + `"}
{"type":"text","text":"c\u001b[2Jd"}
{"type":"committed","sha":"\u001b]0;evil\u0007"}
{"type":"verified","verdicts":[{"command":"\u001b[2J","why":"\u001b]0;evil\u0007"}]}
{"type":"stopped","why":"e\u001b[31mf","reason":"g\u001b[2Jh","turn":-5}
{"type":7}
null
[]
`)
	d.read()
	for _, width := range []int{80, 200} {
		d.width = width
		shown := d.render()
		for _, want := range []string{"ab", "xy", "cd", "ef", "● ab · gh", "next: no", "$4.00  █"} {
			assert.Contains(t, shown, want)
		}
		testkit.ScreenFits(t, shown, width)
		assert.NotContains(t, shown, "evil")
		assert.NotContains(t, shown, "\u202e")
	}
}

func TestDashboardIsLeft(t *testing.T) {
	d, _ := watched(t)
	_, cmd := d.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	require.NotNil(t, cmd)
	assert.IsType(t, tea.QuitMsg{}, cmd())
}
