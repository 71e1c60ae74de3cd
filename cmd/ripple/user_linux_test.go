package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	expect "github.com/Netflix/go-expect"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
)

// otherUser is a user other than root, for tests of permissions.
type otherUser struct {
	name, home, password string
	uid, gid             int
	ripple               string // a copy that the user may execute
}

// newUser adds a user to the system, until the end of all tests.
var newUser = sync.OnceValues(func() (*otherUser, error) {
	p := &otherUser{name: fmt.Sprintf("rpl%d", os.Getpid()), password: "Not-a-real-1"}
	home, err := os.MkdirTemp("", "ripple-user-")
	if err != nil {
		return nil, err
	}
	p.home = home
	built, err := binary()
	if err != nil {
		return nil, err
	}
	add := exec.Command("useradd", "-M", "-d", home, "-s", "/bin/bash", p.name)
	if err := patiently(add); err != nil {
		return nil, err
	}
	atEnd = append(atEnd, p.remove)
	chpasswd := exec.Command("chpasswd")
	chpasswd.Stdin = strings.NewReader(p.name + ":" + p.password + "\n")
	if err := patiently(chpasswd); err != nil {
		return nil, err
	}
	u, err := user.Lookup(p.name)
	if err != nil {
		return nil, err
	}
	p.uid, _ = strconv.Atoi(u.Uid) // the IDs are numeric on this system
	p.gid, _ = strconv.Atoi(u.Gid)
	p.ripple = filepath.Join(home, "ripple")
	if err := exec.Command("cp", built, p.ripple).Run(); err != nil {
		return nil, err
	}
	return p, errors.Join(os.Chown(home, p.uid, p.gid), os.Chmod(home, 0o755))
})

// patiently runs a command of shadow(8), retrying while another one holds the lock.
func patiently(cmd *exec.Cmd) (err error) {
	var out []byte
	in := cmd.Stdin
	for range 30 {
		again := exec.Command(cmd.Path, cmd.Args[1:]...)
		if r, is := in.(*strings.Reader); is {
			_, _ = r.Seek(0, 0) // seeking in a string cannot fail
			again.Stdin = r
		}
		if out, err = again.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("lock")) {
			break
		}
		time.Sleep(time.Second)
	}
	if err != nil {
		return fmt.Errorf("%v: %w: %s", cmd.Args, err, out)
	}
	return nil
}

// remove is called at the end of all tests.
func (p *otherUser) remove() {
	_ = patiently(exec.Command("userdel", p.name)) // at worst the user stays
	_ = os.RemoveAll(p.home)
}

// asOtherUser skips a test if no user can be added.
func asOtherUser(t *testing.T) *otherUser {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("adding a user of its own needs root")
	}
	for _, name := range []string{"useradd", "userdel", "chpasswd", "su", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed: CI must add a user", name)
			}
			t.Skipf("%s is not installed", name)
		}
	}
	p, err := newUser()
	require.NoError(t, err)
	return p
}

// command returns ripple run by that user, with a home for the test.
func (p *otherUser) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(p.ripple, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + p.homeOf(t), "TERM=xterm-256color", "NO_COLOR=1", "LANG=C.UTF-8", "XDG_RUNTIME_DIR=" + p.homeOf(t)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(p.uid), Gid: uint32(p.gid)}}
	return cmd
}

// homeOf returns the user's home in a test.
func (p *otherUser) homeOf(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(p.home, strings.NewReplacer("/", "-").Replace(t.Name()))
	if os.Mkdir(dir, 0o700) == nil {
		require.NoError(t, os.Chown(dir, p.uid, p.gid))
		t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	}
	return dir
}

// run runs ripple to its end.
func (p *otherUser) run(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	b, err := p.command(t, args...).CombinedOutput()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		require.NoError(t, err)
		return "", -1
	}
	if err != nil {
		return string(b), err.(*exec.ExitError).ExitCode()
	}
	return string(b), 0
}

// onTerminal runs ripple on a terminal.
func (p *otherUser) onTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	return p.onTerminalIn(t, "/", args...)
}

