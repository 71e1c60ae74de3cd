package acp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

const modesAdapter = `
schema: 1
name: modes
version: 1.0.0
description: has modes
family: agent
process: {executable: "true"}
agent:
  transport: stdio
  args: [--json]
  prompt: {deliver: stdin}
  options:
    permission_mode: {default: yolo, values: {yolo: [--yolo], careful: []}}
  output: {format: text}
  acp: {args: [acp]}
tests: []
`

// told returns what a server answers to requests.
func told(t *testing.T, o Options, requests ...string) string {
	t.Helper()
	var out bytes.Buffer
	all := append([]string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`}, requests...)
	require.NoError(t, New(o).Serve(t.Context(), strings.NewReader(strings.Join(all, "\n")+"\n"), &out))
	return out.String()
}

// A client gets the modes of a single turn with its session, and can choose one of them.
func TestModesOfATurn(t *testing.T) {
	whole, ds := schema.Parse("modes", []byte(modesAdapter), schema.Options{})
	require.Empty(t, ds)
	dir, err := json.Marshal(t.TempDir())
	require.NoError(t, err)
	begin := `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":` + string(dir) + `,"mcpServers":[]}}`
	for way, want := range map[string]string{
		schema.TransportStdio: `"currentModeId":"yolo"`,
		schema.TransportACP:   `"currentModeId":"ask"`,
	} {
		a, err := whole.WithTransport(way)
		require.NoError(t, err)
		assert.Contains(t, told(t, Options{Agent: a}, begin), want)
	}
	assert.NotContains(t, told(t, Options{}, begin), "modes", "a loop has those of its settings")

	var a *schema.Adapter
	a, err = whole.WithTransport(schema.TransportStdio)
	require.NoError(t, err)
	s := New(Options{Agent: a})
	ss := &session{Server: s, id: "s"}
	s.sessions["s"], s.greeted = ss, true
	var sent []string
	s.conn.Send = func(b []byte) { sent = append(sent, string(b)) }
	ss.began()
	assert.Empty(t, ss.permissionMode(), "the adapter's own")
	s.line([]byte(`{"jsonrpc":"2.0","id":3,"method":"session/set_mode","params":{"sessionId":"s","modeId":"careful"}}`))
	assert.Equal(t, "careful", ss.permissionMode())
	s.line([]byte(`{"jsonrpc":"2.0","id":4,"method":"session/set_mode","params":{"sessionId":"s","modeId":"wild"}}`))
	require.Len(t, sent, 2)
	assert.Contains(t, sent[0], `"result":{}`)
	assert.Contains(t, sent[1], `unknown mode \"wild\": use one of careful, yolo`)
	assert.Equal(t, "careful", ss.permissionMode())
}

// MCP servers of the client are passed to agents that speak the protocol; for other
// agents, the client is informed.
func TestServersOfTheClient(t *testing.T) {
	whole, ds := schema.Parse("modes", []byte(modesAdapter), schema.Options{})
	require.Empty(t, ds)
	servers := []json.RawMessage{
		json.RawMessage(`{"name":"files","command":"files","args":[],"env":[]}`),
		json.RawMessage(`{"name":"web","type":"http","url":"http://localhost","headers":[]}`),
	}
	a, err := whole.WithTransport(schema.TransportACP)
	require.NoError(t, err)
	ss := &session{Server: New(Options{Agent: a}), servers: servers}
	assert.Equal(t, servers[:1], ss.handedOn())
	assert.Equal(t, "MCP servers of the editor that are not used: web. Only servers over stdio are passed on.", ss.unusedServers())
	ss.Server = New(Options{})
	assert.Empty(t, ss.handedOn())
	assert.Contains(t, ss.unusedServers(), "not used: files, web")
	ss.servers = nil
	assert.Empty(t, ss.unusedServers())
}
