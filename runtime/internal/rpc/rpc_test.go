package rpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/internal/rpc"
)

func TestMessages(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"m"}`:       "request",
		`{"jsonrpc":"2.0","id":"a","method":"m"}`:     "request",
		`{"jsonrpc":"2.0","method":"m"}`:              "notification",
		`{"jsonrpc":"2.0","id":null,"method":"m"}`:    "notification",
		`{"jsonrpc":"2.0","id":1,"result":null}`:      "response",
		`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`: "response",
		`{"jsonrpc":"2.0","id":1}`:                    "none",
		`{"jsonrpc":"2.0","id":1,"method":7}`:         "none",
		`[{"jsonrpc":"2.0","id":1,"method":"m"}]`:     "none",
		`{"jsonrpc":"2.0","id":1,"method":"m"`:        "none",
		`"text"`:                                      "none", `null`: "none", ` `: "none", `{}`: "none",
	} {
		got := "none"
		switch m, is := rpc.Parse([]byte(line)); {
		case is && m.IsRequest():
			got = "request"
		case is && m.IsResponse():
			got = "response"
		case is:
			got = "notification"
		}
		assert.Equal(t, want, got, line)
	}
}

// The sender of an invalid message receives its id, if it can be read.
func TestIDOfInvalidMessages(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":{}}`:              `7`,
		`{"id":"a","params":` + strings.Repeat(`[`, 50_000): `"a"`,
		`{"jsonrpc":"2.0","params":{"text":"no end to it`:   `null`,
		`{"id":{"a":1}}`: `null`, `[1]`: `null`, `no json`: `null`, ``: `null`,
	} {
		assert.Equal(t, want, string(rpc.IDOf([]byte(line))), "%.40s", line)
	}
}

func TestConnAnswersOnce(t *testing.T) {
	var sent []string
	c := rpc.Conn{Send: func(b []byte) { sent = append(sent, string(b)) }}
	answers := 0
	id := c.Call("ask", map[string]any{}, func(rpc.Message) { answers++ })
	assert.Equal(t, "ask", c.Waits())
	m, _ := rpc.Parse([]byte(`{"id":1,"result":{}}`))
	assert.True(t, c.Response(m))
	assert.False(t, c.Response(m), "it comes again")
	assert.Equal(t, 1, answers)
	assert.Empty(t, c.Waits())
	c.Withdraw(id)
	c.Withdraw(c.Call("ask", map[string]any{}, func(rpc.Message) { answers++ }))
	m.ID = json.RawMessage("2")
	assert.True(t, c.Response(m), "it was taken back, and answered before that was known")
	assert.False(t, c.Response(m))
	assert.Equal(t, 2, answers)
	assert.Len(t, sent, 3)
	assert.JSONEq(t, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}`, sent[2])
}

// Where a stream is cut into pieces changes nothing, and what is kept is bounded.
func FuzzLines(f *testing.F) {
	f.Add("{\"a\":1}\r\n\n {} \nno end")
	f.Add(strings.Repeat("x", 40) + "\n{}\n")
	f.Add("\n\r\n" + strings.Repeat("é", 5000))
	f.Fuzz(func(t *testing.T, text string) {
		const most = 32
		collect := func(parts ...string) (got []string) {
			l := rpc.Lines{
				Max: most,
				Line: func(b []byte) {
					assert.LessOrEqual(t, len(b), most)
					got = append(got, "line "+string(b))
				},
				Long: func(b []byte) { got = append(got, "long "+string(b)) },
			}
			for _, p := range parts {
				l.Feed([]byte(p))
			}
			l.End()
			return got
		}
		want := collect(text)
		for at := range text[:min(len(text), 300)] {
			assert.Equal(t, want, collect(text[:at], text[at:]), "cut at %d", at)
		}
		assert.Equal(t, want, collect(strings.Split(text, "")...), "cut everywhere")
	})
}

// The cause of an error is in its data, in whatever form: the text of an agent's error is what rules are matched against.
func TestTextOfAnError(t *testing.T) {
	for data, want := range map[string]string{
		`null`:                             "it failed",
		`"why"`:                            "it failed: why",
		`{"details": "why"}`:               "it failed: why",
		`{"message": "why"}`:               "it failed: why",
		`{"error": "why"}`:                 "it failed: why",
		`{"details": "why", "error": {}}`:  "it failed: why",
		`{"error": {"code": 1}}`:           "it failed",
		`{"message": "it failed"}`:         "it failed",
		`{"error": "not", "message": "y"}`: "it failed: y",
	} {
		assert.Equal(t, want, (&rpc.Error{Message: "it failed", Data: []byte(data)}).Text(), data)
	}
}
