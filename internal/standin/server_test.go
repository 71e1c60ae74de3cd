package standin

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Bounds for what happens at once.
const (
	waitFor = 10 * time.Second
	tick    = time.Millisecond
)

func start(t *testing.T) *Server {
	t.Helper()
	s, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// post asks and reads what comes until the end; err is how the reading ended.
func post(t *testing.T, url, body string) (status int, head http.Header, answer string, err error) {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, nil, "", err
	}
	data, err := io.ReadAll(r.Body)
	require.NoError(t, r.Body.Close())
	return r.StatusCode, r.Header, string(data), err
}

// events are the data lines of a stream, and what they say together.
func (s speaker) events(t *testing.T, stream string) (list []string, all said) {
	t.Helper()
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		list = append(list, strings.TrimSpace(data))
		var v any
		if strings.TrimSpace(data) != "[DONE]" {
			require.NoError(t, json.Unmarshal([]byte(data), &v), line)
		}
		all = all.plus(s.read(v))
	}
	return list, all
}

const (
	greeting = " Žluťoučký kůň, 日本語, 👩‍💻."
	plan     = `%5B%7B%22name%22:%22one%22,%22input%22:%7B%22a%22:1%7D%7D,%7B%22name%22:%22two%22,%22input%22:%7B%22b%22:%22c%2Fd%22%7D%7D%5D`
	ran      = `{"command":"echo standin-tool-ran; pwd","wait":1}`
)

// Every dialect says the same to the same conversation.
func TestAnswers(t *testing.T) {
	cases := []struct {
		name, behavior, conversation string
		tools                        []string
		want                         said
	}{
		{"a first turn", "text", "u", []string{"Bash"}, said{text: "STANDIN-OK: 1 messages, 1 user turns." + greeting}},
		{"a resumed session", "text", "uau", []string{"Bash"}, said{text: "STANDIN-OK: 3 messages, 2 user turns." + greeting}},
		{"messages of the user in a row are one turn", "text", "uuauu", nil, said{text: "STANDIN-OK: 5 messages, 2 user turns." + greeting}},
		{"the answer is given", "text/text=d%C3%A9j%C3%A0%2Fvu", "u", nil, said{text: "déjà/vu"}},
		{"the shell tool is called", "tool", "u", []string{"Read", "BashOutput", "Bash"}, said{name: "Bash", args: ran}},
		{"under its other names", "tool", "u", []string{"write_stdin", "exec_command"}, said{name: "exec_command", args: ran}},
		{"in each turn", "tool", "ucrau", []string{"run_shell_command"}, said{name: "run_shell_command", args: ran}},
		{"its result comes back", "tool", "ucr", []string{"bash"}, said{text: "STANDIN-OK: 3 messages, 1 user turns. The tool said: it ran" + greeting}},
		{"a command of one's own", "tool/run=ls%20-l", "u", []string{"shell"}, said{name: "shell", args: `{"command":"ls -l","wait":1}`}},
		{"twice", "tool/times=2", "ucr", []string{"bash"}, said{name: "bash", args: ran}},
		{"without a shell tool there is text", "tool", "u", []string{"Read"}, said{text: "STANDIN-OK: 1 messages, 1 user turns." + greeting}},
		{"a tool that is not offered", "tool/name=bash", "u", []string{"Read"}, said{name: "bash", args: `{"command":"echo standin-tool-ran; pwd"}`}},
		{"a command that fails", "failtool", "u", []string{"bash"}, said{name: "bash", args: `{"command":"echo standin-tool-failed; exit 3","wait":1}`}},
		{"a file", "edit/file=it%27s", "u", []string{"bash"}, said{name: "bash", args: `{"command":"printf '%s\\n' 'standin was here' >> 'it'\\''s'","wait":1}`}},
		{"the first call of a plan", "calls/plan=" + plan, "u", []string{"Read", "mcp__x__one", "two"}, said{name: "mcp__x__one", args: `{"a":1}`}},
		{"the second", "calls/plan=" + plan, "ucr", []string{"mcp__x__one", "x-two"}, said{name: "x-two", args: `{"b":"c/d"}`}},
		{"after a plan", "calls/plan=" + plan, "ucrcr", []string{"one", "two"}, said{text: "STANDIN-OK: 5 messages, 1 user turns. The tool said: it ran / it ran" + greeting}},
		{"a tool of a plan that is not offered", "calls/plan=" + plan, "u", []string{"two"}, said{text: "STANDIN: no tool is offered that ends with one."}},
		{"forever", "loop", "ucrcr", []string{"bash"}, said{name: "bash", args: `{"command":"echo standin-loop-2","wait":1}`}},
	}
	s := start(t)
	for dialect, sp := range speakers {
		for _, c := range cases {
			t.Run(dialect+"/"+c.name, func(t *testing.T) {
				if dialect == "contents" {
					c.want.text = strings.ReplaceAll(c.want.text, "it ran", `{"output":"it ran"}`)
				}
				status, head, stream, err := post(t, s.URL(c.behavior)+sp.path, sp.ask(true, c.conversation, c.tools...))
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, status, stream)
				assert.Equal(t, "text/event-stream", head.Get("Content-Type"))
				list, got := sp.events(t, stream)
				assert.Equal(t, c.want, got)
				assert.Truef(t, strings.HasPrefix(list[len(list)-1], sp.last), "the last event is %s", list[len(list)-1])
				if c.want.text != "" {
					assert.Greater(t, len(list), 3, "text comes in pieces")
				}

				_, head, document, err := post(t, s.URL(c.behavior)+sp.whole, sp.ask(false, c.conversation, c.tools...))
				require.NoError(t, err)
				assert.Equal(t, "application/json", head.Get("Content-Type"))
				var v any
				require.NoError(t, json.Unmarshal([]byte(document), &v))
				assert.Equal(t, c.want, sp.readWhole(v), "in one document")
			})
		}
	}
}

