package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// newBringing returns a project that brings programs of adapters, and a variable that leads to them.
func newBringing(t *testing.T) *hostile {
	t.Helper()
	h := newHostile(t, nil)
	text, err := os.ReadFile("../../adapters/claude.yaml")
	require.NoError(t, err)
	adapter := strings.ReplaceAll(string(text), "$HOME/", "$GOPATH/h/")
	require.NotEqual(t, string(text), adapter)
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".config", "ripple", "adapters"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".config", "ripple", "adapters", "claude.yaml"), []byte(adapter), 0o600))
	for _, name := range []string{"bin/dlv", "h/.local/bin/claude"} {
		h.write(name, "#!/bin/sh\n: >"+h.ran+"\necho 1\n")
		require.NoError(t, os.Chmod(filepath.Join(h.dir, name), 0o700))
	}
	run, err := os.MkdirTemp("", "run") // a short path, because it holds sockets
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(run)) })
	h.environ = append(h.environ, "XDG_RUNTIME_DIR="+run, "PATH="+t.TempDir(), "GOPATH="+h.dir, "HOME="+home)
	return h
}

const ofProject = "(a program of this project: to use it, add its directory to PATH)"

// Programs of the project are not found through variables, whichever process starts them: the project is that around the
// directory of the user or of the program.
func TestProgramsOfAProjectAreNotFound(t *testing.T) {
	t.Parallel()
	h := newBringing(t)
	project, outside := h.dir, t.TempDir()
	for where, lines := range map[string][]string{
		project: {
			"exec dlv help", "console start dlv", "console start dlv --name a", "console start dlv --cols 80", "console start dlv --cwd " + outside,
			"console start claude", "console start claude --sandbox", "adapter test dlv", "adapter test claude", "doctor claude", "agent run hi", "agent run --adapter claude hi",
			"agent run --adapter claude --screen hi", "agent run --adapter claude --screen --detach hi",
			"agent run --adapter claude --cwd " + outside + " hi", "run --adapter claude --prompt x --max-turns 1",
		},
		outside: {
			"exec dlv --cwd " + project + " help", "console start dlv --cwd " + project, "console start claude --cwd " + project,
			"agent run --cwd " + project + " hi", "agent run --adapter claude --cwd " + project + " hi",
			"agent run --adapter claude --screen --cwd " + project + " hi", "agent run --adapter claude --screen --detach --cwd " + project + " hi",
		},
	} {
		h.dir = where
		for _, line := range lines {
			out, _ := h.run(strings.Fields(line)...)
			assert.NoFileExists(t, h.ran, "%s: %s", line, out)
			_ = os.Remove(h.ran)
			if auto := strings.HasPrefix(line, "agent run ") && !strings.Contains(line, "--adapter"); !auto && line != "doctor claude" {
				assert.Contains(t, out, ofProject, line)
			}
		}
	}
}

// It is the same for clients of the Model Context Protocol.
func TestProgramsOfAProjectAreNotFoundByAServer(t *testing.T) {
	t.Parallel()
	h := newBringing(t)
	outside := t.TempDir()
	path, err := binary()
	require.NoError(t, err)
	for _, tt := range []struct {
		dir   string
		flags []string
		args  map[string]any
	}{
		{h.dir, nil, map[string]any{}},
		{h.dir, nil, map[string]any{"cwd": outside}},
		{outside, nil, map[string]any{"cwd": h.dir}},
		{outside, []string{"--cwd", h.dir}, map[string]any{}},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
		defer cancel()
		cmd := exec.Command(path, append([]string{"mcp"}, tt.flags...)...)
		cmd.Env, cmd.Dir = h.environ, tt.dir
		c, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
		require.NoError(t, err)
		defer func() { assert.NoError(t, c.Close()) }()
		for _, tool := range []string{"console_start", "console_exec"} {
			if tool == "console_exec" {
				if tt.args["cwd"] != nil {
					continue
				}
				tt.args["console"], tt.args["code"] = "x", "help"
			}
			for _, adapter := range []string{"dlv", "claude"} {
				tt.args["adapter"] = adapter
				r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: tt.args})
				require.NoError(t, err)
				assert.Contains(t, r.Content[0].(*mcp.TextContent).Text, ofProject, "%v %s %s", tt, tool, adapter)
				assert.NoFileExists(t, h.ran, "%v %s %s", tt, tool, adapter)
				_ = os.Remove(h.ran)
			}
		}
	}
}
