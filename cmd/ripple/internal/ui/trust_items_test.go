package ui

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		record, err := a.Trust.agreed(project)
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
process: {executable: sh, version: {args: [-c, in-version]}, env: {PS1: '> '}}
init: {strategy: regex}
prompt: {strategy: regex, primary: '^> $', continuation: '^more> $'}
input:
  multiline_detect: wrapper
  multiline_delivery: wrapper
  multiline_wrapper: {open: in-open, close: in-close, trigger: always}
  tempfile: {path_template: '{temp_dir}/in-path', invocation_template: '. {path} in-invocation'}
lifecycle: {shutdown: {command: in-shutdown}}
capabilities: {cd_command: 'in-cd {path}', cd_command_quote: single_quote_posix}
probe: {eval: in-probe, expect: x}
ready: {needs: {what: a server, missing: nothing, server: {prepare: [[in-prepare]], command: [in-server], ready: x}}}
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
  prompt: {deliver: argument}
  output: {format: text}
  acp: {executable: ./in-acp, args: [in-acp-args], permission: {else: deny}}
`
	ours, err := registry.Open(registry.Sources{})
	require.NoError(t, err)
	for text, want := range map[string][]string{
		shell: {"in-version", "in-open", "in-close", "in-path", "in-invocation", "in-shutdown", "in-cd", "in-probe", "in-prepare", "in-server", "1 test"},
		agent: {"in-args", "in-login", "in-acp", "in-acp-args"},
	} {
		a, diagnostics := schema.Parse("x.yaml", []byte(text), schema.Options{})
		require.NotNil(t, a, diagnostics)
		lines := strings.Join(adapterRuns(&registry.Entry{Adapter: a, Name: a.Name}, ours), "\n")
		for _, w := range want {
			assert.Contains(t, lines, w)
		}
	}
}

// Characters that look like blanks cannot push the text of a project out of sight.
func TestBlanksOfAllKindsAreShown(t *testing.T) {
	for _, r := range "\u00a0\u2800\u3000\u3164\U0001d159\U00013441\U00013442" {
		assert.Equal(t, fmt.Sprintf(`a\u{%x}b`, r), plainText("a"+string(r)+"b"))
	}
}

// The approval of a run's record shows the task that --resume would give to the agent.
func TestTheTaskOfARunIsShown(t *testing.T) {
	lines := runLines(&record.Settings{Agent: "x", Prompt: "the task", PromptFile: "/p/task.md", Model: "m", Transport: "acp"})
	assert.Equal(t, []string{"ripple run --resume continues with the agent x", "its task: the task", "its task is in the file: /p/task.md", "model: m", "transport: acp"}, lines)
}
