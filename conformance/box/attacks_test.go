//go:build linux

package box

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/proctree"
)

// requireBox is the variable that, set to 1, makes tests fail instead of skip on a machine that
// cannot run boxes.
const requireBox = "REQUIRE_BOX"

// possible skips or fails the test if this machine cannot run boxes.
func possible(t *testing.T) {
	t.Helper()
	err := box.Check()
	if missing, is := errors.AsType[*box.Missing](err); is {
		if os.Getenv(requireBox) == "1" {
			t.Fatalf("%s=1: %v (%s)", requireBox, missing, missing.Fix)
		}
		t.Skipf("%v (%s)", missing, missing.Fix)
	}
	require.NoError(t, err)
}

// attack is one entry of attacks.txtar.
type attack struct {
	name, script string
	as           string // "root" or "user"; empty for both
	condition    string // a bash command; empty for always
	flags        string // for ripple box
}

func attacks(t *testing.T) (list []attack) {
	archive, err := txtar.ParseFile("attacks.txtar")
	require.NoError(t, err)
	for _, f := range archive.Files {
		a := attack{name: f.Name, script: string(f.Data)}
		for strings.HasPrefix(a.script, "# ") {
			line, rest, _ := strings.Cut(a.script, "\n")
			key, value, _ := strings.Cut(line[2:], " ")
			switch key {
			case "as":
				a.as = value
			case "if:":
				a.condition = value
			case "flags:":
				a.flags = value
			default:
				t.Fatalf("%s: unknown line %q", a.name, line)
			}
			a.script = rest
		}
		list = append(list, a)
	}
	return list
}

// otherUser is the user ID, otherwise unused, for attacks by a user other than root.
const otherUser = 23456

// kinds returns the users as whom attacks are tried.
func kinds() map[string]*syscall.Credential {
	if os.Geteuid() != 0 {
		return map[string]*syscall.Credential{"user": nil}
	}
	return map[string]*syscall.Credential{"root": nil, "user": {Uid: otherUser, Gid: otherUser, NoSetGroups: false}}
}

// Each attack succeeds without a box and fails in one.
func TestAttacks(t *testing.T) {
	possible(t)
	list := attacks(t)
	assert.GreaterOrEqual(t, len(list), 80)
	s := newServices(t)
	ripple := built(t)
	users := slices.Sorted(maps.Keys(kinds()))
	taken, all := 0, 0
	for kind, credential := range kinds() {
		inClass := map[string]int{}
		for _, a := range list {
			class, _, _ := strings.Cut(a.name, "/")
			i := inClass[class]
			inClass[class]++
			if a.as != "" && a.as != kind {
				continue
			}
			all++
			if !testkit.Thorough && !sampled(a, i, kind, users) {
				continue
			}
			taken++
			t.Run(kind+"/"+a.name, func(t *testing.T) {
				t.Parallel()
				if a.condition != "" {
					f := newFixture(t, s, credential)
					if said, err := f.command(t, "bash", "-c", a.condition).CombinedOutput(); err != nil {
						t.Skipf("this machine does not allow it even without a box: %s (%v %s)", a.condition, err, said)
					}
				}
				without := newFixture(t, s, credential)
				// The outer shell is a parent process with the same environment.
				said := without.run(t, "sh", "-c", `bash -c "$0"; :`, prelude+a.script)
				require.NotEmptyf(t, without.harm(t, said), "the attack fails even without a box: %s", said)
				within := newFixture(t, s, credential)
				args := append([]string{"box", "--read", within.variables["V"], "--net", "allowed.test:80=" + s.front, "--net", "tls.test:443=" + s.tls},
					strings.Fields(os.Expand(a.flags, func(name string) string { return within.variables[name] }))...)
				said = within.run(t, ripple, append(args, "--", "bash", "-c", within.exports()+prelude+a.script)...)
				assert.Emptyf(t, within.harm(t, said), "the attack succeeds in the box: %s", said)
				assert.NotContains(t, said, "cannot run a box")
			})
		}
	}
	testkit.LogSample(t, taken, all)
	t.Cleanup(func() { assert.Empty(t, s.smuggled(), "smuggled requests that came through the box's proxy") })
}

// sampled reports whether the attack with this index within its class belongs to the sample as this kind of user: the first
// one of each class and every sixth, as the only user who can make it, or as one of the users by turns.
func sampled(a attack, index int, kind string, users []string) bool {
	const every = 6
	return index%every == 0 && (a.as == kind || users[index/every%len(users)] == kind)
}

// prelude defines the functions that scripts may use.
const prelude = `proxy() {
	local a=${HTTP_PROXY#http://}
	exec 5<>"/dev/tcp/${a%:*}/${a#*:}"
	printf "$1" >&5
	timeout 5 cat <&5
}
`

// run runs a command and returns its output.
func (f *fixture) run(t *testing.T, name string, args ...string) string {
	cmd := f.command(t, name, args...)
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pgid = true, f.victim.Process.Pid // as in a script, where it is a process of the same job
	said, _ := cmd.CombinedOutput()                                            // most attacks fail in a box
	return string(said)
}

// command returns a command that runs as the fixture's user in its working tree and inherits open
// files that it should not have.
func (f *fixture) command(t *testing.T, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.WaitDelay = f.variables["W"], time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: f.credential}
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + f.variables["H"], "LC_ALL=C.UTF-8", "API_TOKEN=" + f.secret, "HTTP_PROXY=" + f.openProxy}
	for name, value := range f.variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.ExtraFiles = append(make([]*os.File, 14), f.open...) // from descriptor 17 on
	return cmd
}

// exports returns shell code that sets the variables, which a box does not pass on.
func (f *fixture) exports() string {
	var b strings.Builder
	for name, value := range f.variables {
		fmt.Fprintf(&b, "export %s='%s'\n", name, value)
	}
	return b.String()
}

// build builds the program once, where every user may run it.
var build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(files, "ripple")
	built, err := testkit.Binary()
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(built)
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, program, 0o755)
})

// files is the directory of all files. It is not in that of the environment, which may be in /dev/shm: a box has its own /dev.
// All are removed at the end: where many files were just removed, ext4 searches long for the inode of a new one.
var files string

// What a test leaves ends with it, even if it is killed.
func TestMain(m *testing.M) { os.Exit(proctree.Guard(func() int { return run(m) })) }

func run(m *testing.M) int {
	var err error
	if files, err = os.MkdirTemp("/tmp", "box-"); err == nil {
		err = os.Chmod(files, 0o755)
	}
	if err != nil {
		panic(err)
	}
	code := testkit.Main(m)
	if err := os.RemoveAll(files); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// built returns the path of the program.
func built(t *testing.T) string {
	path, err := build()
	require.NoError(t, err)
	return path
}

// sharedDir creates a directory that every user may enter, until the end of all tests.
func sharedDir(t *testing.T) string {
	dir, err := os.MkdirTemp(files, "box-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}
