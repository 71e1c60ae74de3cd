package event_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
)

func TestOneLineForm(t *testing.T) {
	for line, e := range map[string]event.Event{
		`{"type":"session","id":"s-1"}`:   {Type: event.Session, ID: "s-1"},
		`{"type":"text","text":"grüß\n"}`: {Type: event.Text, Text: "grüß\n"},
		`{"type":"tool_use","id":"t","tool":"bash","name":"Bash","input":{"command":"ls"}}`:   {Type: event.ToolUse, ID: "t", Tool: "bash", Name: "Bash", Input: json.RawMessage(`{"command":"ls"}`)},
		`{"type":"tool_result","id":"t","content":"x","is_error":true}`:                       {Type: event.ToolResult, ID: "t", Content: "x", IsError: true},
		`{"type":"usage","input":1,"output":2,"cache_read":3,"cost_usd":0.5}`:                 {Type: event.Usage, Tokens: &event.Tokens{Input: 1, Output: 2, CacheRead: 3, CostUSD: 0.5}},
		`{"type":"rate_limited","message":"wait","resets_at":"2026-01-02T03:04:05Z"}`:         {Type: event.RateLimited, Message: "wait", ResetsAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		`{"type":"finished","is_error":true,"kind":"auth","result":"no key","cost_usd":0.25}`: {Type: event.Finished, IsError: true, Kind: event.Auth, Result: "no key", CostUSD: 0.25},
		`{"type":"unknown","raw":"{\"type\":\"new\"}"}`:                                       {Type: event.Unknown, Raw: `{"type":"new"}`},
	} {
		b, err := json.Marshal(e)
		require.NoError(t, err)
		assert.Equal(t, line, string(b))
		var back event.Event
		require.NoError(t, json.Unmarshal(b, &back))
		assert.Equal(t, e, back)
	}
}

func TestCumulativeCounters(t *testing.T) {
	before := event.Tokens{Input: 100, Output: 20, CacheRead: 5, CostUSD: 1}
	after := event.Tokens{Input: 250, Output: 50, CacheRead: 5, CostUSD: 1.5}
	assert.Equal(t, event.Tokens{Input: 150, Output: 30, CostUSD: 0.5}, after.Since(before))
	assert.Equal(t, before, before.Since(after), "a counter that was restarted")
	assert.Equal(t, event.Tokens{Input: 350, Output: 70, CacheRead: 10, CostUSD: 2.5}, before.Add(after))
}

func TestSumUSD(t *testing.T) {
	assert.Equal(t, 0.3, event.SumUSD(0.1, 0.2))
	assert.Equal(t, 0.3, event.SumUSD(0.1, 0.1, 0.1))
	assert.Equal(t, event.Tokens{CostUSD: 0.3}, event.Tokens{CostUSD: 0.1}.Add(event.Tokens{CostUSD: 0.2}))
	assert.Equal(t, event.Tokens{CostUSD: 0.1}, event.Tokens{CostUSD: 0.3}.Since(event.Tokens{CostUSD: 0.2}))
}
