package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/schema"
)

// sources are what a test of the configuration writes.
type sources struct {
	flags, env        map[string]string
	yml, inner, outer string
}

func (s sources) load(t *testing.T) (*Config, []string, error) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, layout.Dir), 0o755))
	for name, content := range map[string]string{ProjectFile: s.yml, layout.Dir + "/" + layout.RCFile: s.inner, layout.RCFile: s.outer} {
		if content != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
		}
	}
	c, notes, err := Load(dir, s.flags, func(n string) string { return s.env[n] })
	shortPaths := func(text string) string { return strings.ReplaceAll(text, dir+string(filepath.Separator), "") }
	for i := range notes {
		notes[i] = shortPaths(notes[i])
	}
	if c != nil {
		for n, from := range c.sources {
			from.From = shortPaths(from.From)
			c.sources[n] = from
		}
		for n, a := range c.adapters {
			a.at = shortPaths(a.at)
			c.adapters[n] = a
		}
	}
	if err != nil {
		err = errorText(shortPaths(err.Error()))
	}
	return c, notes, err
}

type errorText string

func (e errorText) Error() string { return string(e) }

func TestConfigDefaults(t *testing.T) {
	c, notes, err := sources{}.load(t)
	require.NoError(t, err)
	assert.Empty(t, notes)
	assert.False(t, c.IsSet("MAX_TURNS"))
	c.sources, c.adapters, c.hatPlaces, c.expanded = nil, nil, nil, nil
	assert.Equal(t, &Config{
		Backend: "auto", Timeout: 15 * time.Minute,
		AllowedTools: strings.Split(defaultTools, ","), PermissionMode: "bypassPermissions",
		ProjectName: "my-project", ProjectType: "unknown",
		CallsPerHour: 100, DenialMode: "continue", SessionContinuity: true, SessionExpiry: 24 * time.Hour,
		NoProgress: 3, SameError: 5, Denials: 2, Decline: 70, Cooldown: 30 * time.Minute,
		Promise: "LOOP_COMPLETE", MaxTurns: 100, MaxFailures: 5, MaxWait: 6 * time.Hour,
		MaxOutput: 32 << 20, MaxRecord: 256 << 20, MaxLogs: 256 << 20,
		VerifyAttempts: 3, VerifyTimeout: 30 * time.Minute, Hats: &hats.Rules{Promise: "LOOP_COMPLETE"}, WaitForAnswer: "auto",
	}, c)
}

func TestConfigPrecedence(t *testing.T) {
	s := sources{
		flags: map[string]string{"timeout": "1"},
		env:   map[string]string{"CLAUDE_TIMEOUT_MINUTES": "2"},
		yml:   "loop: {agent_timeout_minutes: 3}",
		inner: "CLAUDE_TIMEOUT_MINUTES=4",
		outer: "AGENT_TIMEOUT_MINUTES=5",
	}
	steps := []struct {
		from    string
		minutes int
		without func()
	}{
		{"--timeout", 1, func() { s.flags = nil }},
		{"environment", 2, func() { s.env = nil }},
		{"ripple.yml:1:8", 3, func() { s.yml = "" }},
		{".ralph/.ralphrc:1", 4, func() { s.inner = "" }},
		{".ralphrc:1", 5, func() { s.outer = "" }},
		{"default", 15, func() {}},
	}
	for _, step := range steps {
		c, _, err := s.load(t)
		require.NoError(t, err)
		assert.Equal(t, time.Duration(step.minutes)*time.Minute, c.Timeout)
		assert.Equal(t, step.from, c.Source("AGENT_TIMEOUT_MINUTES").From)
		assert.Equal(t, step.from != "default", c.IsSet("AGENT_TIMEOUT_MINUTES"))
		step.without()
	}
}

