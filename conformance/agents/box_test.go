package agents

import (
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	sandbox "example.org/ripple/runtime/box"
	"example.org/ripple/runtime/registry"
)

// box is how an agent runs in a box.
type box struct {
	state []string // what its adapter says that it writes
	nest  bool
}

// modelHost is the name of the model server in a box, whose own loopback has no server.
const modelHost = "model.test"

// url is the model server's address in the box.
func (b *box) url(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		panic(err) // the stand-in's own
	}
	u.Host = modelHost
	return u.String()
}

// argv is the command that runs argv in a box.
func (b *box) argv(t *testing.T, r rig, argv []string) []string {
	t.Helper()
	server, err := url.Parse(r.server.URL(""))
	require.NoError(t, err)
	box := []string{r.ripple, "box", "--net", modelHost + ":80=" + server.Host, "--read", os.Getenv(folder), "--read", r.ripple, "--env", "RIPPLE_TRUST"}
	for _, dir := range linked(t) {
		box = append(box, "--read", dir)
	}
	if b.nest {
		box = append(box, "--nest")
	}
	for _, name := range slices.Sorted(maps.Keys(r.setup.Env)) {
		box = append(box, "--env", name)
	}
	for _, name := range b.state {
		path := filepath.Join(r.home, name)
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(path, 0o700))
		} else if _, err := os.Stat(path); err != nil {
			continue
		}
		box = append(box, "--write", path)
	}
	return append(append(box, "--"), argv...)
}

// linked returns the directories outside of the folder with agents in which they are installed: the folder has links.
func linked(t *testing.T) (dirs []string) {
	t.Helper()
	links, err := filepath.Glob(filepath.Join(os.Getenv(folder), "node_modules", ".bin", "*"))
	require.NoError(t, err)
	for _, link := range links {
		path, err := filepath.EvalSymlinks(link)
		if errors.Is(err, fs.ErrNotExist) {
			continue // of another agent, which was removed
		}
		require.NoError(t, err)
		dir, _, _ := strings.Cut(path, string(filepath.Separator)+"node_modules"+string(filepath.Separator))
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// boxed is the agent in a box that may write what its adapter names below the home directory.
func boxed(t *testing.T, r rig) rig {
	t.Helper()
	if err := sandbox.Check(); err != nil {
		t.Skip(err)
	}
	all, err := registry.Open(registry.Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}})
	require.NoError(t, err)
	entry, err := all.Find(r.adapter)
	require.NoError(t, err)
	require.NotEmpty(t, entry.Adapter.Agent.State)
	r.box = &box{state: entry.Adapter.Agent.State}
	return r
}

// In a box an agent works, and its session goes on in the next one.
func inBox(t *testing.T, r rig) {
	r = boxed(t, r)
	first := r.turn(t, "tool", "my first words")
	worked(t, first)
	assert.Contains(t, first.outcome.Text, "The tool said: ", "the model saw the result")
	second := r.turn(t, "text", "--resume", first.outcome.SessionID, "and my second")
	worked(t, second)
	assert.True(t, told(second.asked, "my first words"), "the model gets the first turn")
}

// An agent with a sandbox of its own has it in a box that can be nested.
func nestedSandbox(t *testing.T, r rig) {
	if r.setup.Nested == "" {
		t.Skip("it has no sandbox of its own")
	}
	if os.Geteuid() == 0 {
		t.Skip("boxes of root cannot be nested")
	}
	r = boxed(t, r)
	r.box.nest = true
	s := r.turn(t, "edit", "--permission-mode", r.setup.Nested, "write it")
	assert.Equal(t, exitOK, s.exit)
	assert.FileExists(t, filepath.Join(r.work, "standin.txt"))
}
