package mapping_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/internal/mapping"
	"example.org/ripple/schema"
)

// A value that shares its parts takes little memory, and its JSON any amount.
func TestSharedValues(t *testing.T) {
	const shared, large = `reduce range(26) as $i ("x"; [., .]) | `, "more than 64 MB as JSON"
	for name, program := range map[string]string{
		"tojson":                 shared + `{type: "text", text: tojson}`,
		"tostring":               shared + `{type: "text", text: tostring}`,
		"in a string":            shared + `{type: "text", text: "\(.)"}`,
		"@json":                  shared + `{type: "text", text: @json}`,
		"@html":                  shared + `{type: "text", text: @html}`,
		"@base64":                shared + `{type: "text", text: @base64}`,
		"format":                 shared + `{type: "text", text: format("json")}`,
		"in a string of another": shared + `{type: "text", text: @uri "\(.)"}`,
		"an object":              `reduce range(26) as $i ({}; {a: ., b: .}) | {type: "text", text: tojson}`,
		"what it yields":         shared + `{type: "text", text: .}`,
		"a tool's input":         shared + `{type: "tool_use", name: "x", input: .}`,
		"not an event":           shared + `.`,
		"in many events":         `("x" * 20000000) as $v | range(10) | {type: "text", text: $v}`,
		"an error":               shared + `error`,
		"the end":                shared + `halt_error`,
	} {
		t.Run(name, func(t *testing.T) {
			p, err := mapping.New(&schema.Agent{Output: schema.AgentOutput{Events: program}})
			require.NoError(t, err)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err = p.Line([]byte("{}"), nil)
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(512<<20), "bytes that were allocated, all in all")
			if name != "not an event" {
				assert.Contains(t, fmt.Sprintf("%.300v", err), large)
			}
		})
	}
}

// Functions that are bounded do what they did.
func TestBoundedFunctions(t *testing.T) {
	p, err := mapping.New(&schema.Agent{Output: schema.AgentOutput{Events: `{type: "text", text: ([.a, tojson] | (@json "\(.) \(.[0] | tostring)", (try format("nonsense") catch "none"), format("html"), (["x"] | @base64 "\(.[0])")) | tostring)}`}})
	require.NoError(t, err)
	events, err := p.Line([]byte(`{"a":"<1>"}`), nil)
	require.NoError(t, err)
	var texts []string
	for _, e := range events {
		texts = append(texts, e.Text)
	}
	assert.Equal(t, []string{`["<1>","{\"a\":\"<1>\"}"] "<1>"`, "none", "[&quot;&lt;1&gt;&quot;,&quot;{\\&quot;a\\&quot;:\\&quot;&lt;1&gt;\\&quot;}&quot;]", "eA=="}, texts)
}
