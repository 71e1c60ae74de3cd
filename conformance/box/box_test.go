//go:build linux

package box

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// each runs a test that is the same for each kind of user, with its own fixture: as one of them in the sample, by turns.
func each(t *testing.T, test func(t *testing.T, ripple string, f *fixture)) {
	t.Helper()
	users := slices.Sorted(maps.Keys(kinds()))
	if taken := testkit.Times(t, 1, len(users)); taken < len(users) {
		users = []string{users[crc32.ChecksumIEEE([]byte(t.Name()))%uint32(len(users))]}
	}
	eachOf(t, users, test)
}

// everyKind runs a test that differs by the kind of user, always as each of them.
func everyKind(t *testing.T, test func(t *testing.T, ripple string, f *fixture)) {
	t.Helper()
	eachOf(t, slices.Sorted(maps.Keys(kinds())), test)
}

func eachOf(t *testing.T, users []string, test func(t *testing.T, ripple string, f *fixture)) {
	t.Helper()
	s := newServices(t)
	ripple := built(t)
	for _, kind := range users {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, ripple, newFixture(t, s, kinds()[kind]))
		})
	}
}

// outcome runs a command and returns its output and exit code.
func (f *fixture) outcome(t *testing.T, name string, args ...string) (stdout, stderr string, code int) {
	cmd := f.command(t, name, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run() // the exit code is returned
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

// leftovers returns the private directories of boxes in temp.
func (f *fixture) leftovers(t *testing.T, temp string) []string {
	t.Helper()
	names, err := filepath.Glob(temp + "/ripple-box-*")
	require.NoError(t, err)
	return names
}

// A program works normally in a box. Its results stay in the working tree, and nothing else is
// left.
func TestBoxedProgramWorks(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		temp := f.base + "/temp"
		require.NoError(t, os.Mkdir(temp, 0o777))
		require.NoError(t, os.Chmod(temp, 0o777))
		out, said, code := f.outcome(t, "env", "TMPDIR="+temp, ripple, "box", "--", "bash", "-ec", `
			echo text >file; git add file; git commit -qm made; git checkout -qb branch; git gc -q
			git init -q inner; git -C inner commit -q --allow-empty -m inner
			mkdir -p ~/.cache; echo cached >~/.cache/x; mktemp >/dev/null
			cat ~/.cache/x; python3 -c 'import socketserver,socket,threading
s=socketserver.TCPServer(("127.0.0.1",0),socketserver.BaseRequestHandler); threading.Thread(target=s.handle_request).start()
socket.create_connection(s.server_address).close(); print("served")'; exit 42`)
		assert.Equal(t, 42, code, said)
		assert.Equal(t, "cached\nserved\n", out)
		assert.Empty(t, said)
		log, _, _ := f.outcome(t, "git", "log", "--format=%s", "branch")
		assert.Equal(t, "made\nw\n", log)
		assert.NoFileExists(t, f.variables["W"]+"/.git/commondir")
		assert.NoDirExists(t, f.variables["H"]+"/.cache")
		assert.Empty(t, f.leftovers(t, temp))
		_, _, code = f.outcome(t, ripple, "box", "--", "sh", "-c", "kill -TERM $$")
		assert.Equal(t, 128+int(syscall.SIGTERM), code)
		_, said, code = f.outcome(t, ripple, "box", "--", "no-such-program")
		assert.Equal(t, 127, code, said)
		assert.Contains(t, said, "no-such-program")
	})
}

// A program cannot open files that are its standard streams with other rights. Its output is written in order, what it does not
// read is left for the next program, and the limit for files applies.
func TestStandardStreams(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		const attack = `echo PWNED >/proc/self/fd/0; dd if=/proc/$$/fd/1 of=got iflag=nonblock status=none; : >/proc/self/fd/2; echo done`
		read := func(path string) string {
			text, err := os.ReadFile(f.base + path)
			require.NoError(t, err)
			return string(text)
		}
		for _, run := range []string{"bash -c", `"$0" box -- bash -c`} {
			_, said, code := f.outcome(t, "bash", "-c", `cp "$V/file" "$V/in"; cp "$O/secret" "$V/log"; cp "$O/secret" "$V/err"; `+run+` "$1" <"$V/in" >>"$V/log" 2>>"$V/err"`, ripple, attack)
			assert.Zero(t, code, said)
			attacked := strings.Contains(read("/visible/in"), harmed) && strings.Contains(read("/tree/got"), secret) && !strings.Contains(read("/visible/err"), secret)
			assert.Equal(t, run == "bash -c", attacked, run)
		}
		assert.NotContains(t, read("/visible/in"), harmed)
		assert.NotContains(t, read("/tree/got"), secret)
		assert.Equal(t, secret+"\ndone\n", read("/visible/log"))
		assert.True(t, strings.HasPrefix(read("/visible/err"), secret))

		out, said, code := f.outcome(t, "bash", "-ec", `seq 100000 >lines; { "$0" box -- true; "$0" box -- sh -c 'read a; read b; echo $a $b' | cat; read a; echo $a; } <lines
			for i in 1 2; do "$0" box -- sh -c 'for i in 1 2 3 4; do echo out$i; echo err$i >&2; done'; done >both 2>&1; cat both; [ "$("$0" box -- wc -l <lines)" = 100000 ]
			"$0" box -- sh -c 'cat /proc/self/fd/0/secret' <"$O" 2>/dev/null || "$0" box --file-size 1K -- seq 100000 >limited || stat -c %s limited`, ripple)
		assert.Zero(t, code, said)
		lines := "out1\nerr1\nout2\nerr2\nout3\nerr3\nout4\nerr4\n"
		assert.Equal(t, "1 2\n3\n"+lines+lines+"1024\n", out)
	})
}

