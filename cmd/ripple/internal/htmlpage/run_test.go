package htmlpage

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// run folds lines of events.jsonl.
func run(t *testing.T, lines ...string) *Run {
	t.Helper()
	var r Run
	require.NoError(t, journal.Read(strings.NewReader(strings.Join(lines, "\n")+"\n"), func(_ int, rec journal.Record, err error) error {
		r.Take(rec)
		return err
	}))
	return &r
}

func page(t *testing.T, r *Run) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, r.Write(&b))
	return b.String()
}

func at(second int) string {
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(second) * time.Second).Format(time.RFC3339)
}

func TestPage(t *testing.T) {
	r := run(
		t,
		`{"type":"run_started","time":"`+at(0)+`"}`,
		`{"type":"turn_started","turn":1,"time":"`+at(0)+`","agent":"claude","hat":"builder","max_turns":9,"task":"Write it"}`,
		`{"type":"text","turn":1,"text":"I begin.\n\u0060\u0060\u0060go\nfunc f() {\n\t}\n\u0060\u0060\u0060\nAnd end."}`,
		`{"type":"tool_use","turn":1,"time":"`+at(1)+`","id":"1","tool":"bash","name":"Bash","input":{"command":"make test"}}`,
		`{"type":"tool_use","turn":1,"time":"`+at(1)+`","id":"2","tool":"edit","name":"Edit","input":{"file_path":"a.go","old_string":"a\n","new_string":"b\nc\n"}}`,
		`{"type":"tool_result","turn":1,"time":"`+at(3)+`","id":"2","content":"done"}`,
		`{"type":"tool_result","turn":1,"time":"`+at(6)+`","id":"1","is_error":true,"content":"FAIL x"}`,
		`{"type":"usage","turn":1,"input":10,"output":5,"cost_usd":0.25}`,
		`{"type":"turn_ended","turn":1,"time":"`+at(60)+`","progress":true,"changed":["a.go"]}`,
		`{"type":"verified","turn":1,"verdicts":[{"command":"make test","why":"exit code 2","tail":"no such file"}]}`,
		`{"type":"committed","turn":1,"sha":"0123456789abcdef"}`,
		`{"type":"asked","turn":1,"question":{"id":"q1","kind":"permission","name":"Bash","input":{"command":"rm -r build"},"options":[{"id":"y","name":"Allow it","kind":"allow_once"}]}}`,
		`{"type":"answered","turn":1,"question":{"id":"q1","kind":"permission","name":"Bash","options":[{"id":"y","name":"Allow it","kind":"allow_once"}],"answer":{"option":"y","text":"once","by":"ann"}}}`,
		`{"type":"guided","turn":1,"guide":{"id":"g1","text":"Be quick."}}`,
		`{"type":"turn_started","turn":2,"time":"`+at(60)+`"}`,
		`{"type":"usage","turn":2,"input":1,"output":1,"cost_usd":0.5}`,
		`{"type":"turn_ended","turn":2,"time":"`+at(90)+`","failure":{"kind":"crashed","message":"signal 9"}}`,
		`{"type":"stopped","time":"`+at(90)+`","reason":"max_failures","why":"It failed too often."}`,
	)
	r.Plan = record.Tasks{{Text: "Write it", Done: true}, {Text: "Test it"}}
	html := page(t, r)
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(html, "")
	for _, want := range []string{
		"A loop of 2 turns, stopped: max_failures", "It failed too often.", "2026-01-02 03:04:05 UTC", "1m30s", "$0.75", "11 in, 6 out",
		"plan: 1 of 2 done", "☑ Write it", "☐ Test it",
		"turn 1/9", "builder", "claude", "+2 −1", "next: Write it", "I begin.", "And end.", "✗ Bash make test → FAIL x 5s", "FAIL x", "✓ Edit a.go → done 2s",
		"cost of each turn (highest: $0.50), turns", "? it asks: may it use Bash (rm -r build)", "→ ann answers: Allow it once", "→ message for the next turn:", "Be quick.",
		"✓ made progress", "1 file changed", "✗ make test: exit code 2", "no such file", "✓ committed 0123456789",
		"✗ failed: crashed: signal 9", "turn 2: $0.50", "turn 2: 30s",
	} {
		assert.Contains(t, text, want)
	}
	assert.Contains(t, html, "<pre class=\"say\">func f() {\n\t}</pre>")
	assert.NotContains(t, html, "```")
	assert.Contains(t, html, `id="turn-1" class="went"`)
	assert.Contains(t, html, `id="turn-2" class="failed"`)
	assert.Contains(t, html, "style-src "+strings.ReplaceAll(hashSource(runStyle), "'", "&#39;"))
	assert.Contains(t, html, "default-src &#39;none&#39;")
}