func TestConfigNames(t *testing.T) {
	rc := func(text string) func(t *testing.T) *Config {
		return func(t *testing.T) *Config {
			c, _, err := sources{inner: text}.load(t)
			require.NoError(t, err)
			return c
		}
	}
	tests := []struct {
		rc  string
		get func(*Config) any
		is  any
	}{
		{"CLAUDE_PERMISSION_MODE=plan", func(c *Config) any { return c.PermissionMode }, "plan"},
		{"AGENT_PERMISSION_MODE=plan\nCLAUDE_PERMISSION_MODE=other", func(c *Config) any { return c.PermissionMode }, "plan"},
		{"ALLOWED_TOOLS='Bash(git a, b),Read'", func(c *Config) any { return c.AllowedTools }, []string{"Bash(git a, b)", "Read"}},
		{"MAX_CALLS_PER_HOUR=08", func(c *Config) any { return c.CallsPerHour }, 8},
		{"SESSION_EXPIRY_HOURS=09", func(c *Config) any { return c.SessionExpiry }, 9 * time.Hour},
		{"SESSION_CONTINUITY=False", func(c *Config) any { return c.SessionContinuity }, false},
		{"CLAUDE_USE_CONTINUE=false", func(c *Config) any { return c.SessionContinuity }, false},
		{"PERMISSION_DENIAL_MODE=threshold", func(c *Config) any { return c.DenialMode }, "threshold"},
		{"PLATFORM_DRIVER=someone", func(c *Config) any { return c.Backend }, "someone"},
		{"CB_COOLDOWN_MINUTES=0", func(c *Config) any { return c.Cooldown }, time.Duration(0)},
		{"MAX_RUNTIME=1h30m", func(c *Config) any { return c.MaxRuntime }, 90 * time.Minute},
		{"MAX_COST='$2.50'", func(c *Config) any { return c.MaxCost }, 2.5},
		{"MAX_TOKENS=500k", func(c *Config) any { return c.MaxTokens }, int64(500_000)},
		{"MAX_TOKENS=1.5M", func(c *Config) any { return c.MaxTokens }, int64(1_500_000)},
		{"MAX_TOKENS=1234", func(c *Config) any { return c.MaxTokens }, int64(1234)},
		{"VERIFY='make a\nmake b'", func(c *Config) any { return c.Verify }, []string{"make a", "make b"}},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.is, tt.get(rc(tt.rc)(t)), tt.rc)
	}
}

func TestConfigOfBudgetsAndTeamInRippleYML(t *testing.T) {
	c, _, err := sources{yml: "loop: {max_tokens: 2M, fallback: [one, two], session_continuity: false}\n"}.load(t)
	require.NoError(t, err)
	assert.Equal(t, []any{int64(2_000_000), []string{"one", "two"}, false}, []any{c.MaxTokens, c.Fallback, c.SessionContinuity})
	c, _, err = sources{yml: "loop: {max_tokens: 1500, session_continuity: false}\n", flags: map[string]string{"fresh": "false"}}.load(t)
	require.NoError(t, err)
	assert.Equal(t, []any{int64(1500), true}, []any{c.MaxTokens, c.SessionContinuity}, "a flag is above it")
	assert.Equal(t, "--fresh", c.Source("SESSION_CONTINUITY").From)
}

func TestTokensThatAreNone(t *testing.T) {
	for _, v := range []string{"many", "-1", "1.2345k", "k", "NaN", "1e99", "5 k"} {
		_, _, err := sources{flags: map[string]string{"max-tokens": v}}.load(t)
		assert.ErrorContains(t, err, "is not a number of tokens; write 500k, 2M or 1500000", v)
	}
}

func TestConfigOfTheEnvironment(t *testing.T) {
	c, _, err := sources{env: map[string]string{
		"MAX_CALLS_PER_HOUR": "7", "COMMIT": "deadbeef", "TAG": "v1", "VERIFY": "x", "RIPPLE_MAX_TURNS": "3",
	}}.load(t)
	require.NoError(t, err, "COMMIT and TAG of a CI job mean something else")
	assert.Equal(t, 7, c.CallsPerHour)
	assert.Equal(t, 3, c.MaxTurns)
	assert.False(t, c.Commit)
	assert.Empty(t, c.Verify)
}

