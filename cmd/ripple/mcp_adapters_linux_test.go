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

// The adapters of `ripple mcp --adapters` are those that the files had when the server started: a file
// that is written later, under a name that is allowed or in place of an allowed one, is not used.
func TestAServersAdaptersAreFixed(t *testing.T) {
	t.Parallel()
	b := newBoxed(t)
	users, projects := filepath.Join(filepath.Dir(b.dir), ".config/ripple/adapters"), filepath.Join(b.dir, ".ripple/adapters")
	for _, dir := range []string{users, projects} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	whole, err := os.ReadFile("../../adapters/bash.yaml")
	require.NoError(t, err)
	write := func(path, who string) {
		text := strings.Replace(string(whole), "\nname: bash\n", "\nname: "+strings.TrimSuffix(filepath.Base(path), ".yaml")+"\n", 1)
		text = strings.Replace(text, "aliases: [gnu-bash]\n", "", 1)
		text = strings.Replace(text, "\nprocess:\n", "\nprocess:\n  executable: bash\n  env: {WHO: "+who+"}\n", 1)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	file := filepath.Join(b.dir, "file.yaml")
	all := []string{filepath.Join(users, "mine.yaml"), filepath.Join(projects, "ours.yaml"), file}
	for _, path := range all {
		write(path, "first")
	}
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
	defer cancel()
	cmd := exec.Command(b.ripple, "mcp", "--adapters", "bash,mine,ours,"+file)
	cmd.Env, cmd.Dir = b.env, b.dir
	c, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, c.Close()) }()
	call := func(tool string, args map[string]any) string {
		r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		require.NoError(t, err)
		return r.Content[0].(*mcp.TextContent).Text
	}
	for _, path := range append(all, filepath.Join(users, "bash.yaml"), filepath.Join(projects, "bash.yaml"), filepath.Join(users, "late.yaml"), filepath.Join(projects, "python.yaml")) {
		write(path, "second")
	}
	for i, adapter := range []string{"bash", "mine", "ours", file} {
		said := call("console_exec", map[string]any{"console": "c" + string(rune('0'+i)), "adapter": adapter, "code": "echo [$WHO]"})
		assert.Contains(t, said, map[bool]string{true: "[]\n", false: "[first]\n"}[adapter == "bash"], adapter)
	}
	for _, adapter := range []string{"late", "python"} {
		assert.Contains(t, call("console_start", map[string]any{"adapter": adapter}), "this server may only use", adapter)
	}
	for _, adapter := range []string{filepath.Join(users, "mine.yaml"), filepath.Join(users, "bash.yaml")} {
		assert.Contains(t, call("console_start", map[string]any{"adapter": adapter}), "is a path", adapter)
	}
	for _, adapter := range []string{"mine", "bash", file} { // somebody else starts the new contents
		name := "other-" + strings.TrimSuffix(filepath.Base(adapter), ".yaml")
		_, said, code := b.run(t, b.ripple, "console", "start", adapter, "--name", name, "--cwd", b.dir)
		require.Zero(t, code, said)
		assert.NotContains(t, call("console_exec", map[string]any{"console": name, "code": "echo [$WHO]"}), "[second]", adapter)
		assert.NotContains(t, call("console_peek", map[string]any{"console": name}), "idle", adapter)
	}
}

// A user who types the path of an adapter approves the file; a client's argument does not, because a model wrote it.
func TestAClientCannotNameAnAdapterFile(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"--adapters", "bash"}, {"--trust"}} {
		h := newHostile(t, map[string]string{".ripple/adapters/zz.yaml": named("zz", "zed"), "tools/other.yml": named("other", "another"), "top.YAML": named("top", "upper")})
		outside := filepath.Join(filepath.Dir(h.dir), "outside.yaml")
		text, err := os.ReadFile(filepath.Join(h.dir, "top.YAML"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(outside, text, 0o600))
		path, err := binary()
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
		defer cancel()
		cmd := exec.Command(path, append([]string{"mcp"}, flags...)...)
		cmd.Env, cmd.Dir = h.environ, h.dir
		c, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
		require.NoError(t, err)
		defer func() { assert.NoError(t, c.Close()) }()
		for tool, more := range map[string]map[string]any{"console_start": {}, "console_exec": {"code": "echo hi"}} {
			for _, adapter := range []string{
				".ripple/adapters/zz.yaml", "./.ripple/adapters/zz.yaml", filepath.Join(h.dir, ".ripple/adapters/zz.yaml"),
				"tools/other.yml", "top.YAML", "./top.YAML", outside, "./none",
			} {
				more["adapter"] = adapter
				r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: more})
				require.NoError(t, err)
				assert.Contains(t, r.Content[0].(*mcp.TextContent).Text, "is a path", "%s %s %s", flags, tool, adapter)
				assert.NoFileExists(t, h.ran, "%s %s %s", flags, tool, adapter)
			}
		}
	}
}