// onTerminalIn runs ripple on a terminal in a directory.
func (p *otherUser) onTerminalIn(t *testing.T, dir string, args ...string) *terminal {
	t.Helper()
	console, err := expect.NewConsole(expect.WithDefaultTimeout(testkit.Patience(30 * time.Second)))
	require.NoError(t, err)
	cmd := p.command(t, args...)
	cmd.Dir = dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = console.Tty(), console.Tty(), console.Tty()
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
	require.NoError(t, cmd.Start())
	require.NoError(t, console.Tty().Close()) // so that the program's end is the end of output
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it should have ended
		_ = console.Close()    // the tty was closed before
	})
	return &terminal{console, t, cmd}
}

// su asks for the user's own password, running as another user: its state cannot be observed.
func (p *otherUser) su(code string) string { return fmt.Sprintf("su %s -c '%s'", p.name, code) }

func TestAnotherUsersProgramAsksForASecret(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	c := p.onTerminal(t, "exec", "bash", p.su(`echo "I am $(id -un)"; read -r x; echo "got <$x>"`))
	c.expect("assword: ")
	c.expect("the program waits for a secret")
	require.Eventually(t, c.silent, testkit.Patience(30*time.Second), time.Millisecond)
	c.send(p.password + "\n")
	seen := c.expect("I am " + p.name)
	require.Eventually(t, func() bool { return !c.silent() }, testkit.Patience(30*time.Second), time.Millisecond)
	c.send("yes\n")
	rest, code := c.exit()
	assert.Contains(t, rest, "got <yes>")
	assert.Zero(t, code)
	assert.NotContains(t, seen+rest, p.password)
}

// Root with the user's environment, as with sudo -E, leaves the user's consoles alone.
func TestRootIgnoresConsolesOfOthers(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	_, code := p.run(t, "console", "start", "bash", "--name", "mine")
	require.Zero(t, code)
	t.Cleanup(func() { _, _ = p.run(t, "console", "close", "mine", "--kill") })
	state := func() string {
		var all strings.Builder
		require.NoError(t, filepath.Walk(p.homeOf(t), func(path string, info os.FileInfo, err error) error {
			if err == nil {
				fmt.Fprintln(&all, path, info.Sys().(*syscall.Stat_t).Uid, info.Mode(), info.Size())
			}
			return err
		}))
		return all.String()
	}
	before := state()
	for _, args := range [][]string{{"console", "list"}, {"console", "exec", "mine", "id"}, {"console", "close", "--all"}} {
		root := p.command(t, args...)
		root.SysProcAttr = nil
		_ = root.Run() // having no console may be an error
	}
	assert.Equal(t, before, state(), "the user's files are unchanged, and none added")
	out, code := p.run(t, "console", "exec", "mine", "echo still here")
	assert.Zero(t, code, out)
	assert.Contains(t, out, "still here")
}

// A user who may read a project can see the state of its loop; files that root would write there
// are refused.
func TestProjectsOfOthers(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	project := filepath.Join(p.homeOf(t), "project")
	require.NoError(t, os.Mkdir(project, 0o700))
	require.NoError(t, os.Chown(project, p.uid, p.gid))
	in := func(cmd *exec.Cmd) (string, error) {
		cmd.Dir = project
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	sudo := p.command(t, "init")
	sudo.SysProcAttr.Credential = nil
	sudo.Env = append(sudo.Env, "SUDO_UID="+strconv.Itoa(p.uid))
	out, err := in(sudo)
	assert.Error(t, err)
	assert.Contains(t, out, "this directory belongs to "+p.name)
	assert.NoDirExists(t, filepath.Join(project, ".ralph"))

	group := p.command(t, "-c", `umask 002; "$0" init && exec "$0" run --adapter rehearsal --max-turns 1`, p.ripple)
	group.Path, group.Args[0] = "/bin/sh", "sh"
	_, err = in(group)
	require.Error(t, err, "there is more to do")
	for _, name := range []string{".ralph", ".ralph/events.jsonl", ".ralph/status.json", ".ralph/loop.lock"} {
		info, err := os.Stat(filepath.Join(project, name))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o060), info.Mode()&0o060, "%s is the group's", name)
	}
	for _, args := range [][]string{{"reset", "session"}, {"reset", "circuit"}, {"answer", "yes"}, {"guide", "words"}, {"trust"}} {
		sudo := p.command(t, args...)
		sudo.SysProcAttr.Credential = nil
		sudo.Env = append(sudo.Env, "SUDO_UID="+strconv.Itoa(p.uid))
		out, err := in(sudo)
		assert.Error(t, err)
		assert.Contains(t, out, "this directory belongs to "+p.name, args)
	}
	stop := p.command(t, "stop")
	stop.SysProcAttr.Credential = nil
	stop.Env = append(stop.Env, "SUDO_UID="+strconv.Itoa(p.uid))
	out, err = in(stop)
	assert.Error(t, err)
	assert.Contains(t, out, "no loop runs here", "root may stop one")
	for _, dir := range []string{project, filepath.Dir(project)} {
		require.NoError(t, os.Chmod(dir, 0o755))
	}
	for _, args := range [][]string{{"status"}, {"watch"}, {"replay"}} {
		reader := p.command(t, args...)
		reader.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		out, err := in(reader)
		assert.NoError(t, err, "%v: %s", args, out)
	}
}