func TestConfigOfAdapters(t *testing.T) {
	s := sources{yml: "adapters:\n  one: {timeout: 60}\n  two: {enabled: false}\n  none: {enabled: false}\n", inner: "CLAUDE_TIMEOUT_MINUTES=4"}
	c, _, err := s.load(t)
	require.NoError(t, err)
	assert.Equal(t, time.Minute, c.For("one").Timeout)
	assert.Equal(t, Source{"adapters.one.timeout", "1m0s", "ripple.yml:2:3"}, c.For("one").Source("AGENT_TIMEOUT_MINUTES"), "and says so")
	assert.Equal(t, 4*time.Minute, c.For("two").Timeout)
	assert.Equal(t, []string{"none", "two"}, c.Disabled())
	s.flags = map[string]string{"timeout": "9"}
	c, _, err = s.load(t)
	require.NoError(t, err)
	assert.Equal(t, 9*time.Minute, c.For("one").Timeout, "a flag is above it")
}

func TestConfigOfCLI(t *testing.T) {
	c, _, err := sources{yml: "cli:\n  backend: custom\n  command: my-ai\n  args: [--json]\n  prompt_mode: stdin\n  default_mode: autonomous\n  idle_timeout_secs: 30\n"}.load(t)
	require.NoError(t, err)
	assert.Equal(t, []any{"custom", "my-ai", []string{"--json"}, "stdin", 30 * time.Second},
		[]any{c.Backend, c.Command, c.Args, c.PromptMode, c.IdleTimeout})
}

func TestConfigNamesTheAdaptersAsTheRegistryDoes(t *testing.T) {
	c, _, err := sources{yml: "adapters:\n  alias: {enabled: false, timeout: 60}\n"}.load(t)
	require.NoError(t, err)
	require.NoError(t, c.Resolve(func(string) (string, error) { return "own", nil }))
	assert.Equal(t, []string{"own"}, c.Disabled())
	assert.Equal(t, time.Minute, c.For("own").Timeout)
	c, _, err = sources{yml: "adapters:\n  b: {}\n  a: {}\n"}.load(t)
	require.NoError(t, err)
	err = c.Resolve(func(name string) (string, error) { return "", errors.New("no adapter is named " + name) })
	require.Error(t, err)
	assert.Regexp(t, `ripple.yml:3:3: adapters.a: no adapter is named a\n.*ripple.yml:2:3: adapters.b: no adapter is named b`, err.Error())
}

// Settings of the reference implementation that have no effect in ripple are checked, and
// reported if they have a value.
func TestConfigWithoutEffect(t *testing.T) {
	tests := []struct {
		name string
		s    sources
		note string
	}{
		{"the values of every configuration", sources{inner: "CLAUDE_OUTPUT_FORMAT=json\nTASK_SOURCES=local\n", yml: "cli: {default_mode: autonomous}"}, ""},
		{"another output", sources{inner: "CLAUDE_OUTPUT_FORMAT=text"}, ".ralph/.ralphrc:1: CLAUDE_OUTPUT_FORMAT has no effect in ripple: the adapter says what its agent prints"},
		{"by ripple.yml", sources{yml: "loop: {agent_output_format: text}"}, "ripple.yml:1:8: loop.agent_output_format has no effect in ripple: the adapter says what its agent prints"},
		{"other tasks", sources{inner: "TASK_SOURCES='local github'"}, ".ralph/.ralphrc:1: TASK_SOURCES has no effect in ripple: tasks come from .ralph/@fix_plan.md"},
		{"in the environment", sources{env: map[string]string{"TASK_SOURCES": "beads"}}, "environment: TASK_SOURCES has no effect in ripple: tasks come from .ralph/@fix_plan.md"},
		{"with a person", sources{yml: "cli: {default_mode: interactive}"}, "ripple.yml:1:7: cli.default_mode has no effect in ripple: a loop runs without a user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, notes, err := tt.s.load(t)
			require.NoError(t, err)
			assert.Equal(t, tt.note, strings.Join(notes, "\n"))
		})
	}
	for _, text := range []string{"AGENT_OUTPUT_FORMAT=xml", "TASK_SOURCES=local,jira"} {
		_, _, err := sources{inner: text}.load(t)
		assert.ErrorContains(t, err, "is not one of", text)
	}
}