func TestRefusals(t *testing.T) {
	s := start(t)
	for dialect, sp := range speakers {
		for _, want := range []struct {
			behavior string
			status   int
			message  string
		}{
			{"401", 401, "The stand-in takes no key."},
			{"429/after=7", 429, "The stand-in's rate limit is reached."},
			{"500", 500, "The stand-in refuses: Internal Server Error."},
			{"400/text=too%20long", 400, "too long"},
			{"nonsense", 404, `unknown behavior "nonsense": there are text, tool, failtool, edit, loop, calls, stall, drop and statuses from 400 to 599`},
			{"text/color=red", 404, `unknown parameter "color": there are text, run, name, input, plan, file, line, times, after, at`},
			{"text/times=-1", 404, `parameter times: "-1" is not a number from 0`},
		} {
			t.Run(dialect+"/"+want.behavior, func(t *testing.T) {
				status, head, document, err := post(t, s.URL(want.behavior)+sp.path, sp.ask(true, "u"))
				require.NoError(t, err)
				assert.Equal(t, want.status, status)
				var v any
				require.NoError(t, json.Unmarshal([]byte(document), &v))
				assert.Equal(t, want.message, str(v, sp.message...))
				if want.status == http.StatusTooManyRequests {
					assert.Equal(t, "7", head.Get("Retry-After"))
					assert.NotEmpty(t, head.Get("Anthropic-Ratelimit-Unified-Reset"))
				}
			})
		}
	}
}

func TestRefusesSoManyTimes(t *testing.T) {
	s, sp := start(t), speakers["chat"]
	var got []int
	for range 3 {
		status, _, _, err := post(t, s.URL("503/times=2")+sp.path, sp.ask(true, "u"))
		require.NoError(t, err)
		got = append(got, status)
	}
	assert.Equal(t, []int{503, 503, 200}, got)
}

// A cut answer has begun and does not end as it should.
func TestCutAnswerHasNoEnd(t *testing.T) {
	s := start(t)
	for dialect, sp := range speakers {
		t.Run(dialect, func(t *testing.T) {
			_, _, stream, err := post(t, s.URL("drop")+sp.path, sp.ask(true, "u"))
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			list, got := sp.events(t, stream)
			assert.True(t, strings.HasPrefix(got.text, "STANDIN-OK"), stream)
			assert.NotContains(t, got.text, "日本語", list)
			_, _, _, err = post(t, s.URL("drop")+sp.whole, sp.ask(false, "u"))
			require.Error(t, err)
		})
	}
}

