//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
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

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
)

// twoFilesEach is a scenario whose turns each change two files.
const twoFilesEach = `turns:
  - steps:
      - run: echo $RIPPLE_TURN > work; mkdir -p new; echo $RIPPLE_TURN > new/$RIPPLE_TURN
      - status: {STATUS: IN_PROGRESS}
`

// shooter is a hook that kills ripple once, at a given moment. It finds the inner process through
// the loop's lock.
const shooter = `#!/bin/sh
[ "$MOMENT" = "$1$2" ] || exit 0
mkdir "$SHOT" 2> /dev/null || exit 0
above() { cut -d ' ' -f 4 < /proc/$1/stat; }
inner=$(sed 's/.*"pid":\([0-9]*\).*/\1/' "$LOCK")
outer=$(above $inner)
pid=$$ gits=
while pid=$(above $pid); [ $pid -gt 1 ] && [ $pid -ne $inner ]; do gits="$gits $pid"; done
case $VICTIM in
  all) kill -9 $outer $inner $gits ;;
  outer) kill -9 $outer; exec sleep 1000 ;;
  inner) kill -9 $inner; exec sleep 1000 ;;
esac
`

// newCommitted returns a loop in a git repository that contains the user's own changes, staged and
// unstaged.
func newCommitted(t *testing.T) *testLoop {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	l := newTestLoop(t, twoFilesEach)
	require.NoError(t, os.WriteFile(filepath.Join(l.dir, ".gitconfig"), []byte("[user]\nname = t\nemail = t@localhost\n[gc]\nauto = 0\n[maintenance]\nauto = false\n[init]\ndefaultBranch = main\n"), 0o600))
	l.sh(`git init -q; echo '.ralph' > .gitignore; printf 'work filter=shot\nmine filter=made\n' > .gitattributes
		echo a > mine; echo a > staged; git add .; git commit -qm begin; echo b > mine; echo b > staged; git add staged; echo c > new-of-mine`)
	return l
}

// sh runs a shell command in the project.
func (l *testLoop) sh(command string, env ...string) string {
	l.t.Helper()
	cmd := exec.Command("sh", "-ec", command)
	cmd.Dir = filepath.Join(l.dir, "project")
	cmd.Env = append(os.Environ(), append(env, "HOME="+l.dir, "GIT_CONFIG_NOSYSTEM=1")...)
	out, err := cmd.CombinedOutput()
	require.NoErrorf(l.t, err, "%s: %s", command, out)
	return string(out)
}

// repository describes the repository and its leftovers. A git process that was killed before it
// was recorded leaves next-index-PID.lock; that has the process ID in its name and disturbs
// nothing.
func (l *testLoop) repository(top string) string {
	return l.sh(`git -C "$TOP" fsck --no-dangling 2>&1
		git -C "$TOP" log --format=%s --name-status
		git -C "$TOP" status --porcelain
		git tag | sed 's|/.*/|/|'
		find .git \( -name '*.lock' -o -name 'ripple-*' \) ! -name 'next-index-*' -print`, "TOP="+top)
}

func (l *testLoop) commits(env []string, args ...string) (code int, said string) {
	l.t.Helper()
	cmd := l.command(append([]string{"--commit", "--tag", "--max-turns", "2"}, args...)...)
	cmd.Env = append(cmd.Env, append(env, "GIT_CONFIG_NOSYSTEM=1")...)
	out, err := os.Create(filepath.Join(l.dir, "said"))
	require.NoError(l.t, err)
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(l.t, cmd.Start())
	_ = cmd.Wait() // the state contains the exit code
	r := running{Cmd: cmd, mark: l.mark}
	require.Eventually(l.t, func() bool { return len(r.left()) == 0 }, testkit.Patience(5*time.Second), 10*time.Millisecond, "no process is left")
	data, err := os.ReadFile(out.Name())
	require.NoError(l.t, err)
	return cmd.ProcessState.ExitCode(), string(data)
}

