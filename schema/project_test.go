package schema

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseProject(t *testing.T) {
	p, diags := ParseProject("ripple.yml", []byte(`
cli:
  backend: custom
  command: my-ai
  args: [--headless, --json]
  prompt_mode: arg
  prompt_flag: --prompt
  default_mode: autonomous
  idle_timeout_secs: 30
  output: json
  resume: [--resume, "{session_id}"]
adapters:
  one: {enabled: false, timeout: 300}
  two: {}
loop:
  max_turns: 08
  verify: [make test, "make lint"]
  cb_auto_reset: true
  max_runtime: 2h
`))
	require.Empty(t, diags)
	assert.Equal(t, ProjectCLI{"custom", "my-ai", []string{"--headless", "--json"}, "arg", "--prompt", "autonomous", 30, false, "json", []string{"--resume", "{session_id}"}}, p.CLI)
	no := false
	assert.Equal(t, map[string]ProjectAdapter{"one": {&no, 300}, "two": {}}, p.Adapters)
	assert.Equal(t, map[string][]string{
		"max_turns": {"08"}, "verify": {"make test", "make lint"}, "cb_auto_reset": {"true"}, "max_runtime": {"2h"},
	}, p.Loop)
	assert.Equal(t, Position{17, 3}, p.Position("loop", "verify"))
	assert.Equal(t, Position{3, 3}, p.Position("cli", "backend"))
}

func TestParseProjectMayBeEmpty(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "loop: {max_runtime: 0, max_wait: 90, verify_timeout: 15m}", "cli:\nadapters:\nloop:\n", "{}"} {
		p, diags := ParseProject("ripple.yml", []byte(text))
		assert.Empty(t, diags, text)
		assert.NotNil(t, p, text)
	}
}

func TestParseProjectErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"cli: {bakend: auto}", `ripple.yml:1:7: unknown key "bakend" in cli (did you mean "backend"?) [unknown-key]`},
		{"clli: {}", `ripple.yml:1:1: unknown key "clli" in the file (did you mean "cli"?) [unknown-key]`},
		{"loop:\n  max_turn: 3", `ripple.yml:2:3: unknown key "max_turn" in loop (did you mean "max_turns"?) [unknown-key]`},
		{"adapters:\n  a: {enable: true}", `ripple.yml:2:7: unknown key "enable" in adapters.a (did you mean "enabled"?) [unknown-key]`},
		{"adapters:\n  a: {timeout: soon}", `ripple.yml:2:16: adapters.a.timeout must be a whole number, found the string "soon" [type]`},
		{"adapters: [a]", `ripple.yml:1:11: adapters must be a mapping, found a list [type]`},
		{"cli: {prompt_mode: pipe}", `ripple.yml:1:20: cli.prompt_mode cannot be the string "pipe"; one of arg, stdin [enum]`},
		{"cli: {backend: custom}", `ripple.yml:1:16: backend: custom needs cli.command [conflict]`},
		{"cli: {backend: custom, command: x, resume: ['--resume={session_id}']}", `ripple.yml:1:44: plain text reports no session to continue: resume needs output: json [conflict]`},
		{"cli: {backend: custom, command: x, output: json, resume: [-c]}", `ripple.yml:1:58: resume does not name the session: one of its arguments must contain {session_id} [conflict]`},
		{"cli: {backend: x, command: y}", `ripple.yml:1:28: cli.command needs backend: custom [conflict]`},
		{"loop: {max_turns: 0}", `ripple.yml:1:19: loop.max_turns must lie between 1 and 1000000, found 0 [value]`},
		{"loop: {commit: yes}", `ripple.yml:1:16: loop.commit must be true or false, found the string "yes" (did you mean "true"?) [type]`},
		{"[]", `ripple.yml:1:1: ripple.yml must be a mapping of keys to values, found a list [syntax]`},
		{"cli: {\n", `ripple.yml:1:6: this "{" is never closed; inside {…} and […], text that holds { } [ ] , # or ": " needs quotes: '…' [syntax]`},
	}
	for _, tt := range tests {
		p, diags := ParseProject("ripple.yml", []byte(tt.text))
		assert.Nil(t, p)
		if assert.NotEmpty(t, diags, tt.text) {
			assert.Equal(t, tt.want, diags[0].String())
		}
	}
}

func TestProjectJSONIsASchema(t *testing.T) {
	assert.True(t, json.Valid(ProjectJSON()))
	assert.NotNil(t, projectGrammar.validator())
}

func FuzzParseProject(f *testing.F) {
	f.Add("cli: {backend: auto}\nloop: {verify: [a]}\n")
	f.Add("loop: &a\n  verify: *a\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, diags := ParseProject("f", []byte(text))
		assert.Equal(t, p == nil, len(diags) > 0)
	})
}