// tags are the elements of a page, and tagOf what each may look like: no attribute that
// loads, runs or styles something.
var (
	tags  = regexp.MustCompile(`<[^>]*>?`)
	tagOf = regexp.MustCompile(`^</?(?:html|head|meta|title|style|body|main|script|header|h1|h2|p|dl|dt|dd|figure|figcaption|svg|rect|details|summary|ul|li|article|span|div|pre)` +
		`(?: (?:lang|charset|http-equiv|content|name|class|id|tabindex|viewBox|role|aria-label|preserveAspectRatio|x|y|width|height)="[^"<>]*")*>$`)
)

// Whatever the records say, it is text: the elements of the page are ours.
func TestTextOfARunIsNotMarkup(t *testing.T) {
	const evil = `</pre></title><script>alert(1)</script>"'><img src=x onerror=alert(1)><!-- \u001b[2J\u202e javascript:alert(1)`
	quoted, err := json.Marshal(evil)
	require.NoError(t, err)
	q := string(quoted)
	r := run(
		t,
		`{"type":"turn_started","turn":1,"agent":`+q+`,"hat":`+q+`,"subject":`+q+`,"branch":`+q+`,"task":`+q+`}`,
		`{"type":"text","turn":1,"text":`+q+`}`, `{"type":"reasoning","turn":1,"text":`+q+`}`,
		`{"type":"tool_use","turn":1,"id":"1","name":`+q+`,"input":{"command":`+q+`}}`,
		`{"type":"tool_result","turn":1,"id":"1","content":`+q+`}`,
		`{"type":"tool_use","turn":1,"id":"2","name":"x","input":`+q+`}`,
		`{"type":"rate_limited","turn":1,"message":`+q+`}`, `{"type":"error","turn":1,"message":`+q+`}`,
		`{"type":"permission_denied","turn":1,"name":`+q+`,"detail":`+q+`}`,
		`{"type":"turn_ended","turn":1,"changed":[`+q+`],"failure":{"kind":`+q+`,"message":`+q+`}}`,
		`{"type":"verified","turn":1,"verdicts":[{"command":`+q+`,"why":`+q+`,"tail":`+q+`},{"command":`+q+`,"ok":true}]}`,
		`{"type":"committed","turn":1,"sha":`+q+`,"tag":`+q+`}`, `{"type":"commit_refused","turn":1,"why":`+q+`}`,
		`{"type":"asked","turn":1,"question":{"id":"1","kind":"text","text":`+q+`}}`,
		`{"type":"answered","turn":1,"question":{"id":"1","kind":"text","text":`+q+`,"answer":{"option":`+q+`,"text":`+q+`,"by":`+q+`}}}`,
		`{"type":"guided","turn":1,"guide":{"id":"1","text":`+q+`}}`,
		`{"type":"reset","turn":1,"what":`+q+`}`, `{"type":"stopped","reason":`+q+`,"why":`+q+`}`,
	)
	r.Plan = record.Tasks{{Text: evil}}
	html := page(t, r)
	assert.Equal(t, 1, strings.Count(html, "<script>"))
	assert.Greater(t, strings.Count(html, "&lt;img src=x"), 15, "it is there, as text")
	assert.NotContains(t, html, "\x1b")
	assert.NotContains(t, html, "\u202e")
	html = strings.Replace(html, runScript, "", 1)
	html = strings.Replace(html, runStyle, "", 1)
	for _, tag := range tags.FindAllString(html, -1) {
		if tag != "<!doctype html>" {
			assert.Regexp(t, tagOf, tag)
		}
	}
}