// Each user of a shared project approves its loop once: one user's approval keeps that of another.
func TestUsersOfAGroupApproveALoopOnce(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	project := filepath.Join(p.homeOf(t), "shared")
	require.NoError(t, os.MkdirAll(project, 0o700))
	require.NoError(t, os.Chown(project, p.uid, p.gid))
	require.NoError(t, os.Chmod(project, os.ModeSetgid|0o775))
	require.NoError(t, os.Chmod(filepath.Dir(project), 0o755))
	other := filepath.Join(p.homeOf(t), "other")
	require.NoError(t, os.Mkdir(other, 0o700))
	require.NoError(t, os.Chown(other, 65534, 65534))
	run := func(uid int, home string, args ...string) string {
		t.Helper()
		cmd := p.command(t, append([]string{"-c", `umask 002; exec "$0" "$@"`, p.ripple}, args...)...)
		cmd.Path, cmd.Args[0], cmd.Dir = "/bin/sh", "sh", project
		cmd.Env = append(cmd.Env, "HOME="+home, "XDG_RUNTIME_DIR=")
		cmd.SysProcAttr.Credential.Uid = uint32(uid)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
		return string(out)
	}
	first := func(args ...string) string { return run(p.uid, p.homeOf(t), args...) }
	second := func(args ...string) string { return run(65534, other, args...) }
	first("init")
	assert.Contains(t, second("trust"), "this project is trusted")
	for range 2 {
		assert.Contains(t, first("trust"), "nothing here needs approval")
		assert.Contains(t, second("trust"), "nothing here needs approval")
	}
}

func TestAnInaccessibleDirectory(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	dir := filepath.Join(p.homeOf(t), "closed")
	require.NoError(t, os.Mkdir(dir, 0o700)) // owned by root
	out, code := p.run(t, "exec", "bash", "--cwd", dir, "pwd")
	assert.Equal(t, ui.ExitUsage, code)
	assert.Contains(t, out, `working directory "`+dir+`": permission denied`)
}

func TestAnotherUsersProgramIsInterrupted(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	c := p.onTerminal(t, "exec", "bash", p.su("id"))
	c.expect("the program waits for a secret")
	c.send("\x03")
	_, code := c.exit()
	assert.Equal(t, ui.ExitInterrupted, code)
}

func TestNoUserAnswersAnotherUsersProgram(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	out, code := p.run(t, "exec", "bash", p.su("id"))
	assert.Equal(t, ui.ExitTimeout, code)
	assert.Contains(t, out, "interrupted: it waited for input that nobody can type")
}

// PAM blocks the interrupt while passwd asks.
func TestNoUserAnswersPasswd(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	for _, shell := range []string{"bash", "zsh"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			out, code := p.run(t, "exec", shell, "passwd")
			assert.Equal(t, ui.ExitTimeout, code)
			assert.Contains(t, out, "interrupted: it waited for input that nobody can type\n")
		})
	}
}

