package agent

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// said is the result of an agent's bytes: events, and the messages sent to it.
type said struct {
	events []event.Event
	sent   []string
}

func listen(t *testing.T, pieces ...[]byte) (got said) {
	t.Helper()
	a := &schema.Adapter{Name: "fake", Agent: &schema.Agent{
		Transport: schema.TransportACP, Output: schema.AgentOutput{Format: schema.FormatNDJSON, Stream: "stdout"},
		ACP: &schema.AgentACP{Permission: schema.AgentPermission{Allow: []string{"bash(git *)"}, Else: schema.PermissionAsk}},
	}}
	k, err := newTalk(t.Context(), a, Turn{}, "go", Options{OnEvent: func(e event.Event) { got.events = append(got.events, e) }})
	require.NoError(t, err)
	k.send = func(b []byte) { got.sent = append(got.sent, string(b)) }
	k.client.Start()
	for _, piece := range pieces {
		k.r.write(piece)
	}
	k.r.close()
	k.end()
	return got
}

// FuzzTalk: for any output of the agent, and however it is split, the events and our messages are
// the same; each message is JSON on one line, and no request of the agent is answered twice.
func FuzzTalk(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}` + "\n" +
		`{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"execute","rawInput":{"command":"git x"}},"options":[{"optionId":"y","kind":"allow_once"}]}}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}` + "\n" + `{"jsonrpc":"2.0","id":4,"result":{}}` + "\n"))
	files, err := filepath.Glob("testdata/acp/*.txt")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(bytes.ReplaceAll(data, []byte("> {"), []byte("{")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			t.Skip()
		}
		whole := listen(t, data)
		single := make([][]byte, len(data))
		for i := range data {
			single[i] = data[i : i+1]
		}
		assert.Equal(t, whole, listen(t, single...))
		for _, line := range whole.sent {
			assert.True(t, json.Valid([]byte(line)))
			assert.Equal(t, 1, bytes.Count([]byte(line), []byte("\n")))
		}
	})
}