func TestConfigOfADirectoryAbove(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "repo", "a", "b")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(top, name), []byte(text), 0o600))
	}
	from := func() string {
		c, _, err := Load(dir, nil, func(string) string { return "" })
		require.NoError(t, err)
		return strings.TrimPrefix(c.Source("MAX_TURNS").From, top+string(filepath.Separator))
	}
	write("ripple.yml", "loop: {max_turns: 1}")
	assert.Equal(t, "default", from(), "without a repository it may be anybody's")
	require.NoError(t, os.Mkdir(filepath.Join(top, ".git"), 0o755))
	assert.Equal(t, "default", from(), "an empty .git is not a repository")
	require.NoError(t, os.Mkdir(filepath.Join(top, "repo", ".git"), 0o755))
	write("repo/.git/HEAD", "ref: refs/heads/main\n")
	write(".git/HEAD", "ref: refs/heads/main\n")
	assert.Equal(t, "default", from(), "nor from above the repository")
	for _, name := range []string{"repo/ripple.yml", "repo/a/ripple.yml", "repo/a/b/ripple.yml"} {
		write(name, "loop: {max_turns: 1}")
		assert.Equal(t, filepath.FromSlash(name)+":1:8", from())
	}
}

// The ripple.yml at the top of a repository that is the home directory is the user's, also in the directories below.
func TestConfigOfARepositoryAtHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	dir := filepath.Join(home, "a", "b")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(home, ".git"), 0o755))
	for name, text := range map[string]string{".git/HEAD": "ref: refs/heads/main\n", "shared.yml": "loop: {max_turns: 1}"} {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o644))
	}
	require.NoError(t, os.Symlink("shared.yml", filepath.Join(home, "ripple.yml")))
	c, _, err := Load(dir, nil, func(string) string { return "" })
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(home, "ripple.yml")+":1:8", c.Source("MAX_TURNS").From)
}

// In a directory where others may write, another user can make a repository and a ripple.yml above the user's directory.
func TestConfigOfAnotherUserAbove(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files to another user")
	}
	for _, theirs := range []string{".git", "ripple.yml", "."} {
		top := t.TempDir()
		dir := filepath.Join(top, "a", "b")
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.Mkdir(filepath.Join(top, ".git"), 0o755))
		for name, text := range map[string]string{".git/HEAD": "ref: refs/heads/main\n", "ripple.yml": "loop: {max_turns: 1}"} {
			require.NoError(t, os.WriteFile(filepath.Join(top, name), []byte(text), 0o644))
		}
		load := func(dir string) (from, notes string) {
			c, list, err := Load(dir, nil, func(string) string { return "" })
			require.NoError(t, err)
			return c.Source("MAX_TURNS").From, strings.Join(list, "\n")
		}
		file := filepath.Join(top, "ripple.yml")
		from, notes := load(dir)
		assert.Equal(t, file+":1:8", from)
		assert.Empty(t, notes)
		require.NoError(t, os.Lchown(filepath.Join(top, theirs), 65534, 65534))
		from, notes = load(dir)
		assert.Equal(t, "default", from, theirs)
		assert.Equal(t, file+" is not used in "+dir+", because it or its repository belongs to another user", notes)
		from, notes = load(top)
		assert.Equal(t, file+":1:8", from, "the user is there")
		assert.Empty(t, notes)
		t.Setenv("SUDO_UID", "65534")
		from, _ = load(dir)
		assert.Equal(t, file+":1:8", from, "it belongs to the user who called sudo")
		t.Setenv("SUDO_UID", "")
	}
}

