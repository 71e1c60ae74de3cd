package agents

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// peer is a program of the protocol's authors, installed with the agents, and the ripple to test it
// with.
type peer struct {
	program, ripple, home string
}

func newPeer(t *testing.T, name string) peer {
	t.Helper()
	p := peer{program: filepath.Join(os.Getenv(folder), "node_modules", ".bin", name)}
	if _, err := os.Stat(p.program); os.Getenv(folder) == "" || err != nil {
		t.Skipf("%s is not a folder with %s: npm install --prefix FOLDER @modelcontextprotocol/inspector @modelcontextprotocol/conformance", folder, name)
	}
	p.ripple = filepath.Join(t.TempDir(), "ripple")
	out, err := exec.Command("go", "build", "-o", p.ripple, "example.org/ripple/cmd/ripple").CombinedOutput()
	require.NoError(t, err, "%s", out)
	p.home, err = os.MkdirTemp("", "peer") // a short path, because it holds sockets
	require.NoError(t, err)
	t.Cleanup(func() {
		said, err := p.command(t.Context(), p.ripple, "console", "close", "--all").CombinedOutput()
		assert.NoError(t, err, "%s", said)
		assert.NoError(t, os.RemoveAll(p.home))
	})
	return p
}

func (p peer) command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), argv[0], argv[1:]...)
	cmd.Dir, cmd.WaitDelay = p.home, time.Second
	cmd.Env = []string{
		"HOME=" + p.home, "XDG_RUNTIME_DIR=" + p.home, "LANG=C.UTF-8", "RIPPLE_MCP_TOKEN=secret",
		"PATH=" + filepath.Dir(p.program) + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	return cmd
}

func (p peer) run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := p.command(ctx, append([]string{p.program}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// serve starts `ripple mcp --http` and returns its address.
func (p peer) serve(t *testing.T) *url.URL {
	t.Helper()
	cmd := p.command(t.Context(), p.ripple, "mcp", "--http", "127.0.0.1:0")
	said, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait() // interrupted
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err)
	_, address, found := strings.Cut(strings.TrimSpace(line), "serving on ")
	require.True(t, found, line)
	u, err := url.Parse(address)
	require.NoError(t, err)
	return u
}

// The official inspector reports no warning about the tools, and can call them.
func TestInspector(t *testing.T) {
	p := newPeer(t, "mcp-inspector")
	for name, target := range map[string][]string{
		"stdio": {p.ripple, "mcp"},
		"http":  {"--transport", "http", "--server-url", p.serve(t).String(), "--header", "Authorization: Bearer secret"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := p.run(t, append([]string{"--cli"}, append(target, "--method", "tools/list", "--strict")...)...)
			require.NoError(t, err, out)
			assert.Contains(t, out, `"name": "console_exec"`)
			assert.NotContains(t, out, "Warning:")
			console := fmt.Sprintf("%s-%d", name, os.Getpid())
			for _, call := range [][]string{
				{"console_start", "name=" + console, "[" + console + "] idle cwd="},
				{"console_exec", "console=" + console, "code=echo $((6 * 7)); (exit 3)", "[" + console + " #1] done exit=3 cwd="},
				{"console_close", "console=" + console, "[" + console + "] closed"},
			} {
				args := append([]string{"--cli"}, append(target, "--method", "tools/call", "--tool-name", call[0])...)
				for _, a := range call[1 : len(call)-1] {
					args = append(args, "--tool-arg", a)
				}
				out, err := p.run(t, args...)
				require.NoError(t, err, out)
				assert.Contains(t, out, call[len(call)-1])
			}
		})
	}
}

// The protocol's own tests that do not need special tools.
func TestProtocol(t *testing.T) {
	p := newPeer(t, "conformance")
	target := p.serve(t)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { // the tests do not send a token
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer secret")
	}, FlushInterval: -1})
	defer proxy.Close()
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection"} {
		t.Run(scenario, func(t *testing.T) {
			out, err := p.run(t, "server", "--url", proxy.URL+"/mcp", "--scenario", scenario, "-o", t.TempDir())
			assert.NoError(t, err, out)
			assert.Contains(t, out, "0 failed", out)
		})
	}
}