// In a linked working tree, commits reach the repository, and its settings do not change.
func TestLinkedWorkingTree(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		linked := f.base + "/linked"
		out, err := f.command(t, "git", "worktree", "add", "-q", "tree", "-b", "linked").CombinedOutput()
		require.NoError(t, err, string(out))
		_, said, code := f.outcome(t, "bash", "-c", `cd tree && rm ../.git/worktrees/tree/config.worktree && exec "$0" box -- bash -c '
			echo x >f && git add f && git commit -qm linked || exit 1
			git config core.fsmonitor PWNED; echo PWNED >../.git/hooks/x; echo "gitdir: PWNED" >.git; echo PWNED >"$(git rev-parse --git-dir)/config.worktree"; ls "$(git rev-parse --git-common-dir)/worktrees"; exit 0'`, ripple)
		assert.Zero(t, code, said)
		log, _, _ := f.outcome(t, "git", "log", "--format=%s", "linked")
		assert.Equal(t, "linked\nw\n", log)
		assert.Empty(t, f.harm(t, said))
		text, err := os.ReadFile(f.variables["W"] + "/tree/.git")
		require.NoError(t, err)
		assert.NotContains(t, string(text), harmed)
		assert.Empty(t, containing(t, harmed, f.variables["W"]+"/.git/worktrees"))
		assert.NoDirExists(t, linked)
	})
}

// Settings of another working tree of the repository, which its user's git reads, do not change.
func TestSettingsOfOtherWorkingTrees(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, "bash", "-c", `git worktree add -q ../wt2 && git config extensions.worktreeConfig true && exec "$0" box -- bash -c '
			echo PWNED >.git/worktrees/wt2/config.worktree; mv .git/worktrees .git/w; echo x >new && git add new && git commit -qm made'`, ripple)
		assert.Zero(t, code, said)
		assert.Empty(t, containing(t, harmed, f.variables["W"]+"/.git"))
	})
}

// A .git file that names a directory inside of the working tree is refused: the program could write what git runs there, and
// the directory may be a hidden one.
func TestSeparateRepository(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		for _, pointer := range []string{"g", "g/x", ".", "../link/g"} {
			_, said, code := f.outcome(t, "bash", "-c", `mkdir -p tree/g/x && ln -sfn tree link && cd tree && echo "gitdir: $0" >.git && exec "$1" box -- cat .git`, pointer, ripple)
			assert.Equal(t, 2, code, said)
			assert.Contains(t, said, "inside of the working tree")
			_, err := os.Stat(f.variables["W"] + "/tree/" + pointer + "/hooks")
			assert.ErrorIs(t, err, os.ErrNotExist)
		}
	})
}

// A .git file gives no access to a repository that does not point back to it.
func TestForgedPointer(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, "bash", "-c", `mkdir forged; echo "gitdir: $O/.git" >forged/.git; cd forged && exec "$0" box -- bash -c "ls $O; cat $O/secret"`, ripple)
		assert.NotZero(t, code)
		assert.Contains(t, said, "No such file or directory")
		assert.Empty(t, f.harm(t, said))
	})
}

// The proxy reports each refused connection once, while the program runs. Allowed ones work.
func TestDenials(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		out, said, code := f.outcome(t, ripple, "box", "--net", "allowed.test:80="+f.front, "--", "bash", "-c",
			`curl -sS http://allowed.test/; for i in 1 2; do curl -s https://denied.test/; curl -s http://denied.test:8080/; done; exit 0`)
		assert.Zero(t, code, said)
		assert.Contains(t, out, "ok\n")
		assert.Equal(t, []string{
			`ripple: the box denied a connection to "denied.test" port 443: not an allowed host`,
			`ripple: the box denied a connection to "denied.test" port 8080: not an allowed host`,
		}, strings.Split(strings.TrimSpace(said), "\n"))
	})
}

