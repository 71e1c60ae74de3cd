package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/sandbox"
)

// withoutLandlock executes the command of its arguments on a simulated kernel without Landlock: the
// first of its system calls returns ENOSYS.
func withoutLandlock() {
	runtime.LockOSThread()
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_LANDLOCK_CREATE_RULESET, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	}
	if err == nil {
		err = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
	panic(err)
}

// boxed runs ripple with consoles of its own.
type boxed struct {
	ripple, dir string
	env         []string
}

func newBoxed(t *testing.T) boxed {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	home, err := os.MkdirTemp("", "box") // a short path, because it holds sockets
	require.NoError(t, err)
	b := boxed{ripple: path, dir: filepath.Join(home, "work"), env: append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_STATE_HOME="+home+"/state", "LC_ALL=C")}
	require.NoError(t, os.Mkdir(b.dir, 0o700))
	t.Cleanup(func() {
		_, said, code := b.run(t, b.ripple, "console", "close", "--all")
		assert.Zero(t, code, said)
		assert.NoError(t, os.RemoveAll(home))
	})
	return b
}

func (b boxed) run(t *testing.T, argv ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience(time.Minute))
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	if argv[0] == os.Args[0] {
		cmd.Args = append([]string{"without_landlock"}, argv[1:]...)
	}
	var out, said bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = b.env, &out, &said, time.Second
	_ = cmd.Run() // the exit code is returned
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

// The kernel prevents the program and its descendants from writing elsewhere; otherwise the console
// works like any other.
func TestSandbox(t *testing.T) {
	enforced, err := sandbox.Check("/")
	if err != nil {
		t.Skip(err)
	}
	b := newBoxed(t)
	outside := filepath.Join(filepath.Dir(b.dir), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("kept"), 0o600))
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)

	_, said, code := b.run(t, b.ripple, "console", "start", "bash", "--name", "box", "--cwd", b.dir, "--sandbox")
	require.Zero(t, code, said)
	assert.Contains(t, said, "writes only below "+b.dir+" and its own TMPDIR; refused: writing, ")
	for _, tt := range []struct {
		name, command string
		abi           int
		allowed       bool
	}{
		{"write below it", "echo x >in", 3, true},
		{"make and move below it", "mkdir -p d/e && mv in d/e/ && mv d/e f && rm -r d f", 3, true},
		{"its own temporary directory", `f=$(mktemp) && echo x >"$f" && mv "$f" moved && rm moved`, 3, true},
		{"read elsewhere", "cat ../outside", 3, true},
		{"the terminal and /dev/null", "stty -a </dev/tty >/dev/null && : >/dev/null", 3, true},
		{"write elsewhere", "echo x >../outside", 3, false},
		{"a grandchild writes elsewhere", `sh -c 'sh -c "echo x >../outside"'`, 3, false},
		{"make elsewhere", "mkdir ../made", 3, false},
		{"remove elsewhere", "rm ../outside", 3, false},
		{"empty elsewhere", "truncate -s 0 ../outside", 3, false},
		{"move out", "touch in && mv in ../moved", 3, false},
		{"link in and write", "ln -s ../outside link; echo x >link", 3, false},
		{"somebody else's temporary files", "echo x >/tmp/ripple-test-sandbox", 3, false},
		{"connect by TCP", "(: </dev/tcp/127.0.0.1/" + port + ")", 4, false},
		{"signal the host", "kill -0 $PPID", 6, false},
	} {
		if enforced.ABI < tt.abi {
			continue // documented as not covered
		}
		out, said, code := b.run(t, b.ripple, "console", "exec", "box", tt.command)
		assert.Equal(t, tt.allowed, code == 0, "%s: %d %s%s", tt.name, code, out, said)
	}
	kept, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "kept", string(kept))

	out, said, code := b.run(t, b.ripple, "console", "read", "box", "--command", "4")
	assert.Zero(t, code, said)
	assert.Equal(t, "kept\n", out, "the host writes its record")
	out, _, _ = b.run(t, b.ripple, "console", "list", "--json")
	var list []struct{ Sandbox sandbox.Enforced }
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	enforced.Dir = b.dir
	assert.Equal(t, enforced, list[0].Sandbox)
}

// Operations that no kernel refuses are documented as such.
func TestDocumentedGapsOfTheSandbox(t *testing.T) {
	enforced, err := sandbox.Check("/")
	if err != nil {
		t.Skip(err)
	}
	b := newBoxed(t)
	outside := filepath.Join(filepath.Dir(b.dir), "outside")
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	_, said, code := b.run(t, b.ripple, "console", "start", "bash", "--name", "box", "--cwd", b.dir, "--sandbox")
	require.Zero(t, code, said)
	out, said, code := b.run(t, b.ripple, "console", "exec", "box", "chmod 640 ../outside")
	require.Zero(t, code, out+said)
	assert.Contains(t, enforced.NotCovered, "changing modes, owners and times of files")
}

// Without Landlock in the kernel nothing is started, and the reason is reported.
func TestWithoutLandlockNothingStarts(t *testing.T) {
	b := newBoxed(t)
	for _, command := range [][]string{
		{"console", "start", "bash", "--name", "box", "--cwd", b.dir, "--sandbox"},
		{"mcp", "--sandbox", "--cwd", b.dir},
		{"console", "confine", b.dir, b.dir, "--", "/bin/true"},
	} {
		out, said, code := b.run(t, append([]string{os.Args[0], b.ripple}, command...)...)
		assert.Equal(t, ui.ExitMissing, code, "%s: %s%s", command, out, said)
		assert.Contains(t, said, "no sandbox is possible here: the kernel has no Landlock")
	}
	out, _, _ := b.run(t, b.ripple, "console", "list")
	assert.Empty(t, out)
	out, said, code := b.run(t, append([]string{os.Args[0]}, b.ripple, "console", "start", "bash", "--name", "box", "--cwd", b.dir)...)
	assert.Zero(t, code, "without a sandbox it starts: %s%s", out, said)
}

// A server whose consoles have a sandbox neither starts nor uses consoles without one.
func TestSandboxOfAServer(t *testing.T) {
	if _, err := sandbox.Check("/"); err != nil {
		t.Skip(err)
	}
	b := newBoxed(t)
	_, said, code := b.run(t, b.ripple, "console", "start", "bash", "--name", "free", "--cwd", b.dir)
	require.Zero(t, code, said)
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
	defer cancel()
	cmd := exec.Command(b.ripple, "mcp", "--sandbox", "--cwd", b.dir)
	cmd.Env = b.env
	c, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, c.Close()) }()
	call := func(tool string, args map[string]any) string {
		r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		require.NoError(t, err)
		return r.Content[0].(*mcp.TextContent).Text
	}
	require.NoError(t, os.Mkdir(filepath.Join(b.dir, "sub"), 0o700))
	assert.Contains(t, call("console_start", map[string]any{"name": "box", "cwd": "sub"}), "[box] idle cwd="+b.dir+"/sub\nsandbox: writes only below "+b.dir+" and its own TMPDIR; refused: ")
	text := call("console_exec", map[string]any{"console": "box2", "code": "echo x >../outside; echo y >in; ls"})
	assert.Contains(t, text, "../outside: Permission denied\nin  sub\n")
	assert.Contains(t, call("console_exec", map[string]any{"console": "free", "code": "true"}), "console free is not in the sandbox of this server, "+b.dir)
	assert.NoFileExists(t, filepath.Join(filepath.Dir(b.dir), "outside"))
}
