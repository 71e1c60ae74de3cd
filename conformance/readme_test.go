package conformance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate"
)

var update = flag.Bool("update", false, "rewrite generated files and the transcripts of documents")

// A document may contain transcripts to run, and files that they use.
const (
	runMark   = "<!-- run -->\n```console\n"
	fileMark  = "<!-- file: " // NAME -->, and a code block in any language
	codeFence = "```\n"
)

// The transcripts in the README that are marked to be run show the output of the commands; only
// durations and dotted version numbers may differ.
func TestReadmeTranscripts(t *testing.T) {
	t.Parallel()
	runDocument(t, "README.md", t.TempDir())
}

// Commands of scripts run in the repository, like those of the README.
func TestCommands(t *testing.T) {
	runDocument(t, "docs/commands.md", root)
}

// The worked example is about a program that has no built-in adapter.
func TestWritingAnAdapter(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("mujs"); err != nil {
		t.Skip("mujs is not installed")
	}
	runDocument(t, "docs/writing-an-adapter.md", t.TempDir())
}

// One adapter for each kind of prompt that is hard to recognize.
func TestHardPrompts(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "bc", "dash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	runDocument(t, "docs/hard-prompts.md", t.TempDir())
}

// The first loop needs no agent and no account.
func TestRunningALoop(t *testing.T) {
	t.Parallel()
	runDocument(t, "docs/running-a-loop.md", t.TempDir())
}

// Roles in a loop do not need them either.
func TestHats(t *testing.T) {
	t.Parallel()
	runDocument(t, "docs/hats.md", t.TempDir())
}

// Nor do questions.
func TestQuestions(t *testing.T) {
	t.Parallel()
	runDocument(t, "docs/questions.md", t.TempDir())
}

// A turn on an agent's own screen needs no account if the agent is a scripted one.
func TestScreens(t *testing.T) {
	t.Parallel()
	runDocument(t, "docs/screens.md", t.TempDir())
}

// A user and an agent share a console.
func TestConsoles(t *testing.T) {
	t.Parallel()
	runDocument(t, "docs/consoles.md", t.TempDir())
}

// runDocument runs the transcripts of a document in order in a directory, after writing the files
// that precede them.
func runDocument(t *testing.T, document, dir string) {
	t.Helper()
	path := filepath.Join(root, document)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	bin, home := buildCommand(t), consoleHome(t)
	pieces := strings.Split(string(data), runMark)
	require.Greater(t, len(pieces), 1)
	writeFiles(t, pieces[0], dir)
	for i, piece := range pieces[1:] {
		transcript, rest, closed := strings.Cut(piece, codeFence)
		require.True(t, closed)
		got := replay(t, bin, dir, home, transcript)
		if *update {
			pieces[i+1] = got + codeFence + rest
		} else {
			assert.Equal(t, steady(transcript), steady(got))
		}
		writeFiles(t, rest, dir)
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(pieces, runMark)), 0o644))
	}
}

// writeFiles writes the files that a part of a document shows.
func writeFiles(t *testing.T, piece, dir string) {
	t.Helper()
	for _, p := range strings.Split(piece, fileMark)[1:] {
		name, rest, _ := strings.Cut(p, " -->\n")
		_, body, _ := strings.Cut(rest, "\n")
		body, _, closed := strings.Cut(body, codeFence)
		require.True(t, closed, name)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600))
	}
}

var moving = regexp.MustCompile(`\bprocess \d+|\d+(\.\d+)? ?(ms|s|µs)\b|"duration_ns":\d+|\d+\.\d+(\.\d+)?`)

// fewerCycles is what a report adds on a machine that is too slow, or too busy, for all cycles of a test. All of it is
// fixed except for the program, the count and two durations.
var fewerCycles = regexp.MustCompile(`(?m)^pass  \S+: starts and stops leak nothing \(\S+\)\n    note: (\d+) cycles instead of 50, because one takes (\S+)\n`)