// Without a terminal, an interrupt of ripple, or of its process group, reaches the program in the box.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		for _, to := range []string{`"$p"`, `"-$p"`} {
			out, said, code := f.outcome(t, "setsid", "-w", "bash", "-c", `set -m; rm -f out ready; mkfifo ready
				"$0" box -- bash -c 'trap "echo interrupted >>out; exit 5" INT; echo >ready; sleep 1000 & wait' & p=$!
				read <ready; kill -INT -- `+to+`; wait $p; echo $?; cat out`, ripple)
			assert.Zero(t, code, said)
			assert.Equal(t, "5\ninterrupted\n", out, "%s: %s", to, said)
		}
	})
}

// When ripple is killed, no process of the box survives.
func TestKilledRippleLeavesNoProcess(t *testing.T) {
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		cmd := f.command(t, ripple, "box", "--", "bash", "-c", `setsid -f bash -c "exec -a `+f.variables["ID"]+`-survivor sleep 1000"; echo there; exec sleep 1000`)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = out.Read(make([]byte, 9))
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Kill())
		rest := make([]byte, 9)
		n, err := out.Read(rest) // EOF comes when the last process of the box has exited
		assert.Error(t, err, string(rest[:n]))
		_ = cmd.Wait()
		assert.Zero(t, f.survivor())
	})
}

// Without bubblewrap, the program is not run.
func TestWithoutBubblewrap(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, "unshare", "-Urm", "sh", "-c", `for b in /usr/bin/bwrap /usr/local/bin/bwrap; do [ ! -e $b ] || mount --bind /dev/null $b || exit 99; done
			exec "$0" box -- touch ran`, ripple)
		assert.Equal(t, 3, code, said)
		assert.Contains(t, said, "ripple: this machine cannot run a box: bubblewrap (bwrap) is not installed")
		assert.Contains(t, said, "install")
		assert.NoFileExists(t, f.variables["W"]+"/ran")
	})
}

// Without namespaces, the program is not run.
func TestWithoutNamespaces(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, "unshare", "-Ur", "sh", "-c", `echo 0 >/proc/sys/user/max_user_namespaces || exit 99; exec "$0" box -- touch ran`, ripple)
		assert.Equal(t, 3, code, said)
		assert.Contains(t, said, "ripple: this machine cannot run a box: bubblewrap cannot create namespaces")
		assert.Contains(t, said, "sudo sysctl -w user.max_user_namespaces=")
		assert.NoFileExists(t, f.variables["W"]+"/ran")
	})
}

// Policies that would expose more than anyone intends are rejected.
func TestTooWide(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, ripple string, f *fixture) {
		for _, args := range []string{`--write "$H"`, `--write /`, `--write /usr`, `--write /tmp`, `--write /proc`, `--write none`, `--net 127.1`, `--memory x`, `--processes -1`} {
			_, said, code := f.outcome(t, "bash", "-c", fmt.Sprintf(`exec %s box %s -- touch ran`, ripple, args))
			assert.Equal(t, 2, code, "%s: %s", args, said)
		}
		_, said, code := f.outcome(t, "bash", "-c", `cd "$H" && exec `+ripple+` box -- touch ran`)
		assert.Equal(t, 2, code, said)
		assert.NoFileExists(t, f.variables["H"]+"/ran")
		assert.NoFileExists(t, f.variables["W"]+"/ran")
	})
}

// A limit that the kernel would not enforce is an error, and the command is not run.
func TestProcessesOfRoot(t *testing.T) {
	possible(t)
	everyKind(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, ripple, "box", "--processes", "40", "--", "touch", "ran")
		if os.Geteuid() == 0 && f.credential == nil {
			assert.Equal(t, 2, code, said)
			assert.Contains(t, said, "the kernel does not limit root's processes")
			assert.NoFileExists(t, f.variables["W"]+"/ran")
		} else {
			assert.Zero(t, code, said)
			assert.FileExists(t, f.variables["W"]+"/ran")
		}
	})
}