func TestNoClientTypesASecretForAnotherUsersProgram(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	_, code := p.run(t, "console", "start", "bash", "--name", "c")
	require.Zero(t, code)
	t.Cleanup(func() { _, _ = p.run(t, "console", "close", "c", "--kill") })
	out, code := p.run(t, "console", "exec", "c", p.su("echo I am $(id -un)"))
	assert.Equal(t, ui.ExitTimeout, code)
	assert.Contains(t, out, "assword: ", "its question is shown")
	assert.Contains(t, out, "the command waits for a secret")
	out, _ = p.run(t, "console", "list")
	assert.Contains(t, out, "waiting_for_secret")
	out, code = p.run(t, "console", "send", "c", p.password, "--key", "enter")
	assert.Equal(t, ui.ExitFailed, code)
	assert.Contains(t, out, "a secret, which a user should type")

	secret := p.command(t, "console", "send", "c", "--secret")
	secret.Stdin = strings.NewReader(p.password + "\n")
	require.NoError(t, secret.Run())
	out, code = p.run(t, "console", "wait", "c")
	assert.Zero(t, code)
	assert.Contains(t, out, "I am "+p.name)

	_, code = p.run(t, "console", "exec", "c", p.su("id"))
	assert.Equal(t, ui.ExitTimeout, code)
	out, code = p.run(t, "console", "send", "c", "--key", "C-c")
	assert.Zero(t, code, out)
	_, code = p.run(t, "console", "wait", "c")
	assert.Equal(t, ui.ExitInterrupted, code)
}

// A client types into another user's program, which reads a line with the echo on.
func TestAClientAnswersAnotherUsersProgram(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	_, code := p.run(t, "console", "start", "bash", "--name", "c")
	require.Zero(t, code)
	t.Cleanup(func() { _, _ = p.run(t, "console", "close", "c", "--kill") })
	for _, asks := range []string{"", "printf \"more? \"; "} {
		_, code = p.run(t, "console", "exec", "c", p.su(asks+"head -n 1; echo end"))
		require.Equal(t, ui.ExitTimeout, code)
		secret := p.command(t, "console", "send", "c", "--secret")
		secret.Stdin = strings.NewReader(p.password + "\n")
		require.NoError(t, secret.Run())
		out, code := p.run(t, "console", "wait", "c", "--for", "input")
		require.Zero(t, code, out)
		if asks != "" {
			out, code = p.run(t, "console", "wait", "c")
			assert.Equal(t, ui.ExitTimeout, code)
			assert.Contains(t, out, "the command waits for input")
			out, _ = p.run(t, "console", "list")
			assert.Contains(t, out, "waiting_for_input")
		}
		out, code = p.run(t, "console", "send", "c", "an answer", "--key", "enter")
		require.Zero(t, code, out)
		out, code = p.run(t, "console", "wait", "c")
		assert.Zero(t, code, out)
		assert.Contains(t, out, "an answer\nend\n")
	}
}

// A user at an attached terminal can correct a secret that a program of another user asks for.
func TestSecretTypedForAnotherUsersProgram(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	out, code := p.run(t, "console", "start", "bash", "--name", "c")
	require.Zero(t, code, out)
	t.Cleanup(func() { _, _ = p.run(t, "console", "close", "c", "--kill") })
	c := p.onTerminal(t, "console", "attach", "c")
	out, code = p.run(t, "console", "exec", "c", "--timeout", "1ms", p.su("echo I am $(id -un)"))
	require.Equal(t, ui.ExitTimeout, code, out)
	c.expect("assword: ")
	require.Eventually(t, func() bool {
		out, _ := p.run(t, "console", "list")
		return strings.Contains(out, "waiting_for_secret")
	}, testkit.Patience(30*time.Second), time.Millisecond)
	for _, key := range "wrong\x15" + p.password[:3] + "x\x7f" + p.password[3:] + "\r" {
		c.send(string(key))
	}
	seen := c.expect("I am " + p.name)
	assert.NotContains(t, seen, p.password)
	assert.NotContains(t, seen, "wrong")
}