func TestConfigErrorsComeAllAtOnce(t *testing.T) {
	_, notes, err := sources{
		flags: map[string]string{"max-turns": "many"},
		env:   map[string]string{"MAX_CALLS_PER_HOUR": "-1"},
		yml:   "loop: {max_runtime: soon, max_turn: 1}",
		inner: "CB_NO_PROGRESS_THRESHOLD=x\nA=$(b)\n",
		outer: "CB_NO_PROGRES_THRESHOLD=4\nGITHUB_TOKEN=x\n",
	}.load(t)
	require.Error(t, err)
	for _, want := range []string{
		`--max-turns: MAX_TURNS: "many" is not a whole number from 1 to 1000000`,
		`environment: MAX_CALLS_PER_HOUR: "-1" is not a whole number from 1 to 100000`,
		`ripple.yml:1:27: unknown key "max_turn" in loop (did you mean "max_turns"?)`,
		`.ralph/.ralphrc:1: CB_NO_PROGRESS_THRESHOLD: "x" is not a whole number from 1 to 100000`,
		`.ralph/.ralphrc:2:3: $(…) is not executed; write the value itself`,
	} {
		assert.ErrorContains(t, err, want)
	}
	assert.Equal(t, []string{
		".ralphrc:1: CB_NO_PROGRES_THRESHOLD is not a setting of ripple; did you mean CB_NO_PROGRESS_THRESHOLD?",
		".ralphrc:2: GITHUB_TOKEN is not a setting of ripple",
	}, notes)
	_, _, err = sources{yml: "loop: {max_runtime: soon}"}.load(t)
	assert.ErrorContains(t, err, `ripple.yml:1:8: loop.max_runtime: "soon" is not a duration; write 90s, 15m, 2h or 1d, or a number of minutes`)
}