// kill -9 while git writes, at each moment at which a hook runs, and
// --resume: the same commits and tags, the user's staged changes unchanged, no lock.
func TestKilledWhileGitWrites(t *testing.T) {
	t.Parallel()
	taken, all := 0, 0
	for in, place := range []string{".", ".ralph/side-worktree"} {
		var flags []string
		if place != "." {
			flags = []string{"--worktree", "side"}
		}
		calm := newCommitted(t)
		code, said := calm.commits(nil, flags...)
		require.Equal(t, ui.ExitLimit, code, said)
		want := calm.repository(place)
		require.Contains(t, want, "ripple: turn 2")

		for n, moment := range []string{"clean", "pre-commit", "commit-msg", "post-index-change", "reference-transaction prepared", "reference-transaction committed", "post-commit", "smudge"} {
			if place == "." && moment == "smudge" { // nothing is checked out
				continue
			}
			victims := []string{"inner", "outer", "all"}
			all += len(victims)
			if !testkit.Thorough { // each moment once, by turns in each place
				victims = victims[n%3:][:1-(n+in)%2]
			}
			taken += len(victims)
			for _, victim := range victims {
				t.Run(strings.Join([]string{place, moment, victim}, " "), func(t *testing.T) {
					t.Parallel()
					l := newCommitted(t)
					name, arg, _ := strings.Cut(moment, " ")
					hook := filepath.Join(l.dir, "shooter")
					require.NoError(t, os.WriteFile(hook, []byte(shooter), 0o700))
					switch name {
					case "clean":
						l.sh(`git config filter.shot.clean "$HOOK clean; cat"`, "HOOK="+hook)
					case "smudge": // while the worktree is created, when no hook runs
						l.sh(`git config filter.made.smudge "$HOOK smudge; cat"`, "HOOK="+hook)
					default:
						said := ` "$1"`
						if arg == "" { // other hooks have arguments
							said = ""
						}
						script := "#!/bin/sh\nexec " + hook + " " + name + said + "\n"
						require.NoError(t, os.WriteFile(filepath.Join(l.dir, "project/.git/hooks", name), []byte(script), 0o700))
					}
					shot := filepath.Join(l.dir, "shot")
					env := []string{
						"MOMENT=" + name + arg, "VICTIM=" + victim, "SHOT=" + shot, "HOOK=" + hook,
						"LOCK=" + filepath.Join(l.dir, "project/.ralph/loop.lock"),
					}
					code, said := l.commits(env, flags...)
					require.Equal(t, -1, code, "killed: %s", said)
					require.DirExists(t, shot)
					code, said = l.commits(env, append(flags, "--resume")...)
					require.Equal(t, ui.ExitLimit, code, said)
					assert.Equal(t, want, l.repository(place), said)
				})
			}
		}
	}
	testkit.LogSample(t, taken, all)
}

// The same at random moments of a commit.
func TestKilledCommitContinues(t *testing.T) {
	t.Parallel()
	moments := testkit.Times(t, 2, 200)
	calm := newCommitted(t)
	code, said := calm.commits(nil)
	require.Equal(t, ui.ExitLimit, code, said)
	want := calm.repository(".")

	for kills := 0; kills < moments; {
		l := newCommitted(t)
		var at []string
		for args := []string(nil); ; args = l.resumeArgs() {
			after, outer := time.Duration(rand.Int64N(int64(25*time.Millisecond))), rand.IntN(2) == 0
			code, said := l.commitsKilled(after, outer, args...)
			at = append(at, fmt.Sprintf("%v outer=%v", after, outer))
			if code != -1 {
				require.Equal(t, ui.ExitLimit, code, "%s, killed at %v", said, at)
				break
			}
			kills++
		}
		require.Equal(t, want, l.repository("."), "killed at %v", at)
	}
}

// commitsKilled kills one of the two ripple processes after git has been writing for the given
// time.
func (l *testLoop) commitsKilled(after time.Duration, outer bool, args ...string) (code int, said string) {
	l.t.Helper()
	over := make(chan struct{})
	began := func(pid int) bool {
		paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is valid
		return slices.ContainsFunc(paths, func(path string) bool {
			data, _ := os.ReadFile(path) // it may have ended
			return slices.ContainsFunc(strings.Fields(string(data)), func(child string) bool {
				line, _ := os.ReadFile("/proc/" + child + "/cmdline") // see above
				return strings.Contains(string(line), "\x00add\x00") || strings.Contains(string(line), "\x00commit\x00")
			})
		})
	}
	lock := filepath.Join(l.dir, "project/.ralph/loop.lock")
	go func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			var pid, parent int
			data, _ := os.ReadFile(lock) // the file may not exist yet
			if _, err := fmt.Sscanf(string(data), `{"pid":%d`, &pid); err != nil || !began(pid) {
				continue
			}
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // it may have ended
			if _, err := fmt.Sscanf(string(stat[max(0, strings.LastIndexByte(string(stat), ')')):]), ") %*c %d", &parent); outer && err == nil {
				pid = parent
			}
			<-time.After(after)
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
			return
		}
	}()
	defer close(over)
	return l.commits(nil, args...)
}
