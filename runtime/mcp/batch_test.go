//go:build unix

package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/mcp"
)

// answerLine reads an answer as it was sent.
func (w *wire) answerLine() string {
	line, err := w.out.ReadString('\n')
	require.NoError(w.t, err)
	return line
}

// A call with the ID of another one that has no answer yet is answered with an error, without an ID: the
// client would take it for the other call's answer. The other messages of its batch are unaffected.
func TestAnIDIsUsedOnce(t *testing.T) {
	c := client(t, mcp.Options{})
	fifo := t.TempDir() + "/fifo"
	call(t, c, "console_exec", args{"code": "mkfifo " + fifo})
	w := newWire(t, "2025-03-26")
	exec := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"console_exec","arguments":{"code":"%s"}}}`
	w.write(fmt.Sprintf(exec, 1, "cat "+fifo))
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	pong := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }
	repeated := func(id string) string {
		return `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a call with the id ` + id + ` has no answer yet"}}`
	}
	wrong := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"the id ` + id + ` cannot be used: it must be a string, or an integer below 2^53"}}`
	}
	batch := func(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }
	for _, tt := range []struct{ name, line, want string }{
		{"of an open call", ping("1"), repeated("1")},
		{"of an open call, in another spelling", ping("1.0"), repeated("1")},
		{"of an open call that types", fmt.Sprintf(exec, 1, "echo twice"), repeated("1")},
		{"in a batch", batch(ping("2"), ping("3"), ping("2")), batch(pong("2"), pong("3"), repeated("2"))},
		{"in a batch, of a call before", batch(ping("2"), ping("1")), batch(pong("2"), repeated("1"))},
		{"only in a batch", batch(ping("1")), batch(repeated("1"))},
		{"again, after the answer", ping("2"), pong("2")},
		{"of an answer of the client", batch(`{"jsonrpc":"2.0","id":2,"result":"text"}`, ping("2")), batch(pong("2"))},
		{"with a fraction", ping("1.5"), wrong("1.5")},
		{"that has no exact float64", ping("9007199254740993"), wrong("9007199254740993")},
		{"the greatest one", ping("9007199254740991"), pong("9007199254740991")},
		{"beyond int64", ping("-1e30"), wrong("-1e30")},
		{"in a batch, with a fraction", batch(ping("2"), ping("2.5")), batch(pong("2"), wrong("2.5"))},
		{"beside a member of another case", `{"jsonrpc":"2.0","id":2,"ID":1,"method":"ping"}`, pong("2")},
	} {
		w.write(tt.line)
		require.JSONEq(t, tt.want, w.answerLine(), tt.name)
	}
	require.NoError(t, os.WriteFile(fifo, []byte("text\n"), 0))
	id, code := w.read()
	assert.Equal(t, []any{1.0, 0}, []any{id, code})
	w.write(fmt.Sprintf(exec, 1, "echo more"))
	assert.Contains(t, w.answerLine(), "[main #3] done exit=0")
}

// An invalid message of a batch has an error in its place, and the other calls have their answers.
func TestInvalidMessagesOfABatch(t *testing.T) {
	w := newWire(t, "2025-03-26")
	for _, tt := range []struct {
		line string
		want []string // id and code
	}{
		{`[5]`, []string{"<nil> -32600"}},
		{`[5,{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{"<nil> -32600", "1 0"}},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"id":"x","method":"ping"}]`, []string{"1 0", "x -32600"}},
		{`[{"jsonrpc":"2.0","id":1,"method":""}]`, []string{"1 -32601"}},
	} {
		w.write(tt.line)
		assert.Equal(t, tt.want, idsAndCodes(t, w.answerLine()), tt.line)
	}
}

// idsAndCodes returns the ID and the error code of each answer to a batch.
func idsAndCodes(t *testing.T, line string) (list []string) {
	var answers []struct {
		ID    any
		Error struct{ Code int }
	}
	require.NoError(t, json.Unmarshal([]byte(line), &answers), line)
	for _, a := range answers {
		list = append(list, fmt.Sprint(a.ID, " ", a.Error.Code))
	}
	return list
}

// The answers to a batch are in memory until the last one: longer batches are refused.
func TestLengthOfABatch(t *testing.T) {
	w := newWire(t, "2025-03-26")
	pings := make([]string, mcp.MaxBatch+1)
	for i := range pings {
		pings[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
	}
	w.write("[" + strings.Join(pings, ",") + "]")
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the batch has 1025 messages, but at most 1024 are accepted: send several batches"}}`, w.answerLine())
	w.write("[" + strings.Join(pings[1:], ",") + "]")
	assert.Len(t, idsAndCodes(t, w.answerLine()), mcp.MaxBatch)
}