// The section loop: of the JSON Schema, and so of SCHEMA.md, has the settings as
// its keys, with what --help says of them.
func TestSettingsAreTheKeysOfTheProjectFile(t *testing.T) {
	var root struct {
		Properties struct {
			Loop struct {
				Properties map[string]struct {
					Description string
					Default     any
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(schema.ProjectJSON(), &root))
	var want, got []string
	for _, s := range allSettings {
		if s.Section == "" && s.Name != "PLATFORM_DRIVER" && s.Name != "AGENT_IDLE_TIMEOUT_SECS" { // of the section cli
			want = append(want, s.Key())
		}
		assert.NotEmpty(t, s.Help, s.Name)
	}
	for _, s := range allSettings {
		p, has := root.Properties.Loop.Properties[s.Key()]
		if !has || s.Section != "" {
			continue
		}
		assert.Equal(t, strings.ToUpper(s.Help[:1])+s.Description()[1:]+".", p.Description, s.Name)
		if list, is := p.Default.([]any); is {
			assert.Equal(t, s.Default, strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]"), s.Name)
		} else if p.Default != nil || s.Default != "" {
			assert.Equal(t, s.Default, fmt.Sprint(p.Default), s.Name)
		}
	}
	for key := range root.Properties.Loop.Properties {
		got = append(got, key)
	}
	slices.Sort(want)
	slices.Sort(got)
	assert.Equal(t, want, got)
}

func TestMisnamed(t *testing.T) {
	assert.Equal(t, []string{
		"environment: RIPPLE_MAX_CALLS_PER_HOUR is ignored; did you mean MAX_CALLS_PER_HOUR?",
		"environment: RIPPLE_MAX_TURN is ignored; did you mean RIPPLE_MAX_TURNS?",
		"environment: RIPPLE_SCENARO is ignored; did you mean RIPPLE_SCENARIO?",
	}, Misnamed([]string{"RIPPLE_MAX_TURN=3", "RIPPLE_MAX_TURNS=3", "RIPPLE_SCENARIO=x", "RIPPLE_TURN=1", "RIPPLE_AGENTS=/x", "RIPPLE_HOME=", "MAX_TURN=3", "RIPPLE_SCENARO=x", "RIPPLE_MAX_CALLS_PER_HOUR=1", "PATH=/bin"}, "RIPPLE_SCENARIO", "RIPPLE_TURN"))
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "4k": 4 << 10, "8192": 8192, "500K": 500 << 10, "32M": 32 << 20, "32MB": 32 << 20, "1.5g": 3 << 29} {
		c := &Config{}
		require.NoError(t, size(func(c *Config) *int64 { return &c.MaxLogs })(c, text), text)
		assert.Equal(t, want, c.MaxLogs, text)
	}
	for _, text := range []string{"", "-1", "1k", "much", "32T", "4.5"} {
		assert.ErrorContains(t, size(func(c *Config) *int64 { return &c.MaxLogs })(&Config{}, text), "is not a size; write 500k, 32M or 2G", text)
	}
}

// A missing ripple.yml is not an error; a directory of that name is one.
func TestAProjectFileThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	assert.Empty(t, Files(dir))
	path := filepath.Join(dir, ProjectFile)
	require.NoError(t, os.Mkdir(path, 0o700))
	files := Files(dir)
	require.Len(t, files, 1)
	assert.Equal(t, path, files[0].Path)
	require.ErrorContains(t, files[0].Err, "is a directory")
}

// An error of a file shows no variable of the environment: it may be a key, and the file a stranger's.
func TestErrorsShowNoVariables(t *testing.T) {
	for _, text := range []string{"MAX_TURNS=$TOKEN", `VERIFY_TIMEOUT="${TOKEN}"`, "A=$TOKEN\nTASK_SOURCES=local,$A", "WAIT_FOR_ANSWER=$TOKEN"} {
		for _, s := range []sources{{inner: text}, {outer: text}} {
			s.env = map[string]string{"TOKEN": "secret"}
			_, _, err := s.load(t)
			require.ErrorContains(t, err, "has no valid value with its variables", text)
			assert.NotContains(t, err.Error(), "secret", text)
		}
	}
}

// The values of variables are inserted only into files for which the caller permits it; without that, their names remain.
func TestVariablesNeedApproval(t *testing.T) {
	dir := t.TempDir()
	text := "A=$TOKEN\nPROJECT_NAME=\"x $A ${TOKEN} ${TOKEN:-y}\"\nB=own\nPROJECT_TYPE=$B\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, layout.RCFile), []byte(text), 0o600))
	for may, want := range map[bool][2]string{false: {"x $TOKEN ${TOKEN} ${TOKEN:-y}", "own"}, true: {"x secret secret secret", "own"}} {
		l := Loader{Project: dir, Env: func(n string) string { return map[string]string{"TOKEN": "secret"}[n] }}
		l.MayExpand = func(f File) (bool, error) {
			assert.Equal(t, filepath.Join(dir, layout.RCFile), f.Path)
			assert.Equal(t, text, string(f.Text))
			assert.Len(t, f.Runs, 4)
			return may, nil
		}
		c, _, err := l.Load()
		require.NoError(t, err)
		assert.Equal(t, want, [2]string{c.ProjectName, c.ProjectType})
		shown, expanded := c.Shown("PROJECT_NAME")
		assert.Equal(t, `"x $A ${TOKEN} ${TOKEN:-y}"`, shown)
		assert.True(t, expanded)
		_, notes, err := l.Resume(map[string]Source{"PROJECT_NAME": {"PROJECT_NAME", "before", "environment"}})
		require.NoError(t, err)
		require.NotEmpty(t, notes)
		assert.NotContains(t, strings.Join(notes, ""), "secret")
	}
	refused := errors.New("refused")
	_, _, err := Loader{Project: dir, Env: os.Getenv, MayExpand: func(File) (bool, error) { return false, refused }}.Load()
	require.ErrorIs(t, err, refused)
	require.NoError(t, os.WriteFile(filepath.Join(dir, layout.RCFile), []byte("B=own\nPROJECT_TYPE=$B\n"), 0o600))
	_, _, err = Loader{Project: dir, Env: os.Getenv, MayExpand: func(File) (bool, error) { return false, refused }}.Load()
	require.NoError(t, err, "it names no variable of the environment")
}
