//go:build unix

package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/mcp"
)

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// wire is a client that writes raw lines.
type wire struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func newWire(t *testing.T, version string) *wire {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- mcp.New(mcp.Options{Getenv: os.Getenv}).ServeStdio(t.Context(), fromClient, toClient)
	}()
	w := &wire{t, toServer, bufio.NewReader(fromServer)}
	t.Cleanup(func() {
		require.NoError(t, toServer.Close())
		assert.NoError(t, <-served)
	})
	w.write(fmt.Sprintf(hello, version))
	w.read()
	w.write(`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`)
	return w
}

func (w *wire) write(line string) {
	_, err := io.WriteString(w.in, line+"\n")
	require.NoError(w.t, err)
}

// read returns the ID of the next answer and the code of its error, or 0.
func (w *wire) read() (id any, code int) {
	line, err := w.out.ReadString('\n')
	require.NoError(w.t, err)
	var m struct {
		ID    any `json:"id"`
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	require.NoError(w.t, json.Unmarshal([]byte(line), &m), line)
	return m.ID, m.Error.Code
}

// A line that is not a JSON-RPC message is answered, and so is the next line.
func TestABadLineEndsNothing(t *testing.T) {
	w := newWire(t, "2025-06-18")
	for _, tt := range []struct {
		line string
		id   any
		code int
	}{
		{`{bad json`, nil, -32700},
		{"\xff\xfe", nil, -32700},
		{`{"jsonrpc":"2.0"} {"jsonrpc":"2.0"}`, nil, -32700},
		{`[]`, nil, -32600},
		{`null`, nil, -32600},
		{`5`, nil, -32600},
		{`"text"`, nil, -32600},
		{`{}`, nil, -32600},
		{`{"jsonrpc":"1.0","id":7,"method":"ping"}`, 7.0, -32600},
		{`{"id":"x","method":"ping"}`, "x", -32600},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, -32600},
		{`{"jsonrpc":"2.0","id":8,"method":5}`, 8.0, -32600},
		{`[{"jsonrpc":"2.0","id":9,"method":"ping"}]`, nil, -32600},
		{`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 16<<20) + `","method":"ping"}`, nil, -32600},
	} {
		w.write(tt.line)
		id, code := w.read()
		assert.Equal(t, []any{tt.id, tt.code}, []any{id, code}, "%.80s", tt.line)
		w.write("")
		w.write(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		id, code = w.read()
		require.Equal(t, []any{1.0, 0}, []any{id, code}, "%.80s", tt.line)
	}
}

// Protocol versions with batches support them.
func TestBatchesOfAnOldClient(t *testing.T) {
	w := newWire(t, "2025-03-26")
	w.write(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	line, err := w.out.ReadString('\n')
	require.NoError(t, err)
	assert.JSONEq(t, `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]`, line)
}

// The calls of a batch are limited, ordered and canceled like those of single lines.
func TestCallsOfABatch(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":%v,"method":"ping"}`
	exec := func(id int, code string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"console_exec","arguments":{"code":%s}}}`, id, code)
	}
	batch := func(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }
	answers := func(w *wire) (list []struct{ ID int }) {
		line, err := w.out.ReadString('\n')
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal([]byte(line), &list), line)
		return list
	}
	t.Run("more than may be in flight", func(t *testing.T) {
		w := newWire(t, "2025-03-26")
		var pings []string
		for i := range 1000 {
			pings = append(pings, fmt.Sprintf(ping, i))
		}
		w.write(batch(pings...))
		list := answers(w)
		require.Len(t, list, len(pings))
		for i, a := range list {
			require.Equal(t, i, a.ID)
		}
	})
	t.Run("in their order", func(t *testing.T) {
		c := client(t, mcp.Options{})
		dir := t.TempDir()
		call(t, c, "console_exec", args{"code": "cd " + dir})
		w := newWire(t, "2025-03-26")
		var calls []string
		for i := range 10 {
			calls = append(calls, exec(2*i, "5"), exec(2*i+1, fmt.Sprintf(`"echo %d >> order"`, i))) // a refused call delays no later one
		}
		w.write(batch(calls...))
		require.Len(t, answers(w), 20)
		order, err := os.ReadFile(dir + "/order")
		require.NoError(t, err)
		assert.Equal(t, "0 1 2 3 4 5 6 7 8 9", strings.Join(strings.Fields(string(order)), " "))
	})
	t.Run("canceled", func(t *testing.T) {
		c := client(t, mcp.Options{})
		fifo := t.TempDir() + "/fifo"
		call(t, c, "console_exec", args{"code": "mkfifo " + fifo})
		w := newWire(t, "2025-03-26")
		cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`
		w.write(batch(exec(1, `"cat `+fifo+`"`), exec(2, `"echo second"`), fmt.Sprintf(cancel, 2), fmt.Sprintf(ping, 3)))
		w.write(batch(exec(4, `"echo fourth"`), fmt.Sprintf(cancel, 4)))
		w.write(batch(fmt.Sprintf(ping, 5), fmt.Sprintf(ping, 1)))
		assert.Equal(t, []string{"5 0", "<nil> -32600"}, idsAndCodes(t, w.answerLine()), "the id of a call in flight")
		w.write(fmt.Sprintf(ping, `"a"`))
		id, _ := w.read()
		assert.Equal(t, "a", id)
		require.NoError(t, os.WriteFile(fifo, []byte("text\n"), 0))
		assert.Equal(t, []struct{ ID int }{{1}, {3}}, answers(w))
	})
	t.Run("at the end of input", func(t *testing.T) {
		c := client(t, mcp.Options{})
		fifo := t.TempDir() + "/fifo"
		call(t, c, "console_exec", args{"code": "mkfifo " + fifo})
		w := newWire(t, "2025-03-26")
		w.write(batch(exec(1, `"cat `+fifo+`"`), fmt.Sprintf(ping, 2)))
		require.NoError(t, w.in.(io.Closer).Close())
		require.NoError(t, os.WriteFile(fifo, []byte("text\n"), 0))
		assert.Equal(t, []struct{ ID int }{{1}, {2}}, answers(w))
	})
}

