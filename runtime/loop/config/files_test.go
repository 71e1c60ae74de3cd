package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/schema"
)

// Settings by which a file runs commands need confirmation; those that only limit a run do not.
func TestWhatFilesOfAProjectRun(t *testing.T) {
	tests := []struct {
		name, file, text string
		want             []string
	}{
		{"limits of a .ralphrc", ".ralphrc", "MAX_TURNS=5\nexport CLAUDE_TIMEOUT_MINUTES='9'\nOTHER=x\n#VERIFY=$(x)\n", nil},
		{"a command of a .ralphrc", ".ralphrc", "MAX_TURNS=5\nVERIFY='a; b'\n", []string{"VERIFY='a; b'"}},
		{"an agent of a .ralphrc", ".ralphrc", "export PLATFORM_DRIVER=x\n", []string{"PLATFORM_DRIVER=x"}},
		{"a value made of others", ".ralphrc", "A=evil\n\nMAX_TURNS=$A\nA=fine\n", []string{"A=evil", "MAX_TURNS=$A", "A=fine"}},
		{"the inner .ralphrc", ".ralph/.ralphrc", "ON_QUESTION=x\n", []string{"ON_QUESTION=x"}},
		{"limits of a ripple.yml", "ripple.yml", "loop: {max_turns: 5}\nevent_loop: {max_runtime_seconds: 9}\ncli: {idle_timeout_secs: 9}\n", nil},
		{"commands of a ripple.yml", "ripple.yml", "loop: {verify: [a, b]}\n", []string{"loop.verify: a\nb"}},
		{"a prompt file", "ripple.yml", "event_loop: {prompt_file: /x}\n", []string{"event_loop.prompt_file: /x"}},
		{"an agent", "ripple.yml", "cli: {backend: x}\n", []string{"cli: backend x "}},
		{"a program", "ripple.yml", "cli: {backend: custom, command: ./x, args: [-y]}\n", []string{"cli: ./x -y "}},
		{"an agent that is left out", "ripple.yml", "adapters: {claude: {enabled: false}}\n", []string{"adapters.claude.enabled: false"}},
		{
			"a role without instructions, whose description takes their place", "ripple.yml",
			"hats: {b: {name: B, triggers: [work.start], description: do that, args: [-x, 'y z'], model: m}}\n",
			[]string{"hats.b.name: B", "hats.b.description: do that", "hats.b.triggers: work.start", "hats.b.model: m", `hats.b.args: -x "y z"`},
		},
		{
			"roles", "ripple.yml", "loop: {max_turns: 5}\nhats: {b: {name: B, triggers: [work.start], instructions: do, verify: [x], backend: y}}\n",
			[]string{"hats.b.name: B", "hats.b.triggers: work.start", "hats.b.instructions: do", "hats.b.verify: x", "hats.b.backend: y"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(dir, ".ralph"), 0o700))
			path := filepath.Join(dir, tt.file)
			require.NoError(t, os.WriteFile(path, []byte(tt.text), 0o600))
			files := Files(dir)
			require.Len(t, files, 1)
			require.NoError(t, files[0].Err)
			assert.Equal(t, path, files[0].Path)
			assert.Equal(t, tt.text, string(files[0].Text))
			assert.Equal(t, tt.want, files[0].Runs)
		})
	}
	assert.Empty(t, Files(t.TempDir()))
}

// Each text of a hat reaches an agent or runs something, so each is shown: a new field cannot be forgotten.
func TestEveryTextOfAHatIsShown(t *testing.T) {
	shown := func(value string, lines []string) {
		t.Helper()
		assert.True(t, slices.ContainsFunc(lines, func(line string) bool { return strings.HasSuffix(line, value) }), "%s: %q", value, lines)
	}
	for i := range reflect.TypeFor[hats.Hat]().NumField() {
		var h hats.Hat
		of := reflect.ValueOf(&h).Elem().Field(i)
		name := reflect.TypeFor[hats.Hat]().Field(i).Name
		switch of.Interface().(type) {
		case string:
			of.SetString("in-" + name)
		case []string:
			of.Set(reflect.ValueOf([]string{"x", "in-" + name}))
		case int, float64, time.Duration:
			continue
		default:
			t.Errorf("%s: hatRuns does not show fields of this type", name)
		}
		if name != "Key" { // which precedes each line
			shown("in-"+name, hatRuns(h))
		}
	}
	for i := range reflect.TypeFor[schema.ProjectHat]().NumField() {
		var h schema.ProjectHat
		of := reflect.ValueOf(&h).Elem().Field(i)
		name := reflect.TypeFor[schema.ProjectHat]().Field(i).Name
		switch of.Interface().(type) {
		case string:
			of.SetString("in-" + name)
		case []string:
			of.Set(reflect.ValueOf([]string{"in-" + name}))
		case schema.ProjectBackend:
			h.Backend = schema.ProjectBackend{Type: "in-" + name, Model: "in-model", Args: []string{"in-args"}}
			shown("in-model", hatRuns(hatOf(h)))
			shown("in-args", hatRuns(hatOf(h)))
		default:
			continue
		}
		if name != "Key" {
			shown("in-"+name, hatRuns(hatOf(h)))
		}
	}
}

// Each limit must be a setting: a typing error here would let one through, or ask needlessly.
func TestLimitsAreSettings(t *testing.T) {
	for _, name := range limits {
		s, known := lookupSetting(name)
		assert.True(t, known, name)
		assert.Equal(t, s.Name, name)
	}
}

func TestAFileThatCannotBeUsedSaysWhy(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ripple.yml"), []byte("nonsense: 1\n"), 0o600))
	files := Files(dir)
	require.Len(t, files, 1)
	assert.ErrorContains(t, files[0].Err, "nonsense")
}
