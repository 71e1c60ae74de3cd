//go:build unix

package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/runtime/console/place"
)

// exchange is a recorded request to the first version's host, and its answer. These files are never
// changed: a host of that version may run for as long as its machine, while its clients are
// replaced by newer ones.
type exchange struct {
	name         string
	method, path string
	request      string
	status       int
	answer       string
}

func exchanges(t *testing.T) []exchange {
	paths, err := filepath.Glob("testdata/v1/*.http")
	require.NoError(t, err)
	require.Len(t, paths, 9)
	all := make([]exchange, len(paths))
	for i, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := strings.SplitN(string(text), "\n", 5)
		e := exchange{name: strings.TrimSuffix(filepath.Base(path), ".http"), request: lines[1], answer: lines[4]}
		e.method, e.path, _ = strings.Cut(lines[0], " ")
		e.status, err = strconv.Atoi(lines[3])
		require.NoError(t, err)
		all[i] = e
	}
	return all
}

// oldHost is a host of the first version: it knows its recorded conversation and nothing else.
func oldHost(t *testing.T) (*Client, func(string) string) {
	dir, err := os.MkdirTemp("", "console") // a short path, because it holds a socket
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	getenv := func(name string) string {
		return map[string]string{"XDG_RUNTIME_DIR": dir, "XDG_STATE_HOME": filepath.Join(dir, "state")}[name]
	}
	f, err := places(getenv, "main")
	require.NoError(t, err)
	claimed, err := place.Take(f, 0)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(f.Record, 0o700))
	all := exchanges(t)
	first := strings.ReplaceAll(all[0].answer, "/run/user/1000/ripple/main.sock", f.Socket)
	require.NoError(t, os.WriteFile(filepath.Join(f.Record, statusName), []byte(first), 0o600))
	l, err := listen(f.Socket)
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		for _, e := range all {
			if r.Method == e.method && r.URL.Path == e.path && (e.request == "" || requireContains(t, sent, []byte(e.request))) {
				w.WriteHeader(e.status)
				fmt.Fprint(w, e.answer)
				if e.path == "/v1/close" {
					assert.NoError(t, os.RemoveAll(f.Record))
					claimed.Release()
				}
				return
			}
		}
		assert.Fail(t, "a request that the first host does not understand", "%s %s %s", r.Method, r.URL.Path, sent)
	})}
	served := make(chan error)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		assert.NoError(t, server.Shutdown(context.Background()))
		assert.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	c, err := Open(getenv, "main")
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c, getenv
}

// requireContains reports whether one JSON value contains everything in another; it may contain more.
func requireContains(t *testing.T, has, wanted []byte) bool {
	var h, w map[string]any
	require.NoError(t, json.Unmarshal(has, &h))
	require.NoError(t, json.Unmarshal(wanted, &w))
	for key, value := range w {
		if !assert.ObjectsAreEqual(value, h[key]) {
			return false
		}
	}
	return true
}

// A client of this version works with a host of the first version: it finds, uses and ends it.
func TestAFirstVersionHost(t *testing.T) {
	c, getenv := oldHost(t)
	all, err := List(t.Context(), getenv)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, []any{"main", "bash", Idle, "/usr", 4711, 4712}, []any{all[0].Name, all[0].Adapter, all[0].State, all[0].Cwd, all[0].Host, all[0].PID})

	var out bytes.Buffer
	a, err := c.Exec(t.Context(), ExecRequest{Code: "echo one; (exit 3)", By: "exec"}, &out)
	require.NoError(t, err)
	assert.Equal(t, []any{"done", "one\n", 1, 3}, []any{a.Why, out.String(), a.Command.ID, *a.Command.ExitCode})
	out.Reset()
	a, err = c.Exec(t.Context(), ExecRequest{Code: `read -p 'go on? ' x; echo "[$x]"`, By: "mcp", Wait: 30e9, ExpectCwd: "/usr"}, &out)
	require.NoError(t, err)
	assert.Equal(t, []any{"waiting", "go on? ", WaitingInput, true}, []any{a.Why, out.String(), a.Status.State, a.Command.Running()})
	_, err = c.Exec(t.Context(), ExecRequest{Code: "echo two"}, nil)
	var f *Fault
	require.ErrorAs(t, err, &f)
	assert.Equal(t, []any{FaultBusy, 2}, []any{f.Code, f.Status.Command.ID})
	_, err = c.Send(t.Context(), SendRequest{Text: "y", Keys: []string{"enter"}, Only: true, By: "mcp"})
	require.NoError(t, err)
	out.Reset()
	a, err = c.Wait(t.Context(), WaitRequest{Command: 2, From: 7}, &out)
	require.NoError(t, err)
	assert.Equal(t, []any{"done", "[y]\n"}, []any{a.Why, out.String()})
	text, _, err := c.Screen(t.Context())
	require.NoError(t, err)
	assert.Contains(t, text, "go on? y\n[y]\n")
	s, err := c.Resize(t.Context(), 100, 30)
	require.NoError(t, err)
	assert.Equal(t, []int{100, 30}, []int{s.Cols, s.Rows})
	require.NoError(t, c.End(t.Context(), true))
	all, err = List(t.Context(), getenv)
	require.NoError(t, err)
	assert.Empty(t, all)
}

// shape returns the parts of an answer on which clients rely: its keys and their types.
func shape(value any) any {
	switch v := value.(type) {
	case map[string]any:
		keys := map[string]any{}
		for key, of := range v {
			keys[key] = shape(of)
		}
		return keys
	case nil:
		return "null"
	}
	return fmt.Sprintf("%T", value)
}

// within reports where one shape lacks something that another has.
func within(t *testing.T, where string, wanted, has any) {
	keys, ok := wanted.(map[string]any)
	if wanted == "null" { // null has no type: the field was not set
		assert.NotNil(t, has, where)
		return
	}
	if !ok {
		assert.Equal(t, wanted, has, where)
		return
	}
	had, ok := has.(map[string]any)
	require.True(t, ok, "%s is not an object: %v", where, has)
	for key, of := range keys {
		within(t, where+"."+key, of, had[key])
	}
}
