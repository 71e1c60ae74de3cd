package schema

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dlclark/regexp2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "example.org/ripple/schema/validate"
)

func TestMain(m *testing.M) {
	m.Run()
	regexp2.StopTimeoutClock()
}

// fields returns the keys of a struct with their types, inlined ones included.
func fields(t reflect.Type) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			maps.Copy(keys, fields(f.Type))
		case name != "-":
			keys[name] = f.Type
		}
	}
	return keys
}

// compareKeys walks the JSON Schema and the Go types together.
func compareKeys(t *testing.T, path string, k jsonObject, typ reflect.Type) {
	t.Helper()
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() == reflect.Slice {
		require.NotNil(t, k.items(), "%s is a list in Go", path)
		compareKeys(t, path+"[]", k.items(), typ.Elem())
		return
	}
	if typ.Kind() != reflect.Struct {
		return
	}
	want := slices.Sorted(maps.Keys(fields(typ)))
	assert.Equal(t, want, k.names(), "keys of %s: Go fields, JSON Schema", path)
	assert.Equal(t, false, k["additionalProperties"], "%s must refuse unknown keys", path)
	for name, f := range fields(typ) {
		if p := k.property(name); assert.NotNil(t, p, path+"."+name) {
			compareKeys(t, path+"."+name, p, f)
		}
	}
}

func TestEveryKeyHasAFieldAndEveryFieldAKey(t *testing.T) {
	compareKeys(t, "adapter", rootKeys(), reflect.TypeFor[Adapter]())
}

// eachKey calls f for every key of the JSON Schema below k.
func eachKey(path string, k jsonObject, f func(path string, k jsonObject)) {
	if items := k.items(); items != nil {
		eachKey(path+"[]", items, f)
	}
	for _, name := range k.names() {
		p := strings.TrimPrefix(path+"."+name, ".")
		f(p, k.property(name))
		eachKey(p, k.property(name), f)
	}
}

func TestEveryKeyIsDescribed(t *testing.T) {
	eachKey("", rootKeys(), func(path string, k jsonObject) {
		d, _ := k["description"].(string)
		assert.True(t, strings.HasSuffix(d, "."), "%s: description %q", path, d)
		if f, has := k["format"]; has {
			assert.Contains(t, formats, f, path)
		}
	})
}

// The defaults as a consumer of Adapter sees them. The JSON Schema must have the same; its
// defaults are compared with a loaded file below.
var defaults = map[string]any{
	"verified":                 true,
	"process.command_template": `"{shell_path}"`, "process.encoding": "utf-8", "process.inherit_environment": true, "process.line_ending": "\n",
	"process.tty.canonical": true, "process.tty.cols": 200, "process.tty.echo": true, "process.tty.replies": []any{"da1", "dsr"},
	"process.tty.rows": 50, "process.tty.term": "xterm-256color", "process.version.pattern": `(\d+\.\d+(\.\d+)?)`,
	"ready.output_settled_max_ms": 30000, "ready.output_settled_min_ms": 2000, "ready.output_settled_stable_ms": 1000,
	"init.strategy": "none", "init.hook_type": "none", "init.delivery": "none", "init.tempfile.prefix": ".ripple-integration-", "init.banner_injection.mode": "none",
	"prompt.shell_integration.protocol": "osc633", "prompt.shell_integration.property_updates.cwd_key": "Cwd", "prompt.group_captures[].type": "string",
	"output.strip_input_echo": true, "output.line_ending": "\r\n", "output.async_interleave.strategy": "none", "output.async_interleave.capture_as": "out_of_band",
	"input.multiline_detect": "prompt_based", "input.multiline_delivery": "direct", "input.multiline_wrapper.trigger": "auto", "input.line_charset": "utf-8", "input.empty_line": "send",
	"input.tempfile.prefix": ".ripple-exec-", "input.tempfile.stale_ttl_hours": 0, "input.tempfile.cleanup_on_start": true,
	"signals.interrupt": "\x03", "signals.eof": "\x04",
	"lifecycle.shutdown.grace_ms": 1000, "lifecycle.shutdown.force_signal": "kill",
	"capabilities.stateful": true, "capabilities.exit_code": "false", "capabilities.cwd_format": "none", "capabilities.user_busy_detection": "none",
	"tests[].timeout_ms": 15000,
	"agent.transport":    "pipe", "agent.prompt.deliver": "argument", "agent.prompt.max_argument_bytes": 100000,
	"agent.acp.version.pattern": `(\d+\.\d+(\.\d+)?)`, "agent.acp.permission.else": "ask", "agent.acp.start_ms": 120000,
	"agent.output.stream": "stdout", "agent.output.finish": "required", "agent.linger_ms": 5000,
	"agent.screen.quiet_ms": 400, "agent.screen.start_ms": 120000, "agent.screen.permission.else": "ask", "agent.screen.prompt.paste": true, "agent.screen.interrupt": []any{"\x03"}, "agent.screen.leave": []any{"\x03", "\x03"},
}