// long is a run of so many events.
func long(events int) *Run {
	var r Run
	r.Take(journal.Record{Line: record.Line{Type: record.RunStarted}})
	for n := range events {
		turn := n / 50
		switch n % 50 {
		case 0:
			r.Take(journal.Record{Line: record.Line{Type: record.TurnStarted, Turn: turn}})
		case 49:
			r.Take(journal.Record{Line: record.Line{Type: record.TurnEnded, Turn: turn}})
		default:
			id := fmt.Sprint((n - 1) / 2)
			e := event.Event{Type: event.ToolUse, ID: id, Name: "Bash", Input: json.RawMessage(`{"command":"go test ./..."}`)}
			if n%2 == 0 {
				e = event.Event{Type: event.ToolResult, ID: id, Content: strings.Repeat("a line of what it printed\n", 400)}
			}
			r.Take(journal.Record{Line: record.Line{Type: string(e.Type), Turn: turn}, Event: &e})
		}
	}
	return &r
}

// A page stays below 5 MB; the newest turns are complete, and a note says what is left out.
func TestPageOfALongRun(t *testing.T) {
	for _, events := range []int{10_000, 50_000} {
		html := page(t, long(events))
		assert.Less(t, len(html), 5_000_000, events)
		assert.Greater(t, len(html), 3_000_000, "and not emptier than it must be")
		assert.True(t, strings.Contains(html, "events left out, so that the page stays small"))
		last := html[strings.LastIndex(html, "<article"):]
		assert.True(t, strings.Contains(last, "a line of what it printed"))
		assert.LessOrEqual(t, strings.Count(html, "<rect"), maxBars)
	}
}

// Turns that have no room at all are counted.
func TestPageOfTooManyTurns(t *testing.T) {
	var r Run
	for n := range 60_000 {
		r.Take(journal.Record{Line: record.Line{Type: record.TurnStarted, Turn: n, Agent: "an-agent-with-a-name"}})
	}
	html := page(t, &r)
	assert.Less(t, len(html), 5_000_000)
	assert.Regexp(t, `<p class="aside">\d+ turns before these are left out`, html[:200_000])
	assert.True(t, strings.Contains(html, `id="turn-59999"`))
}

// Of a very long run only the turns that a page may have room for are kept in memory; all are counted.
func TestOldTurnsAreNotKept(t *testing.T) {
	const turns = 3 * maxCards
	var r Run
	for n := range turns {
		r.Take(journal.Record{Line: record.Line{Type: record.TurnStarted, Turn: n}})
		r.Take(journal.Record{Event: &event.Event{Type: event.Usage, Tokens: &event.Tokens{CostUSD: 1}}})
		r.Take(journal.Record{Line: record.Line{Type: record.TurnEnded, Turn: n}})
		require.LessOrEqual(t, len(r.turns), maxCards+maxCards/4)
	}
	html := page(t, &r)
	assert.Contains(t, html[:1000], fmt.Sprintf("A loop of %d turns", turns))
	assert.Contains(t, html[:200_000], fmt.Sprintf("turns 0 to %d", turns-1), "the chart has all")
	var left int
	_, err := fmt.Sscanf(html[strings.Index(html, `<p class="aside">`):], `<p class="aside">%d turns before`, &left)
	require.NoError(t, err)
	assert.Equal(t, turns, left+strings.Count(html, "<article"))
	assert.Less(t, strings.Count(html, "<article"), maxCards, "a page has no room for more than are kept")
	assert.True(t, strings.Contains(html, fmt.Sprintf(`id="turn-%d"`, turns-1)))
}

func TestShortened(t *testing.T) {
	assert.Equal(t, "short", shortened("short", 10))
	for most := range 20 {
		got := shortened(strings.Repeat("ü", 100), most)
		assert.True(t, strings.ToValidUTF8(got, "") == got, "%d: %q", most, got)
		assert.Contains(t, got, "bytes left out")
	}
}

// The block in which an agent says how far it is is one line, and the rest of it folded.
func TestAStatusBlockIsOneLine(t *testing.T) {
	var m markup
	sayAll(&m, "It is done.\n\n```\n---RALPH_STATUS---\nSTATUS: COMPLETE\nFILES_MODIFIED: 2\nTESTS_STATUS: PASSING\nRECOMMENDATION: release it\n---END_RALPH_STATUS---\n```\nBye.")
	page := m.String()
	assert.Contains(t, page, "status · COMPLETE · tests PASSING · next: release it")
	assert.Contains(t, page, "FILES_MODIFIED: 2")
	assert.NotContains(t, page, "RALPH_STATUS---")
	assert.NotContains(t, page, "```")
	assert.Contains(t, page, "Bye.")
	m = markup{}
	sayAll(&m, "---RALPH_STATUS---\nit has no end")
	assert.Contains(t, m.String(), "it has no end")
}
