package mapping

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// event converts a value that the program yielded to an Event.
func (p *Program) event(v any) (event.Event, error) {
	m, isObject := v.(map[string]any)
	if !isObject {
		return event.Event{}, fmt.Errorf("it yields %s; expected an object with a type", short(v))
	}
	name := text(m["type"])
	if !slices.Contains(types, name) {
		return event.Event{}, fmt.Errorf("it yields the type %q; expected one of %v", name, types)
	}
	if err := onlyKnown(m); err != nil {
		return event.Event{}, err
	}
	e := event.Event{
		Type: event.Type(name), ID: text(m["id"]), Text: text(m["text"]), Delta: m["delta"] == true,
		Name: text(m["name"]), Content: text(m["content"]), Detail: text(m["detail"]), IsError: m["is_error"] == true,
		Message: text(m["message"]), Fatal: m["fatal"] == true, Kind: event.Kind(text(m["kind"])),
		Result: text(m["result"]), DurationMS: number(m["duration_ms"]),
	}
	switch e.Type {
	case event.Usage:
		e.Tokens = &event.Tokens{
			Input: number(m["input"]), Output: number(m["output"]), CacheRead: number(m["cache_read"]),
			CacheWrite: number(m["cache_write"]), CostUSD: float(m["cost_usd"]), Scope: text(m["scope"]),
		}
	case event.ToolUse, event.PermissionDenied:
		e.Tool = p.Tool(e.Name)
		if input, has := m["input"]; has && input != nil {
			b, err := json.Marshal(input)
			if err != nil {
				return e, fmt.Errorf("the tool's input: %w", err)
			}
			e.Input = b
		}
	case event.RateLimited:
		e.ResetsAt = when(m["resets_at"])
	case event.Finished:
		e.CostUSD = float(m["cost_usd"])
		e.ResetsAt = when(m["resets_at"])
	}
	return e, nil
}

var types = schema.EventTypes()

// eventKeys are the keys that events of every type may have. A mapping may return an event that
// ripple made; its keys tool and raw are then ignored.
var eventKeys = []string{
	"type", "id", "text", "delta", "name", "input", "content", "detail", "is_error", "message", "fatal", "kind", "result",
	"duration_ms", "cost_usd", "resets_at", "output", "cache_read", "cache_write", "scope", "tool", "raw",
}

// onlyKnown rejects a misspelled key, whose value would otherwise be lost silently.
func onlyKnown(m map[string]any) error {
	for key := range m {
		if !slices.Contains(eventKeys, key) {
			return fmt.Errorf("it yields an event with the unknown key %q%s", key, schema.Suggest(key, eventKeys))
		}
	}
	return nil
}

// Tool returns the common name of one of the agent's tools; empty if unknown.
func (p *Program) Tool(name string) event.Tool {
	if t, known := p.tools[name]; known {
		return event.Tool(t)
	}
	if name == "" {
		return ""
	}
	return event.ToolOther
}

// text returns a string unchanged and any other value as JSON: a tool's result may be an object.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// float returns an amount. A value that is not a valid amount, or has no JSON form, counts as
// missing: one infinite cost would make the whole event unprintable.
func float(v any) float64 {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case int:
		f = float64(v)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		return 0
	}
	return f
}

func number(v any) int64 {
	f := float(v)
	if f > 1<<53 {
		return 0
	}
	return int64(f)
}

// millis separates seconds from milliseconds since 1970: as seconds it is in the year 5138, so
// that a larger number means milliseconds.
const millis = 1e11

// when reads seconds or milliseconds since 1970, or RFC 3339.
func when(v any) time.Time {
	if s, is := v.(string); is {
		t, err := time.Parse(time.RFC3339, s)
		if t = t.UTC(); err != nil || t.Year() < 0 || t.Year() > 9999 { // in UTC; other years have no JSON form
			return time.Time{} // missing
		}
		return t
	}
	f := float(v)
	switch {
	case f == 0 || f > millis*1000:
		return time.Time{}
	case f >= millis:
		return time.UnixMilli(int64(f)).UTC()
	}
	seconds, rest := math.Modf(f)
	return time.Unix(int64(seconds), int64(rest*1e9)).UTC()
}

func short(v any) string {
	s := text(v)
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
