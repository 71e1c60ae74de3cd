package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A call that is refused or canceled lets no call overtake the one before it.
func TestNoCallOvertakes(t *testing.T) {
	q := newTurns()
	first, refused, third, canceled := q.add("a"), q.add("a"), q.add("a"), q.add("a")
	q.end(refused)
	assert.False(t, refused.over())
	q.end(canceled)
	last := q.add("a")
	assert.Same(t, third, last.before)
	q.end(third)
	q.end(third)
	assert.False(t, third.over())
	q.end(first)
	for _, o := range []*turn{first, refused, third, canceled} {
		assert.True(t, o.over())
	}
	q.end(last)
	assert.True(t, last.over())
	assert.Empty(t, q.last)
	assert.Empty(t, q.taken)
}

// A call without a name is in the order of the console that it will use.
func TestACallWithoutANameHasTheOrderOfItsConsole(t *testing.T) {
	for _, tt := range []struct{ pending, exists, tool, want string }{
		{"", "", "console_send", "main"},
		{"", "py", "console_send", "py"},
		{"py", "py", "console_send", "py"},
		{"py", "", "console_send", "py"}, // which the earlier call starts
		{"main", "py", "console_send", "main"},
		{"py", "py", "console_exec", "main"},
	} {
		q := newTurns()
		q.unnamed = func() string { return tt.exists }
		if tt.pending != "" {
			q.add(tt.pending)
		}
		line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tt.tool + `","arguments":{"text":"x"}}}`)
		m, err := jsonrpc.DecodeMessage(line)
		require.NoError(t, err)
		_, taken := q.take(line, m.(*jsonrpc.Request))
		assert.Equal(t, tt.want, taken.console, "%+v", tt)
	}
}

// A call does not become much longer by its turn.
func TestATurnEscapesNoCharacters(t *testing.T) {
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"console_exec","arguments":{"code":"<&>"}}}`)
	m, err := jsonrpc.DecodeMessage(line)
	require.NoError(t, err)
	changed, taken := newTurns().take(line, m.(*jsonrpc.Request))
	require.NotNil(t, taken)
	assert.Contains(t, string(changed), `"arguments":{"code":"<&>"}`)
}

// An ID is the same regardless of its spelling, and null is not an ID.
func TestSpellingsOfIDs(t *testing.T) {
	f := newFlight(newTurns())
	for _, tt := range []struct{ asked, answered string }{{`1.0`, `1`}, {`1e2`, `100`}, {`"\u0061\/"`, `"a/"`}, {` "<" `, `"\u003c"`}} {
		f.begins([]byte(`{"jsonrpc":"2.0","id":` + tt.asked + `,"method":"ping"}`))
		require.Equal(t, 1, f.count(), tt.asked)
		f.begins([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + tt.asked + `}}`))
		assert.Nil(t, f.ends([]byte(`{"jsonrpc":"2.0","id":`+tt.answered+`,"result":{}}`)), tt.asked)
		require.Zero(t, f.count(), tt.asked)
	}
	f.begins([]byte(`{"jsonrpc":"2.0","id":null,"method":"ping"}`))
	assert.Zero(t, f.count())
	assert.NotEqual(t, idKey(json.RawMessage(`1`)), idKey(json.RawMessage(`"1"`)))
}

// No more calls are read than may be in flight; those of a batch count one by one.
func TestCallsInFlightAreLimited(t *testing.T) {
	var calls []string
	for i := range maxCalls + 1 {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	for name, input := range map[string]string{
		"lines": strings.Join(calls, "\n") + "\n", "a batch": "[" + strings.Join(calls, ",") + "]\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFlight(newTurns())
				f.version = lastBatches
				r := &clientReader{in: bufio.NewReader(strings.NewReader(input)), f: f}
				read := func() string {
					b := make([]byte, 100)
					n, err := r.Read(b)
					assert.NoError(t, err)
					return string(b[:n])
				}
				for i := range maxCalls {
					require.Equal(t, calls[i]+"\n", read())
				}
				require.Equal(t, maxCalls, f.count())
				more := make(chan string, 1)
				go func() { more <- read() }()
				synctest.Wait()
				require.Empty(t, more, "it waits")
				f.ends([]byte(`{"jsonrpc":"2.0","id":7,"result":{}}`))
				require.Equal(t, calls[maxCalls]+"\n", <-more, "after an answer")
				require.Equal(t, maxCalls, f.count())
			})
		})
	}
}

// A call of a batch is without an answer until that of the batch is sent.
func TestAnswersOfABatchCount(t *testing.T) {
	ping := func(id string) []byte { return []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`) }
	pong := func(id string) []byte { return []byte(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`) }
	f := newFlight(newTurns())
	f.version = lastBatches
	messages, refused := f.accept([]byte("[" + string(ping("1")) + "," + string(ping("2")) + "]"))
	require.Len(t, messages, 2)
	require.Nil(t, refused)
	f.begins(messages[0])
	require.Nil(t, f.ends(pong("1")))
	for _, id := range []string{"1", "2"} { // the one is answered, the other has not begun
		messages, refused = f.accept(ping(id))
		assert.Empty(t, messages)
		assert.Contains(t, string(refused), `"code":-32600,"message":"a call with the id `+id)
	}
	f.begins(ping("2"))
	require.Equal(t, "["+string(pong("1"))+","+string(pong("2"))+"]", string(f.ends(pong("2"))))
	for _, id := range []string{"1", "2"} {
		_, refused = f.accept(ping(id))
		assert.Nil(t, refused)
	}
}

// A call can be canceled when no more calls may be in flight.
func TestCancelAtTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlight(newTurns())
		for i := range maxCalls {
			f.begins(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		}
		const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}` + "\n"
		r := &clientReader{in: bufio.NewReader(strings.NewReader(cancel)), f: f}
		b := make([]byte, 100)
		n, err := r.Read(b)
		require.NoError(t, err)
		assert.Equal(t, cancel, string(b[:n]))
		assert.Nil(t, f.ends([]byte(`{"jsonrpc":"2.0","id":7,"result":{}}`)))
	})
}