// A program in a box can create namespaces only if that was asked for. For root it is an error.
func TestNest(t *testing.T) {
	t.Parallel()
	possible(t)
	everyKind(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, ripple, "box", "--", "unshare", "-Ur", "touch", "without")
		assert.NotZero(t, code, said)
		assert.NoFileExists(t, f.variables["W"]+"/without")
		_, said, code = f.outcome(t, ripple, "box", "--nest", "--", "unshare", "-Ur", "touch", "nested")
		if os.Geteuid() == 0 && f.credential == nil {
			assert.Equal(t, 2, code, said)
			assert.Contains(t, said, "run the box as another user")
			assert.NoFileExists(t, f.variables["W"]+"/nested")
		} else {
			assert.Zero(t, code, said)
			assert.FileExists(t, f.variables["W"]+"/nested")
		}
	})
}

// A secret in a readable directory stays hidden when a program outside replaces it, and when it is a
// symbolic link. Secrets that are created and removed meanwhile do not keep a box from starting.
func TestSecretsThatChange(t *testing.T) {
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		home, tree := f.variables["H"], f.variables["W"]
		script := `cat ~/.netrc ~/dots/login ~/.pgpass; echo started >started; until [ -e go ]; do sleep 0.01; done; cat ~/.netrc ~/dots/login ~/.pgpass`
		require.NoError(t, os.MkdirAll(home+"/dots", 0o755))
		write := func(name, text string) { // by renaming, as programs do
			require.NoError(t, os.WriteFile(home+"/new", []byte(text), 0o644))
			require.NoError(t, os.Rename(home+"/new", home+"/"+name))
		}
		write(".netrc", "TOKEN first")
		write("dots/login", "TOKEN link")
		require.NoError(t, os.RemoveAll(home+"/.pgpass"))
		require.NoError(t, os.Symlink("dots/login", home+"/.pgpass"))
		cmd := f.command(t, ripple, "box", "--read", home, "--", "bash", "-c", script)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { _, err := os.Stat(tree + "/started"); return err == nil }, testkit.Patience(time.Minute), time.Millisecond)
		write(".netrc", "TOKEN second")
		write("dots/login", "TOKEN second link")
		require.NoError(t, os.WriteFile(tree+"/go", nil, 0o644))
		_ = cmd.Wait() // the last cat fails, as it has to
		assert.Contains(t, said.String(), ".netrc: No such file")
		assert.NotContains(t, said.String(), "TOKEN")

		// Dotfiles of a manager: a linked directory with a secret that is created later.
		require.NoError(t, os.RemoveAll(home+"/.config"))
		require.NoError(t, os.MkdirAll(home+"/dots/config/git", 0o755))
		require.NoError(t, os.WriteFile(home+"/dots/config/git/config", nil, 0o644))
		require.NoError(t, os.Symlink("dots/config", home+"/.config"))
		require.NoError(t, os.Remove(tree+"/started"))
		require.NoError(t, os.Remove(tree+"/go"))
		cmd = f.command(t, ripple, "box", "--read", home, "--", "bash", "-c", `cat ~/.config/git/config && echo started >started; until [ -e go ]; do sleep 0.01; done; cat ~/.config/gh/hosts`)
		cmd.Stdout, cmd.Stderr = &said, &said
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { _, err := os.Stat(tree + "/started"); return err == nil }, testkit.Patience(time.Minute), time.Millisecond, "%s", &said)
		require.NoError(t, os.MkdirAll(home+"/dots/config/gh", 0o755))
		require.NoError(t, os.WriteFile(home+"/dots/config/gh/hosts", []byte("TOKEN late"), 0o644))
		require.NoError(t, os.WriteFile(tree+"/go", nil, 0o644))
		_ = cmd.Wait() // the last cat fails, as it has to
		assert.NotContains(t, said.String(), "TOKEN")

		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
					_ = os.WriteFile(home+"/.git-credentials", nil, 0o600) // the boxes say whether it mattered
					_ = os.Remove(home + "/.git-credentials")
				}
			}
		}()
		for range testkit.Times(t, 3, 8) {
			_, said, code := f.outcome(t, ripple, "box", "--read", home, "--", "true")
			assert.Zero(t, code, said)
		}
		close(stop)
		<-stopped
	})
}

// The document lists every class of attacks, and only tests that exist.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile("../../docs/box.md")
	require.NoError(t, err)
	classes := map[string]bool{}
	for _, a := range attacks(t) {
		class, _, _ := strings.Cut(a.name, "/")
		classes[class] = true
	}
	for class := range classes {
		assert.Contains(t, string(page), "`"+class+"/…`")
	}
	for _, m := range strings.Split(string(page), "`")[1:] {
		if strings.HasPrefix(m, "Test") {
			out, err := exec.Command("grep", "-rlq", "func "+m+"(", "..", "../../runtime", "../../cmd").CombinedOutput()
			assert.NoError(t, err, "%s: no such test: %s", m, out)
		}
	}
}