// A client that waits is let go when the server ends, not before.
func TestStall(t *testing.T) {
	for dialect, sp := range speakers {
		for _, behavior := range []string{"stall", "stall/at=text"} {
			t.Run(dialect+"/"+behavior, func(t *testing.T) {
				s, err := Listen("127.0.0.1:0")
				require.NoError(t, err)
				ended := make(chan error)
				arrived := make(chan string, 1)
				go func() {
					r, err := http.Post(s.URL(behavior)+sp.path, "application/json", strings.NewReader(sp.ask(true, "u")))
					if err == nil {
						first := make([]byte, 1)
						_, err = io.ReadFull(r.Body, first)
						arrived <- string(first)
						if err == nil {
							_, err = io.ReadAll(r.Body)
						}
						_ = r.Body.Close() // broken anyway
					}
					ended <- err
				}()
				if behavior == "stall" {
					require.Eventually(t, func() bool { return len(s.Log()) == 1 }, waitFor, tick)
				} else {
					assert.NotEmpty(t, <-arrived)
				}
				select {
				case err := <-ended:
					t.Fatalf("it ended with %v", err)
				default:
				}
				require.NoError(t, s.Close())
				require.Error(t, <-ended)
			})
		}
	}
}

func TestSideRequestsGetValuesOfTheirSchema(t *testing.T) {
	schema := `{"type":"object","properties":{"title":{"type":"string"},"score":{"type":"integer","minimum":3},"kind":{"enum":["a","b"]},"tags":{"type":"array"},"ok":{"type":"boolean"}}}`
	s := start(t)
	for dialect, format := range map[string]string{
		"messages":  `{"output_config":{"format":{"schema":%}},`,
		"responses": `{"text":{"format":{"schema":%}},`,
		"chat":      `{"response_format":{"json_schema":{"schema":%}},`,
		"contents":  `{"generationConfig":{"responseSchema":%},`,
	} {
		sp := speakers[dialect]
		body := strings.Replace(sp.ask(true, "u"), "{", strings.Replace(format, "%", schema, 1), 1)
		_, _, stream, err := post(t, s.URL("tool")+sp.path, body)
		require.NoError(t, err)
		_, got := sp.events(t, stream)
		assert.JSONEq(t, `{"title":"standin","score":3,"kind":"a","tags":[],"ok":false}`, got.text, dialect)
	}
}

// The log has each request with the behavior that its path selects.
func TestLogHasEachRequest(t *testing.T) {
	s, sp := start(t), speakers["messages"]
	_, _, _, err := post(t, s.URL("tool")+sp.path, sp.ask(true, "uaucr", "Read", "Bash"))
	require.NoError(t, err)
	_, _, _, err = post(t, s.URL("text")+"/v1/messages/count_tokens", `{}`)
	require.NoError(t, err)
	_, err = http.Get(s.URL("401") + "/v1/models")
	require.NoError(t, err)
	want := []Exchange{
		{
			Method: "POST", Path: "/m/tool/v1/messages", Dialect: "messages", Behavior: "tool", Model: "m", Messages: []Message{
				{Role: "user", Text: "hi"},
				{Role: "assistant", Text: "hello"},
				{Role: "user", Text: "hi"},
				{Role: "assistant"},
				{Role: "user", Results: []string{"it ran"}},
			}, Tools: []string{"Read", "Bash"}, Shell: "Bash", Reply: "text",
		},
		{Method: "POST", Path: "/m/text/v1/messages/count_tokens", Behavior: "text", Reply: "other"},
		{Method: "GET", Path: "/m/401/v1/models", Behavior: "401", Reply: "404"},
	}
	assert.Equal(t, want, s.Log())
	r, err := http.Get(s.URL("") + "/log")
	require.NoError(t, err)
	var got []Exchange
	require.NoError(t, json.NewDecoder(r.Body).Decode(&got))
	require.NoError(t, r.Body.Close())
	assert.Equal(t, want, got)
}

func TestOnlyLoopback(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "localhost:0", "nonsense"} {
		_, err := Listen(address)
		assert.Error(t, err, address)
	}
}

// flushes keeps what arrives, as it arrives.
type flushes struct {
	http.ResponseWriter
	pending string
	list    []string
}

func (f *flushes) Write(data []byte) (int, error) { f.pending += string(data); return len(data), nil }

func (f *flushes) Flush() { f.list, f.pending = append(f.list, f.pending), "" }

