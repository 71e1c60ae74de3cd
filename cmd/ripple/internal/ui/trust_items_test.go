package ui

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/trust"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate"
)

// Only the text that ripple wrote is approved, not that of another program which replaced the file meanwhile.
func TestOwnSettingsAreThoseThatWereWritten(t *testing.T) {
	const written, other = "loop: {verify: [make test]}\n", "loop: {verify: [make other]}\n"
	for text, approved := range map[string]bool{written: true, other: false} {
		project, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		t.Setenv("XDG_STATE_HOME", t.TempDir())
		require.NoError(t, os.WriteFile(filepath.Join(project, config.ProjectFile), []byte(text), 0o600))
		a := NewApp(nil, io.Discard, io.Discard, func(error) {})
		a.Trust.OwnSettings(project, config.ProjectFile, []byte(written))
		record, err := a.Trust.Agreed(project)
		require.NoError(t, err)
		assert.Equal(t, approved, len(record.Missing(SettingsItems(config.Files(project)))) == 0, text)
	}
}

// The approval of an adapter shows what it types and all programs that it starts, not only its command line.
func TestTypedTextOfAnAdapterIsShown(t *testing.T) {
	const shell = `schema: 1
name: x
version: 0.1.0
description: looks harmless
family: shell
process: {executable: sh, version: {args: [-c, in-version]}, env: {PS1: '> '}, prompt_template: '$(in-ps1)> ', args: [-c, "in-process-args\n"]}
init: {strategy: regex, marker: {primary: in-marker}}
prompt: {strategy: regex, primary: '^> $', continuation: '^more> $'}
input:
  multiline_detect: wrapper
  multiline_delivery: wrapper
  multiline_wrapper: {open: in-open, close: in-close, trigger: always}
  tempfile: {path_template: '{temp_dir}/in-path', invocation_template: '. {path} in-invocation {history_filter}', history_filter: in-filter}
  clear_line: "in-clear\n"
signals: {interrupt: "in-interrupt\n"}
commands: {debugger: {step_in: in-step}}
lifecycle: {shutdown: {command: in-shutdown}}
capabilities: {cd_command: 'in-cd {path}', cd_command_quote: single_quote_posix}
probe: {eval: in-probe, expect: x}
ready: {needs: {what: a server, missing: nothing, server: {path: [in-server-path], env: {X: in-server-env}, args: [in-server-args], prepare: [[in-prepare]], command: [in-server], ready: x}}}
tests: [{name: a, eval: b, expect: c}]
`
	const agent = `schema: 1
name: x
version: 0.1.0
description: looks harmless
family: agent
process: {executable: sh}
agent:
  display_name: X
  args: [in-args]
  auth: {status: {args: [-c, in-login], logged_out: never}}
  prompt: {deliver: argument, overflow: stdin, flag: in-flag, stdin_args: [-c, in-stdin-args]}
  options:
    new_session: [-c, in-new-session]
    permission_mode: {values: {in-mode: [in-values]}, default: in-mode}
    allowed_tools: {limit: '["in-limit"]'}
  output: {format: text}
  unset_env: [in-unset]
  state: [in-state/]
  hosts: [in-host]
  screen:
    args: [in-screen-args]
    permission: {else: ask}
    prompt: {submit: [in-submit]}
    interrupt: [in-keys]
    leave: [in-leave]
    states: [{state: ready, pattern: x}, {state: asks, pattern: y, answers: {allow: [in-answer]}}]
  acp: {executable: ./in-acp, args: [in-acp-args], permission: {else: deny}}
`
	ours, err := registry.Open(registry.Sources{})
	require.NoError(t, err)
	for text, want := range map[string][]string{
		shell: {
			"in-version", "in-open", "in-close", "in-path", "in-invocation", "in-filter", "in-shutdown", "in-cd", "in-probe", "in-prepare", "in-server", "1 test",
			"in-ps1", `"in-process-args\n"`, "in-marker", `"in-clear\n"`, `"in-interrupt\n"`, "in-step", "in-server-path", "in-server-env", "in-server-args",
		},
		agent: {
			"in-args", "in-login", "in-acp", "in-acp-args", "in-flag", "in-stdin-args",
			"in-new-session", "in-mode", "in-values", "in-limit", "in-unset", "in-state/", "in-host", "in-screen-args", "in-submit", "in-keys", "in-leave", "in-answer",
		},
	} {
		a, diagnostics := schema.Parse("x.yaml", []byte(text), schema.Options{})
		require.NotNil(t, a, diagnostics)
		lines := strings.Join(adapterRuns(&registry.Entry{Adapter: a, Name: a.Name}, ours), "\n")
		for _, w := range want {
			assert.Contains(t, lines, w)
		}
	}
}