// steady replaces text that differs between runs or machines. A report's note about fewer cycles is removed, since no
// document has it, but only if its count is the one that its duration explains: at least 4, and otherwise those of 20 seconds.
// Whether the test passed is compared in any case: the report's last line counts it.
func steady(s string) string {
	s = fewerCycles.ReplaceAllStringFunc(s, func(note string) string {
		found := fewerCycles.FindStringSubmatch(note)
		count, err := strconv.Atoi(found[1])
		one, err2 := time.ParseDuration(found[2]) // rounded to milliseconds
		least, most := max(4, int(20*time.Second/(one+time.Millisecond))), max(4, int(20*time.Second/max(one-time.Millisecond, 1)))
		if err != nil || err2 != nil || count < least || count > most || count >= 50 {
			return note
		}
		return ""
	})
	return moving.ReplaceAllString(s, "N")
}

// A note about fewer cycles is removed only if all of it is as it should be.
func TestNotesAboutFewerCycles(t *testing.T) {
	t.Parallel()
	const report = "pass  mujs: %s (20.1s)\n    note: %s\nmujs: level 4, 25 passed, 6 not applicable, 873ms\n"
	const title = "starts and stops leak nothing"
	rest := steady("mujs: level 4, 25 passed, 6 not applicable, 873ms\n")
	for _, tt := range []struct {
		title, note string
		removed     bool
	}{
		{title, "40 cycles instead of 50, because one takes 500ms", true},
		{title, "4 cycles instead of 50, because one takes 11.2s", true},
		{title, "49 cycles instead of 50, because one takes 408ms", true},
		{title, "4 cycles instead of 50, because one takes 500ms", false},
		{title, "49 cycles instead of 50, because one takes 500ms", false},
		{title, "3 cycles instead of 50, because one takes 11.2s", false},
		{title, "50 cycles instead of 50, because one takes 400ms", false},
		{title, "40 cycles instead of 60, because one takes 500ms", false},
		{title, "40 cycles instead of 50", false},
		{"killed program", "40 cycles instead of 50, because one takes 500ms", false},
	} {
		got := steady(fmt.Sprintf(report, tt.title, tt.note))
		assert.Equal(t, tt.removed, got == rest, tt.note)
	}
	assert.NotEqual(t, rest, steady("mujs: level 4, 24 passed, 6 not applicable, 873ms\n"))
}

// replay runs the commands of a transcript and returns it with their current output.
func replay(t *testing.T, bin, dir, home, transcript string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(transcript) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		b.WriteString(line)
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+home, "LC_ALL=C.UTF-8",
			"XDG_RUNTIME_DIR="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"))
		out, err := cmd.CombinedOutput()
		b.Write(out)
		if exit, ok := err.(*exec.ExitError); ok {
			b.WriteString("[exit code " + exit.String()[len("exit status "):] + "]\n")
		} else {
			require.NoError(t, err)
		}
	}
	return b.String()
}

// consoleHome returns the directory of a document's consoles, whose path is short enough for
// sockets.
func consoleHome(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "doc")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func buildCommand(t *testing.T) (dir string) {
	t.Helper()
	path, err := testkit.Binary()
	require.NoError(t, err)
	return filepath.Dir(path)
}

// The programs of docs/library.md are built in a module of their own, under ripple's real path, and
// print the documented output.
func TestLibraryPrograms(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root, "docs/library.md"))
	require.NoError(t, err)
	var programs []string
	for _, part := range strings.Split(string(data), "```go\n")[1:] {
		if program, _, closed := strings.Cut(part, "```\n"); closed && strings.Contains(program, "package main") {
			programs = append(programs, program)
		}
	}
	require.Len(t, programs, 2)
	assert.Less(t, strings.Count(programs[1], "\n"), 40, "a session and a loop in less than 40 lines")
	const session = "\"42\\n\", exit code 0, known by marker\n"
	assert.Equal(t, []string{session, session + "project_complete: The agent says that the project is complete after 3 turns, not verified.\n"}, runOutside(t, programs))
}