// A character arrives in two pieces, and is whole when they are joined.
func TestStreamSplitsCharacters(t *testing.T) {
	for dialect, sp := range speakers {
		d := dialectOf(strings.Split(sp.path, "?")[0])
		assert.Equal(t, dialect, d.name())
		f := &flushes{}
		d.stream(&stream{w: f}, request{}, reply{text: greeting})
		assert.True(t, slices.ContainsFunc(f.list, func(s string) bool { return !utf8.ValidString(s) }), dialect)
		_, got := sp.events(t, strings.Join(f.list, ""))
		assert.Equal(t, greeting, got.text, dialect)
	}
}

func TestPiecesJoinToTheText(t *testing.T) {
	for _, text := range []string{"", "a", "ab", greeting, strings.Repeat("long ", 50_000)} {
		list := pieces(text)
		assert.Equal(t, text, strings.Join(list, ""))
		assert.Less(t, len(list), 30)
	}
}

func TestAfterIsFromNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _, err := parseBehavior("/m/429/after=90/v1/messages")
		require.NoError(t, err)
		h := http.Header{}
		b.limitHeaders(h)
		assert.Equal(t, "946684890", h.Get("Anthropic-Ratelimit-Unified-Reset"), "the clock stands at the start of 2000")
		assert.Equal(t, "2000-01-01T00:01:30Z", h.Get("Anthropic-Ratelimit-Requests-Reset"))
	})
}

// Whatever comes is answered: with a refusal, if need be.
func FuzzParse(f *testing.F) {
	for _, sp := range speakers {
		f.Add("/m/tool/times=2"+sp.path, []byte(sp.ask(true, "uaucr", "bash")))
	}
	f.Fuzz(func(t *testing.T, path string, body []byte) {
		b, rest, err := parseBehavior(path)
		d := dialectOf(rest)
		if err != nil || d == nil {
			return
		}
		q, err := d.parse(rest, body)
		if err != nil {
			return
		}
		data, err := json.Marshal(d.whole(q, b.reply(q)))
		require.NoError(t, err)
		require.True(t, json.Valid(data))
	})
}

// A client that offers its tools in a namespace, or through a search, is called in the way
// that it supports.
func TestToolsThatAreFound(t *testing.T) {
	const spaces = `{"type":"namespace","name":"mcp__x","tools":[{"type":"function","name":"one","parameters":{}}]}`
	s := start(t)
	for _, tt := range []struct{ name, tools, found, want string }{
		{"a search", `{"type":"tool_search","execution":"client"}`, "", `{"arguments":{"query":"q"},"call_id":"ID","execution":"client","id":"ID","status":"completed","type":"tool_search_call"}`},
		{"in a space", spaces, `,{"type":"function_call_output","call_id":"1","output":"x"}`, `{"arguments":"{\"a\":1}","call_id":"ID","id":"ID","name":"one","namespace":"mcp__x","status":"completed","type":"function_call"}`},
		{
			"what was found", `{"type":"tool_search","execution":"client"}`, `,{"type":"tool_search_call","call_id":"1"},{"type":"tool_search_output","call_id":"1","tools":[` + spaces + `]}`,
			`{"arguments":"{\"a\":1}","call_id":"ID","id":"ID","name":"one","namespace":"mcp__x","status":"completed","type":"function_call"}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := `[{"name":"tool_search","input":{"query":"q"}},{"name":"one","input":{"a":1}}]`
			body := `{"model":"m","input":[{"type":"message","role":"user","content":"hi"}` + tt.found + `],"tools":[` + tt.tools + `],"stream":`
			url := s.URL("calls/plan="+url.PathEscape(plan)) + "/v1/responses"
			_, _, document, err := post(t, url, body+"false}")
			require.NoError(t, err)
			var v any
			require.NoError(t, json.Unmarshal([]byte(document), &v))
			item, err := json.Marshal(dig(v, "output", 0))
			require.NoError(t, err)
			plain := func(s string) string {
				return regexp.MustCompile(`"(call|fc|tsc)_\w{20,}"`).ReplaceAllString(s, `"ID"`)
			}
			assert.JSONEq(t, tt.want, plain(string(item)))
			_, _, stream, err := post(t, url, body+"true}")
			require.NoError(t, err)
			assert.Contains(t, plain(stream), `data: {"item":`+tt.want+`,"output_index":0,"sequence_number":`)
		})
	}
}