// A key of an adapter file is shown, unless it is known to be harmless: a new key cannot be forgotten.
func TestEveryTextOfAnAdapterIsShown(t *testing.T) {
	a := &schema.Adapter{}
	fillTexts("", reflect.ValueOf(a).Elem())
	ours, err := registry.Open(registry.Sources{})
	require.NoError(t, err)
	lines := adapterRuns(&registry.Entry{Adapter: a, Name: a.Name}, ours)

	var root map[string]any
	require.NoError(t, json.Unmarshal(schema.AdapterJSON(), &root))
	used := map[string]bool{}
	keys := 0
	eachKey(root, root, "", func(key string, isText bool) {
		for at := key; at != ""; at = at[:max(0, strings.LastIndexByte(at, '.'))] {
			used[at] = true
			if harmlessKeys[at] {
				return
			}
		}
		if !isText {
			return
		}
		keys++
		assert.True(t, slices.ContainsFunc(lines, func(line string) bool {
			shown, value, _ := strings.Cut(line, ": ")
			return (shown == key || strings.HasPrefix(shown, key+".")) && strings.Contains(value, "in-"+key)
		}), key)
	})
	assert.Greater(t, keys, 60)
	for key := range harmlessKeys {
		assert.True(t, used[key], "%s is not a key", key)
	}
}

// fillTexts sets each text below a key of an adapter to "in-" and the key.
func fillTexts(key string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillTexts(key, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
			switch {
			case options == "inline":
				fillTexts(key, v.Field(i))
			case name != "-":
				fillTexts(strings.TrimPrefix(key+"."+name, "."), v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillTexts(key, v.Index(0))
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.Interface {
			break
		}
		value := reflect.New(v.Type().Elem()).Elem()
		fillTexts(key, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), value)
	case reflect.String:
		v.SetString("in-" + key)
	}
}

// eachKey calls f for each key of a JSON Schema. isText: its value is a text, or a list or mapping of texts.
func eachKey(root, rule map[string]any, key string, f func(key string, isText bool)) {
	if ref, is := rule["$ref"].(string); is {
		var at any = root
		for token := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			at = at.(map[string]any)[token]
		}
		rule = at.(map[string]any)
	}
	if key == "commands.debugger" { // a mapping of texts whose keys are known
		f(key, true)
		return
	}
	if key != "" {
		f(key, strings.Contains(fmt.Sprint(rule["type"]), "string"))
	}
	properties, _ := rule["properties"].(map[string]any)
	for name, property := range properties {
		eachKey(root, property.(map[string]any), strings.TrimPrefix(key+"."+name, "."), f)
	}
	for _, below := range []string{"items", "additionalProperties"} {
		if of, is := rule[below].(map[string]any); is {
			eachKey(root, of, key, f)
		}
	}
	for _, below := range []string{"oneOf", "anyOf"} {
		choices, _ := rule[below].([]any)
		for _, of := range choices {
			eachKey(root, of.(map[string]any), key, f)
		}
	}
}

// Characters that look like blanks cannot push the text of a project out of sight.
func TestBlanksOfAllKindsAreShown(t *testing.T) {
	for _, r := range "\u00a0\u2800\u3000\u3164\U0001d159\U00013441\U00013442" {
		assert.Equal(t, fmt.Sprintf(`a\u{%x}b`, r), plainText("a"+string(r)+"b"))
	}
}

// A value of a project is one line, so that it does not look like another item or another value.
func TestAValueIsOneLine(t *testing.T) {
	const forged = "x\n.ripple/adapters/z.yaml (approved)\n  starts: true\x1b[31m"
	a := &schema.Adapter{Name: "a", Agent: &schema.Agent{Args: []string{"b c", forged}, Env: map[string]string{"A": forged}, AgentNeeds: schema.AgentNeeds{State: []string{"plain/"}}}}
	a.Process.Executable = forged
	ours, err := registry.Open(registry.Sources{})
	require.NoError(t, err)
	items := []trust.Item{
		trust.New(trust.Adapter, "/p/a.yaml", adapterRuns(&registry.Entry{Adapter: a, Name: a.Name}, ours)),
		trust.New(trust.Settings, "/p/b.yaml", []string{"loop.verify: " + forged, "VERIFY=" + forged, "k\ney: " + forged, "one: line"}),
		trust.New(trust.Run, "/p/c", runLines(&record.Settings{Agent: "x", Prompt: forged})),
		{Kind: trust.Settings, Path: "/p/d", Broken: forged},
	}
	var shown strings.Builder
	ShowItems(&shown, trust.Record{Project: "/p"}, items)
	const quoted = `"x\n.ripple/adapters/z.yaml (approved)\n  starts: true\x1b[31m"`
	assert.Equal(t, strings.Join([]string{
		"a.yaml", "  starts: " + quoted, "  agent.args: 'b c' " + quoted, "  agent.env.A: " + quoted, "  agent.state: plain/",
		"b.yaml", "  loop.verify: " + quoted, "  VERIFY=" + quoted, "  " + strconv.Quote("k\ney: "+forged), "  one: line",
		"c", "  ripple run --resume continues with the agent x", "  its task: " + quoted,
		"d (not used: x", "  | .ripple/adapters/z.yaml (approved)", `  |   starts: true\u{1b}[31m)`, "",
	}, "\n"), shown.String())
}

// The approval of a run's record shows the task that --resume would give to the agent.
func TestTheTaskOfARunIsShown(t *testing.T) {
	lines := runLines(&record.Settings{Agent: "x", Prompt: "the task", PromptFile: "/p/task.md", Model: "m", Transport: "acp"})
	assert.Equal(t, []string{"ripple run --resume continues with the agent x", "its task: the task", "its task is in the file: /p/task.md", "model: m", "transport: acp"}, lines)
}