// bare declares each optional section and one item of each list, all empty.
const bare = `
schema: 1
name: bare
version: 0.1.0
description: Nothing but defaults
family: repl
process: {version: {}}
ready: {needs: {what: x, missing: x, server: {command: [x], ready: x}}}
init: {tempfile: {}, banner_injection: {}}
prompt: {strategy: shell_integration, primary: '^> $', shell_integration: {}, group_captures: [{name: g, group: 0}]}
output: {async_interleave: {}}
input: {multiline_wrapper: {open: a, close: b}, tempfile: {}}
modes: [{name: m, primary: '^> $'}]
tests: [{name: t, setup_sequence: [{eval: 1}]}]
`

const bareAgent = `
schema: 1
name: bare
version: 0.1.0
description: Nothing but defaults
family: agent
process: {}
agent:
  prompt: {}
  output: {format: json, events: .}
  acp: {executable: x, version: {}}
  failures: [{pattern: x, kind: auth}]
  screen: {states: [{state: ready, pattern: '^> '}], prompt: {submit: ["\r"]}}
  options: {model: [a], new_session: [a], resume: [a], context: [a], allowed_tools: [a], permission_mode: [a], max_turns: [a], directory: [a]}
tests: [{name: t, turn: {prompt: x}, expect_argv: [bare, x]}]
`

func TestDefaultsAreThoseOfTheJSONSchema(t *testing.T) {
	a, ds := Parse("bare", []byte(bare), Options{})
	require.Empty(t, render(ds))
	agent, ds := Parse("bare", []byte(bareAgent), Options{})
	require.Empty(t, render(ds))
	eachKey("", rootKeys(), func(path string, k jsonObject) {
		shown, has := k["default"]
		if _, isSection := shown.(map[string]any); !has || isSection {
			assert.NotContains(t, defaults, path)
			return
		}
		want, known := defaults[path]
		if !known { // the zero value
			assert.Contains(t, []any{false, 0.0}, shown, path)
			want = shown
		}
		assert.Equal(t, normal(t, want), normal(t, shown), "shown for %s", path)
		from := a
		if strings.HasPrefix(path, "agent.") || strings.HasPrefix(path, "tests[].turn.") {
			from = agent
		}
		assert.Equal(t, normal(t, want), normal(t, lookup(t, reflect.ValueOf(*from), path).Interface()), "loaded for %s", path)
	})
}

// lookup finds the value of a key in an adapter; "[]" is the first item.
func lookup(t *testing.T, v reflect.Value, path string) reflect.Value {
	t.Helper()
	for name := range strings.SplitSeq(path, ".") {
		name, isList := strings.CutSuffix(name, "[]")
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		v = field(v, name)
		require.True(t, v.IsValid(), path)
		if isList {
			v = v.Index(0)
		}
	}
	return v
}

func field(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		key, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if key == name {
			return v.Field(i)
		}
		if options == "inline" {
			if f := field(v.Field(i), name); f.IsValid() {
				return f
			}
		}
	}
	return reflect.Value{}
}

// normal makes numbers and named strings comparable.
func normal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestDefaultsThatDependOnOtherKeys(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		lineEnding string
		echo       EchoStrategy
		ready      ReadyEvent
	}{
		{"regex", "prompt: {strategy: regex, primary: '^> $'}", "\n", EchoDeterministicByte, ReadyRegex},
		{"marker", "prompt: {strategy: marker, primary: '^> $'}", "\n", EchoDeterministicByte, ReadyMarker},
		{"shell integration", "prompt: {strategy: shell_integration}", "\n", EchoOSCBoundaries, ReadyPromptStart},
		{"custom without a pattern, as v1 has it", "prompt: {strategy: regex, primary: x}\nready: {wait_for_event: custom}", "\n", EchoDeterministicByte, ReadyRegex},
		{"custom", "prompt: {strategy: regex, primary: x}\nready: {wait_for_event: custom, pattern: y}", "\n", EchoDeterministicByte, ReadyCustom},
		{"own values", "prompt: {strategy: regex, primary: x}\ninput: {line_ending: \"\\r\"}\noutput: {input_echo_strategy: none}\nready: {wait_for_event: marker}", "\r", EchoNone, ReadyMarker},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, ds := Parse("x", []byte("schema: 1\nname: x\nversion: 1.0.0\ndescription: d\nfamily: repl\nprocess: {}\ninit: {}\n"+c.keys), Options{})
			require.Empty(t, render(ds))
			assert.Equal(t, c.lineEnding, a.Input.LineEnding)
			assert.Equal(t, c.echo, a.Output.InputEchoStrategy)
			assert.Equal(t, c.ready, a.Ready.WaitForEvent)
		})
	}
	a, _ := Parse("x", []byte("schema: 1\nname: x\nversion: 1.0.0\ndescription: d\nfamily: repl\nprocess: {line_ending: \"\\r\\n\"}\ninit: {}\nprompt: {strategy: shell_integration}"), Options{})
	require.NotNil(t, a)
	assert.Equal(t, "\r\n", a.Input.LineEnding)
	assert.Equal(t, "Cwd", a.Prompt.ShellIntegration.PropertyUpdates.CwdKey)
}