// While a client reads no answers, only a limited number of its calls is read. Each is answered once.
func TestMoreCallsThanMayBeInFlight(t *testing.T) {
	w := newWire(t, "2025-06-18")
	const most = 300                       // the limit is 256 calls; a few more are on their way
	padding := strings.Repeat("x", 10_000) // more than a buffer
	n := testkit.Fewer(t, 400, testkit.Times(t, 600, 1000))
	var written atomic.Int64
	go func() {
		for i := range n {
			_, _ = fmt.Fprintf(w.in, `{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"_meta":{"x":"%s"}}}`+"\n", i+1, padding) // reading detects an error
			written.Add(1)
		}
	}()
	require.Eventually(t, func() bool { return written.Load() >= 256 }, testkit.Patience(10*time.Second), time.Millisecond)
	seen := map[any]bool{}
	for answered := range n {
		require.LessOrEqual(t, written.Load(), int64(answered+most)) // TestCallsInFlightAreLimited shows that the others wait
		id, code := w.read()
		require.Zero(t, code)
		require.False(t, seen[id])
		seen[id] = true
	}
}

// Calls that a model sends together are carried out in order, one after another.
func TestConcurrentCallsKeepTheirOrder(t *testing.T) {
	c := client(t, mcp.Options{})
	dir := t.TempDir()
	call(t, c, "console_exec", args{"code": "cd " + dir})
	w := newWire(t, "2025-06-18")
	const n = 20
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"console_exec","arguments":{"code":"echo %d >> order"}}}`, i+1, i+1))
	}
	w.write(strings.Join(lines, "\n"))
	for range n {
		_, code := w.read()
		require.Zero(t, code)
	}
	order, err := os.ReadFile(dir + "/order")
	require.NoError(t, err)
	assert.Equal(t, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20", strings.Join(strings.Fields(string(order)), " "))
}

// A call that is refused for its arguments, or canceled, delays no later call; and a canceled call
// has no answer.
func TestCanceledCallsDelayNoOthers(t *testing.T) {
	c := client(t, mcp.Options{})
	fifo := t.TempDir() + "/fifo"
	call(t, c, "console_exec", args{"code": "mkfifo " + fifo})
	w := newWire(t, "2025-06-18")
	w.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"console_exec","arguments":{"code":"cat ` + fifo + `"}}}`)
	w.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"console_exec","arguments":{"code":5}}}`)
	w.write(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"console_exec","arguments":{"code":"echo third"}}}`)
	w.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	w.write(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	id, _ := w.read()
	second, _ := w.read()
	require.ElementsMatch(t, []any{2.0, 4.0}, []any{id, second})
	require.NoError(t, os.WriteFile(fifo, []byte("text\n"), 0))
	id, _ = w.read()
	require.Equal(t, 1.0, id)
	assert.Contains(t, call(t, c, "console_exec", args{"code": "echo fourth"}), "[main #3] done exit=0", "the third was never run")
}

// Calls that follow console_send at once wait for the command that it typed to, and each answer is that of its own
// command.
func TestCallsWaitForAnAnsweredCommand(t *testing.T) {
	c := client(t, mcp.Options{})
	w := newWire(t, "2025-03-26")
	tool := func(id int, name, arguments string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"console_%s","arguments":{"console":"main",%s}}}`, id, name, arguments)
	}
	for i := range testkit.Times(t, 5, 15) { // rounds of a race
		require.Contains(t, call(t, c, "console_exec", args{"code": "read x; echo got $x"}), "waiting_for_input")
		w.write("[" + tool(1, "send", `"text":"in","keys":["enter"],"wait_s":50`) + "," + tool(2, "exec", `"code":"echo A"`) + "," + tool(3, "exec", `"code":"echo B"`) + "]")
		var answers []struct {
			Result struct{ Content []struct{ Text string } }
		}
		require.NoError(t, json.Unmarshal([]byte(w.answerLine()), &answers))
		for k, text := range []string{"got in", "A", "B"} {
			require.Regexp(t, fmt.Sprintf(`^\[main #%d\] done exit=0 .*\n.*\n%s\n`, 3*i+k+1, text), answers[k].Result.Content[0].Text)
		}
	}
}
