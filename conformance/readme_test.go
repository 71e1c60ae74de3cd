package conformance

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ripple/schema"
	_ "ripple/schema/validate"
)

var update = flag.Bool("update", false, "write the transcripts of the documents anew")

// A document may hold transcripts that are run, and files that they use.
const (
	runMark   = "<!-- run -->\n```console\n"
	fileMark  = "<!-- file: " // NAME -->, and a block of any language
	codeFence = "```\n"
)

// The transcripts in the README that are marked to be run show what the
// commands print; only durations and dotted version numbers may differ.
func TestReadmeTranscripts(t *testing.T) {
	runDocument(t, "README.md", root)
}

// The worked example is about a program that is not in the fleet.
func TestWritingAnAdapter(t *testing.T) {
	if _, err := exec.LookPath("mujs"); err != nil {
		t.Skip("mujs is not installed")
	}
	runDocument(t, "docs/writing-an-adapter.md", t.TempDir())
}

// One adapter for each kind of prompt that is hard to recognise.
func TestHardPrompts(t *testing.T) {
	for _, program := range []string{"bash", "bc", "dash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	runDocument(t, "docs/hard-prompts.md", t.TempDir())
}

// The first loop needs no agent and no account.
func TestRunningALoop(t *testing.T) {
	runDocument(t, "docs/running-a-loop.md", t.TempDir())
}

// Roles in a loop need neither, either.
func TestHats(t *testing.T) {
	runDocument(t, "docs/hats.md", t.TempDir())
}

// Nor do questions.
func TestQuestions(t *testing.T) {
	runDocument(t, "docs/questions.md", t.TempDir())
}

// A turn on an agent's own screen needs no account where the agent is a scripted one.
func TestScreens(t *testing.T) {
	runDocument(t, "docs/screens.md", t.TempDir())
}

// A person and an agent on one console.
func TestConsoles(t *testing.T) {
	runDocument(t, "docs/consoles.md", t.TempDir())
}

// runDocument runs the transcripts of a document in their order in a directory,
// after writing the files that come before them.
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

// writeFiles writes the files that a piece of a document shows.
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

var moving = regexp.MustCompile(`\d+(\.\d+)? ?(ms|s|µs)\b|"duration_ns":\d+|\d+\.\d+(\.\d+)?`)

// steady replaces what differs from run to run and from machine to machine.
func steady(s string) string { return moving.ReplaceAllString(s, "N") }

// replay runs the commands of a transcript and writes it anew.
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
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+t.TempDir(), "LC_ALL=C.UTF-8",
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

// consoleHome is where the consoles of one document live, with a path that is short
// enough for sockets.
func consoleHome(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "doc")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func buildCommand(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir, "./cmd/ripple")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}

// The Go program for those who embed it compiles and prints what it should.
func TestLibraryProgram(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "docs/library.md"))
	require.NoError(t, err)
	_, after, found := strings.Cut(string(data), "```go\n")
	require.True(t, found)
	program, _, closed := strings.Cut(after, "```\n")
	require.True(t, closed)

	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(source, []byte(program), 0o600))
	absolute, err := filepath.Abs(filepath.Join(root, "conformance/readme/main.go"))
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{absolute: source}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	cmd := exec.Command("go", "run", "-overlay", filepath.Join(dir, "overlay.json"), "./conformance/readme")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "\"42\\n\", exit code 0, known by marker\n", string(out))
}

// The two commands for a fresh machine come first, as they are typed.
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

// The README can be read in a few minutes, and its table has every adapter.
func TestReadmeTable(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	before, rest, _ := strings.Cut(string(data), "<!-- fleet: make fleet -->\n")
	table, after, _ := strings.Cut(rest, "<!-- end -->")
	assert.Less(t, strings.Count(before+after, "\n"), 240, "README: what it is, and use by task; the rest goes to docs")
	files, err := filepath.Glob(filepath.Join(root, "adapters", "*.yaml"))
	require.NoError(t, err)
	rows := 0
	for _, path := range files {
		a, diagnostics := schema.Load(path, schema.Options{})
		require.Empty(t, diagnostics, path)
		if a.Family == schema.FamilyAgent {
			continue // no session, no level
		}
		rows++
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		assert.Contains(t, table, "["+name+"](adapters/"+name+".yaml)", "run make fleet")
	}
	assert.Equal(t, rows+2, strings.Count(table, "\n"), "run make fleet")
}