// A client of root types into a program that su runs in a session of its own, also where root may not
// observe processes of other users, as in many containers.
func TestRootAnswersAnotherUsersProgram(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	for name, with := range map[string][]string{"visible": nil, "hidden": {"setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			run := func(args ...string) (string, int) {
				t.Helper()
				args = append(append([]string{"env", "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir}, with...), append([]string{p.ripple, "console"}, args...)...)
				cmd := exec.Command(args[0], args[1:]...)
				out, err := cmd.CombinedOutput()
				if _, failed := err.(*exec.ExitError); !failed {
					require.NoError(t, err)
				}
				return string(out), cmd.ProcessState.ExitCode()
			}
			out, code := run("start", "bash", "--name", "c")
			require.Zero(t, code, out)
			t.Cleanup(func() { _, _ = run("close", "c", "--kill") })
			out, code = run("exec", "c", "--timeout", "1ms", fmt.Sprintf("su %s -c 'head -n 1; echo end'", p.name))
			require.Equal(t, ui.ExitTimeout, code, out)
			out, code = run("wait", "c", "--for", "input")
			require.Zero(t, code, out)
			out, code = run("send", "c", "an answer", "--key", "enter")
			require.Zero(t, code, out)
			out, code = run("wait", "c")
			assert.Zero(t, code, out)
			assert.Contains(t, out, "an answer\nend\n")
		})
	}
}

// A process of another user that cannot be ended is named, once. The program chooses its name.
func TestAProcessOfAnotherUserIsLeftAndNamed(t *testing.T) {
	t.Parallel()
	p := asOtherUser(t)
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("setpriv is not installed")
	}
	home := p.homeOf(t)
	asRoot, sleep := filepath.Join(home, "asroot"), filepath.Join(home, "a\x1b[31mb")
	require.NoError(t, exec.Command("cp", setpriv, asRoot).Run())
	require.NoError(t, exec.Command("cp", "/bin/sleep", sleep).Run())
	require.NoError(t, os.Chmod(asRoot, os.ModeSetuid|0o755))
	var fs unix.Statfs_t
	require.NoError(t, unix.Statfs(home, &fs))
	if fs.Flags&unix.ST_NOSUID != 0 {
		t.Skip("the directory for temporary files is on a file system mounted nosuid: no program there runs as another user")
	}
	out, code := p.run(t, "exec", "bash", "--timeout", "1s", "'"+asRoot+"' --reuid 0 --clear-groups '"+sleep+"' 1000")
	assert.Equal(t, ui.ExitTimeout, code)
	assert.Equal(t, 1, strings.Count(out, "did not end ("), out)
	left := regexp.MustCompile(`(?m)^ripple: 1 process did not end \(.*\): (\d+) \(a\x{fffd}\[31mb\); end`).FindStringSubmatch(out)
	require.NotNil(t, left, out)
	pid, err := strconv.Atoi(left[1])
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

// A loop whose files cannot be written is refused before the user is asked to approve its programs.
func TestUnwritableProjectIsRefusedFirst(t *testing.T) {
	p := asOtherUser(t)
	for _, tt := range []struct {
		name, want string
		made       map[string]os.FileMode
	}{
		{"directory", "change to a directory of your own", map[string]os.FileMode{}},
		{"its .ralph", "run the loop as the owner of .ralph", map[string]os.FileMode{".ralph": 0o755}},
		{"its lock", "run the loop as the owner of .ralph", map[string]os.FileMode{".ralph": 0o777, ".ralph/loop.lock": 0o644}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(p.homeOf(t), "project")
			require.NoError(t, os.Mkdir(dir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "ripple.yml"), []byte("cli: {backend: custom, command: ./agent}\n"), 0o644))
			for _, name := range slices.Sorted(maps.Keys(tt.made)) {
				path := filepath.Join(dir, name)
				if tt.made[name].Perm()&0o111 != 0 {
					require.NoError(t, os.Mkdir(path, 0o755))
				} else {
					require.NoError(t, os.WriteFile(path, nil, 0o644))
				}
				require.NoError(t, os.Chmod(path, tt.made[name]))
			}
			c := p.onTerminalIn(t, dir, "run", "--prompt", "x")
			rest, code := c.exit()
			assert.Equal(t, ui.ExitFailed, code, rest)
			assert.Contains(t, rest, "cannot be written: permission denied")
			assert.Contains(t, rest, tt.want)
			assert.NotContains(t, rest, "trust")
		})
	}
}

// Services start commands without HOME: the user's home is known all the same.
func TestCommandsWithoutHOME(t *testing.T) {
	p := asOtherUser(t)
	dir := p.homeOf(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ripple.yml"), []byte("cli: {backend: custom, command: 'true'}\nloop: {max_turns: 1}\n"), 0o644))
	for _, tt := range []struct {
		args string
		want string
		code int
	}{
		{"trust --show", "cli: true", 0},
		{"run --trust --prompt x", "1 turn taken", ui.ExitLimit},
		{"console list", "no console is running", 0},
		{"mcp config gemini --write", p.home, ui.ExitUsage}, // nobody can be asked
	} {
		cmd := p.command(t, strings.Fields(tt.args)...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin"}
		out, _ := cmd.CombinedOutput() // the code shows it
		assert.Equal(t, tt.code, cmd.ProcessState.ExitCode(), string(out))
		assert.Contains(t, string(out), tt.want)
	}
}