// runOutside builds programs in a module of their own, with the requirements of ripple, and runs each
// in an empty directory with ripple in PATH. A workspace leads to this clone: with a replacement, all packages
// would have a version, and be compiled again.
func runOutside(t *testing.T, programs []string) (outputs []string) {
	t.Helper()
	dir := t.TempDir()
	repo, err := filepath.Abs(root)
	require.NoError(t, err)
	for i, program := range programs {
		require.NoError(t, os.Mkdir(filepath.Join(dir, programName(i)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, programName(i), "main.go"), []byte(program), 0o600))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	run := func(dir string, env []string, name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	run(dir, nil, "go", "mod", "edit", "-module=outside.example/program")
	run(dir, nil, "go", "work", "init", ".", repo)
	built := t.TempDir()
	run(dir, nil, "go", "build", "-o", built+"/", "./...")
	for i := range programs {
		env := []string{"PATH=" + buildCommand(t) + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
		outputs = append(outputs, run(t.TempDir(), env, filepath.Join(built, programName(i))))
	}
	return outputs
}

func programName(i int) string { return fmt.Sprint("program", i) }

// The two commands for a new machine come first, exactly as typed.
func TestReadmeStartsWithTheTwoCommands(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(data), "```sh\n")
	block, _, _ := strings.Cut(after, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	require.Len(t, lines, 2)
	assert.True(t, strings.HasPrefix(lines[0], "go run ./cmd/ripple adapter test bash"))
	assert.True(t, strings.HasPrefix(lines[1], "go test ./..."))
}

// What CONTRIBUTING.md says to run after a change of a document includes all tests of documents.
func TestRowForDocuments(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	_, row, found := strings.Cut(string(data), "| a document | `go test ./conformance -run '")
	require.True(t, found)
	pattern, _, _ := strings.Cut(row, "'`")
	included := regexp.MustCompile(strings.ReplaceAll(pattern, `\|`, "|"))
	code, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	names := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{(?:\n\t.*)*\n\trunDocument\(`).FindAllStringSubmatch(string(code), -1)
	require.Equal(t, strings.Count(string(code), "\trunDocument(t, "), len(names))
	for _, name := range append(names, [][]string{{"", "TestLibraryPrograms"}, {"", "TestTableOfAdapters"}, {"", "TestMessagesOfHats"}, {"", "TestPlainEnglish"}, {"", "TestThreatModel"}}...) {
		assert.Regexp(t, included, name[1])
	}
}

// The README is about one screen: a description of ripple, how to install it, and four uses.
func TestReadmeIsShort(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	assert.LessOrEqual(t, strings.Count(string(data), "\n"), 93, "details belong in docs")
}

// The table of docs/adapters.md contains every tested adapter.
func TestTableOfAdapters(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "docs", "adapters.md"))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(data), "<!-- fleet: make fleet -->\n")
	table, _, _ := strings.Cut(rest, "<!-- end -->")
	files, err := filepath.Glob(filepath.Join(root, "adapters", "*.yaml"))
	require.NoError(t, err)
	rows := 0
	for _, path := range files {
		a, diagnostics := schema.Load(path, schema.Options{})
		require.Empty(t, diagnostics, path)
		if a.Family == schema.FamilyAgent {
			continue // without a session there is no level
		}
		rows++
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		assert.Contains(t, table, "["+name+"](../adapters/"+name+".yaml)", "run make fleet")
	}
	assert.Equal(t, rows+2, strings.Count(table, "\n"), "run make fleet")
}

// The table of messages in docs/hats.md has the wording of the code: without placeholders (a capital letter, (PLACE), …),
// each part of a message is in a string of it.
func TestMessagesOfHats(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "docs", "hats.md"))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(data), "| message | meaning |\n|---|---|\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	code := ""
	for _, dir := range []string{"runtime/loop/hats", "runtime/loop/config", "runtime/registry"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				code += string(text)
			}
		}
	}
	placeholder := regexp.MustCompile(`"?\b[A-Z]\b"?|\(PLACE\)|→|…`)
	rows := strings.Split(table, "\n")
	require.Greater(t, len(rows), 5)
	for _, row := range rows {
		messages := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(strings.Split(row, "|")[1], -1)
		require.NotEmpty(t, messages, row)
		for _, m := range messages {
			for _, part := range placeholder.Split(m[1], -1) {
				assert.True(t, strings.Contains(code, strings.TrimSpace(part)), "docs/hats.md quotes `%s`, which no code prints", m[1])
			}
		}
	}
}
