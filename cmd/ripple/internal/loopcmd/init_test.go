package loopcmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/loop/record"
)

func TestProjectRows(t *testing.T) {
	rows, err := readProjectRows()
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	for _, r := range rows {
		for _, glob := range []string{r.File, r.With} {
			_, err := filepath.Match(glob, "")
			assert.NoError(t, err, r)
		}
		for _, pattern := range []string{r.Has, r.Lacks} {
			_, err := regexp.Compile("(?m)" + pattern)
			assert.NoError(t, err, r)
		}
		assert.NotEmpty(t, r.File)
		assert.NotEmpty(t, r.Kind+r.Build+r.Test, r.File)
	}
}

func TestDetectProject(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  project
	}{
		{"nothing known", map[string]string{"README.md": ""}, project{}},
		{"Go", map[string]string{"go.mod": ""}, project{"Go", "go build ./...", "go test ./..."}},
		{"the project's own test command comes first", map[string]string{"Makefile": "all:\n\ntest: all\n\t./t\n", "Cargo.toml": ""}, project{"Rust", "cargo build", "make test"}},
		{"check, where there is no test", map[string]string{"Makefile": "check:\n", "go.mod": ""}, project{"Go", "go build ./...", "make check"}},
		{"a variable is not a target", map[string]string{"Makefile": "test := 1\ntest-all:\n"}, project{}},
		{"npm", map[string]string{"package.json": `{"scripts": {"build": "tsc", "test": "vitest"}}`, "tsconfig.json": ""}, project{"TypeScript", "npm run build", "npm test"}},
		{"pnpm", map[string]string{"package.json": `{"scripts": {"test": "vitest"}}`, "pnpm-lock.yaml": ""}, project{"JavaScript", "", "pnpm test"}},
		{"the test of npm init does not count", map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, project{kind: "JavaScript"}},
		{"uv", map[string]string{"pyproject.toml": "", "uv.lock": ""}, project{"Python", "", "uv run pytest"}},
		{"requirements with tests", map[string]string{"requirements.txt": "flask\n", "tests": ""}, project{"Python", "", "python -m pytest"}},
		{"requirements of something else", map[string]string{"requirements.txt": ""}, project{kind: "Python"}},
		{"Maven with its wrapper", map[string]string{"pom.xml": "", "mvnw": ""}, project{"Java", "./mvnw -q compile", "./mvnw -q test"}},
		{"solutions", map[string]string{"a.slnx": ""}, project{".NET", "dotnet build", "dotnet test"}},
	} {
		dir := filepath.Join(t.TempDir(), "a[b]*c?") // not a pattern
		require.NoError(t, os.Mkdir(dir, 0o755))
		for name, text := range tt.files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		got, err := detectProject(dir)
		require.NoError(t, err)
		assert.Equal(t, tt.want, got, tt.name)
	}
}

func TestMarkdownTasks(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"boxes win", "# PRD\n## Requirements\n- item\n## Plan\n* [ ] one\n  1. [X] part\n- [ ]\n", []string{"- [ ] one", "  - [x] part"}},
		{"lists under headings that promise tasks", "# PRD\n## Overview\n- no\n## User stories\n- As a user I log in\n  - detail\n2) Second\n## Out of scope\n- never\n## Non-requirements\n- nor this\n", []string{"- [ ] As a user I log in", "- [ ] Second"}},
		{"sections", "# A tool\n## Background\nx\n## Parser ##\ny\n### Printer\n", []string{"- [ ] Parser", "- [ ] Printer"}},
		{"the title", "# A tool\n\nIt shall be good.", []string{"- [ ] A tool"}},
		{"words alone", "It shall be good.", []string{"- [ ] Do what .ralph/PROMPT.md asks for"}},
		{"boxes after words", "# T\n1. one [ ]\n  * P1 [~] `two`\n", []string{"- [ ] 1. one", "  - [ ] P1 `two`"}},
		{"boxes in the text of tasks", "- [ ] a [ ] b\n- [x] c\n", []string{"- [ ] a `[ ]` b", "- [x] c"}},
		{"beginnings of comments in items, sections and titles", "# T <!-- a\n", []string{"- [ ] T `<!--` a"}},
		{"code is not a task", "# T\n```\n- [ ] example\n## S\n```\n", []string{"- [ ] T"}},
	} {
		assert.Equal(t, tt.want, markdownTasks(tt.text), tt.name)
	}
}

func TestWantedIssues(t *testing.T) {
	w, err := wantedIssues("x", `[{"number":7,"title":" B\n b ","body":"Do b.\r\n","labels":[{"name":"bug"}]},{"number":2,"title":"A"},{"number":3,"title":"C","state":"CLOSED"}]`)
	require.NoError(t, err)
	assert.Equal(t, []string{"- [ ] #2 A", "- [ ] #7 B b"}, w.tasks)
	assert.Equal(t, "## #2 A\n\n(The issue has no description.)\n\n## #7 B b\n\nDo b.", w.text)
	assert.Equal(t, 1, w.closed)
	w, err = wantedIssues("x", `[{"number":3,"title":"Crash when a line has [ ] in it"}]`)
	require.NoError(t, err)
	assert.Equal(t, []string{"- [ ] #3 Crash when a line has `[ ]` in it"}, w.tasks)
	assert.True(t, record.ParseTasks(strings.ReplaceAll(w.plan(), "- [ ]", "- [x]")).Count().Complete())
	for text, want := range map[string]string{
		`[]`:                     "x has no open issue",
		`[{"number":1}]`:         "x: issue 1 of 1 has no title",
		"[\n{\"number\":\"1\"}]": "x: line 2: ",
		"{\n\"title\": }":        "x: line 2: ",
	} {
		_, err := wantedIssues("x", text)
		assert.ErrorContains(t, err, want, text)
	}
}

// For any document, the plan has a task that can be checked, without a panic.
func FuzzMarkdownTasks(f *testing.F) {
	f.Add("# T\n- [ ] a\n## Tasks\n- b\n```\n")
	f.Fuzz(func(t *testing.T, text string) {
		tasks := markdownTasks(text)
		require.NotEmpty(t, tasks)
		for _, task := range tasks {
			assert.Regexp(t, `^\s*- \[[ x]\] `, task)
			assert.NotContains(t, task, "\n")
		}
		plan := wanted{tasks: tasks}.plan()
		assert.True(t, strings.HasSuffix(plan, "\n"))
		assert.Len(t, record.ParseTasks(plan), len(tasks))
		done := record.ParseTasks(strings.ReplaceAll(plan, "- [ ] ", "- [x] "))
		assert.True(t, done.Count().Complete(), plan)
	})
}
