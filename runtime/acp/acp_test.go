package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPromptText(t *testing.T) {
	for content, want := range map[string]string{
		`[{"type":"text","text":"a "},{"type":"text","text":"b"}]`:                                                   "a b",
		`[{"type":"text","text":"look at "},{"type":"resource_link","uri":"file:///p/a.go","name":"a.go"}]`:          "look at @/p/a.go",
		`[{"type":"text","text":"mend "},{"type":"resource","resource":{"uri":"file:///p/a.go","text":"x := 1\n"}}]`: "mend @/p/a.go\n\n/p/a.go:\n\n```\nx := 1\n```",
		"[{\"type\":\"resource\",\"resource\":{\"uri\":\"zed://rule\",\"text\":\"```\\na\\n```\"}}]":                 "@zed://rule\n\nzed://rule:\n\n````\n```\na\n```\n````",
		`[{"type":"resource","resource":{"uri":"file:///p/a.png","blob":"AAAA"}}]`:                                   "",
		`[{"type":"audio"}]`: "", `[]`: "", `[{"type":"text"}]`: "",
	} {
		var blocks []block
		require.NoError(t, json.Unmarshal([]byte(content), &blocks))
		text, e := promptText(blocks)
		assert.Equal(t, want, text)
		assert.Equal(t, want == "", e != nil, content)
	}
}

func TestStatusBlocksAreNotShown(t *testing.T) {
	const block = "---RALPH_STATUS---\nSTATUS: COMPLETE\n---END_RALPH_STATUS---"
	for text, want := range map[string]string{
		"done\n\n" + block:                       "done\n",
		"done\n\n```\n" + block + "\n```\n":      "done\n\n",
		"a\n" + block + "\nb\n" + block + "\nc":  "a\nb\nc",
		"---RALPH_STATUS---\nit is not complete": "---RALPH_STATUS---\nit is not complete",
		"nothing":                                "nothing", block: "\n",
	} {
		assert.Equal(t, want, withoutStatus(text))
	}
}

// A client that reads nothing holds up a loop, and nobody else; one that leaves too
// much is given up.
func TestAClientThatDoesNotRead(t *testing.T) {
	r, w := io.Pipe()
	o := newOutbox(w)
	line := bytes.Repeat([]byte("x"), 1<<20)
	for range outboxRoom>>20 + 1 {
		o.send(line) // never waits
	}
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan struct{})
	go func() { o.room(ctx); close(waited) }()
	select {
	case <-waited:
		assert.Fail(t, "there is no room")
	default:
	}
	cancel()
	<-waited
	for range outboxMost >> 20 {
		o.send(line)
	}
	<-o.gone
	assert.ErrorIs(t, o.failed(), errUnread)
	require.NoError(t, r.Close())
	<-o.done
}

// Whatever comes, and however it is cut into pieces: each line of the answer is a
// message, nothing panics, and the server ends with its input.
func FuzzServer(f *testing.F) {
	const opened = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	f.Add(opened + `{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}` + "\n")
	f.Add(opened + `{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{"sessionId":"no","prompt":[]}}` + "\r\n\r\n" + `{"id":1}`)
	f.Add(opened + `{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"a","cwd":"/nowhere"}}` + "\nno json\n[]\n{\n")
	f.Add(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":null}}` + "\n" + `{"jsonrpc":"2.0","id":[1],"method":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "new") {
			t.Skip() // its id is random
		}
		serve := func(in io.Reader) []string {
			var out bytes.Buffer
			s := New(Options{Loop: func(string, bool) []string { return []string{"false"} }})
			require.NoError(t, s.Serve(t.Context(), in, &out))
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			for _, line := range lines {
				assert.True(t, line == "" || json.Valid([]byte(line)), line)
			}
			return lines
		}
		assert.Equal(t, serve(strings.NewReader(text)), serve(iotest.OneByteReader(strings.NewReader(text))))
	})
}
