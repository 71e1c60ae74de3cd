//go:build linux

package box

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/internal/testkit"
)

// secret is the content of everything that a program in a box must not read; harmed is what
// attacks write outside of the box.
const (
	secret = "5ecretf0fth1sm4ch1ne"
	harmed = "PWNED"
)

// secretFiles lists paths below the home directory.
var secretFiles = []string{
	".ssh/id", ".gnupg/key", ".aws/credentials", ".kube/config", ".netrc", ".config/gh/hosts.yml", ".docker/config.json", ".cargo/credentials.toml",
	".git-credentials", ".mozilla/cookies", ".local/share/keyrings/login", ".bash_history", ".some-new-tool/token", "go/src/project/file",
}

// templates has the result of newTemplate for each kind of user: whether it is not the user of the tests.
var templates struct {
	sync.Mutex
	dirs map[bool]string
}

// template returns the directories that each fixture of a user copies.
func template(t *testing.T, credential *syscall.Credential) string {
	templates.Lock()
	defer templates.Unlock()
	if templates.dirs == nil {
		templates.dirs = map[bool]string{}
	}
	other := credential != nil
	if templates.dirs[other] == "" {
		templates.dirs[other] = newTemplate(t, credential)
	}
	return templates.dirs[other]
}

// newTemplate creates the directories of a user that each fixture copies: a home directory with
// secrets, another project, a readable directory, and a working tree. Its repositories have no sample
// hooks: they were half of the files, and copying the files took half of the time.
func newTemplate(t *testing.T, credential *syscall.Credential) string {
	dir := sharedDir(t)
	if credential != nil {
		require.NoError(t, os.Chown(dir, int(credential.Uid), int(credential.Gid)))
	}
	var b strings.Builder
	b.WriteString("set -e\nmkdir -p home/bin other visible tree\n")
	for _, name := range secretFiles {
		fmt.Fprintf(&b, "mkdir -p $(dirname home/%s); echo %s >home/%[1]s\n", name, secret)
	}
	b.WriteString(`
echo >home/.bashrc; echo >home/.profile; echo >visible/file
printf '[user]\n\tname = a\n\temail = a@example.com\n' >home/.gitconfig
export HOME=$PWD/home
git init -q --template= other; echo ` + secret + ` >other/secret; echo >other/inherited; git -C other add .; git -C other commit -qm o
git -C other rev-parse HEAD:secret >blob
git init -q --template= tree; git -C tree commit -q --allow-empty -m w
git -C tree config extensions.worktreeConfig true; git -C tree config --worktree a.b c
mkdir -p tree/.git/modules/sub/hooks tree/.git/hooks tree/.git/info; git config --file tree/.git/modules/sub/config a.b c
`)
	cmd := exec.Command("bash", "-c", b.String())
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: credential}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}

// fixture is the environment of one attack.
type fixture struct {
	*services
	credential *syscall.Credential
	base       string
	variables  map[string]string // for the scripts
	open       []*os.File
	victim     *exec.Cmd
}

func newFixture(t *testing.T, s *services, credential *syscall.Credential) *fixture {
	f := &fixture{services: s, credential: credential, base: sharedDir(t)}
	out, err := exec.Command("cp", "-a", template(t, credential)+"/.", f.base).CombinedOutput()
	require.NoError(t, err, string(out))
	id := filepath.Base(f.base)
	f.variables = map[string]string{
		"H": f.base + "/home", "W": f.base + "/tree", "O": f.base + "/other", "V": f.base + "/visible", "T": "/tmp/" + id + "-T", "ID": id,
		"TCP": strconv.Itoa(s.tcp), "TCP6": strconv.Itoa(s.tcp6), "UDP": strconv.Itoa(s.udp), "ADDRESS": s.address, "SHM": strconv.Itoa(s.shm),
	}
	hash, err := os.ReadFile(f.base + "/blob")
	require.NoError(t, err)
	f.variables["BLOB"] = strings.TrimSpace(string(hash))
	t.Cleanup(func() {
		for _, path := range f.elsewhere() {
			_ = os.RemoveAll(path) // most do not exist
		}
	})
	for _, path := range []string{f.variables["H"] + "/.gnupg/S", f.variables["H"] + "/bin/S", f.variables["O"] + "/S", f.variables["T"] + ".sock", "@" + id} {
		s.listenUnix(t, path)
	}
	for _, how := range []struct {
		path string
		flag int
	}{{"/inherited", os.O_RDWR}, {"", os.O_RDONLY}, {"/secret", os.O_RDONLY}} {
		file, err := os.OpenFile(f.variables["O"]+how.path, how.flag, 0)
		require.NoError(t, err)
		t.Cleanup(func() { file.Close() })
		f.open = append(f.open, file)
	}
	f.startVictim(t)
	return f
}

// startVictim starts a process of the same user outside of the box.
func (f *fixture) startVictim(t *testing.T) {
	f.victim = &exec.Cmd{
		Path: "/bin/sleep", Args: []string{f.variables["ID"] + "-victim-" + secret, "1000"}, Dir: f.variables["O"], Env: []string{"API_TOKEN=" + secret},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Credential: f.credential},
	}
	require.NoError(t, f.victim.Start())
	f.variables["VICTIM"] = strconv.Itoa(f.victim.Process.Pid)
	t.Cleanup(func() {
		_ = f.victim.Process.Kill() // it may be dead
		_ = f.victim.Wait()
	})
}

// elsewhere returns the paths outside of the fixture's directory that scripts write to.
func (f *fixture) elsewhere() []string {
	return []string{f.variables["T"], f.variables["T"] + ".sock", "/var/tmp/" + f.variables["ID"], "/dev/shm/" + f.variables["ID"]}
}

// harm describes what a finished attack with this output has achieved, or returns "".
func (f *fixture) harm(t *testing.T, said string) string {
	if strings.Contains(said, secret) {
		return "the secret was printed"
	}
	if path := containing(t, secret, f.variables["W"]); path != "" {
		return "the secret is in " + path
	}
	git := f.variables["W"] + "/.git"
	outside := append([]string{f.variables["H"], f.variables["O"], f.variables["V"], f.variables["W"] + "/claim"}, f.elsewhere()...)
	for _, name := range []string{"config", "config.worktree", "commondir", "hooks", "info", "modules"} {
		outside = append(outside, filepath.Join(git, name))
	}
	if info, err := os.Lstat(git); err == nil && !info.IsDir() {
		outside = append(outside, git)
	}
	for _, path := range outside {
		if found := containing(t, harmed, path); found != "" {
			return "written: " + found
		}
	}
	if f.killed(t) {
		return "another process was killed"
	}
	if pid := f.survivor(); pid != 0 {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		return "a process has survived"
	}
	return ""
}

// containing returns the first regular file in a directory, or the file itself, that contains text.
func containing(t *testing.T, text, path string) (found string) {
	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // missing files do not contain it
		}
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(data, []byte(text)) {
			found = path
			return filepath.SkipAll
		}
		return nil
	})
	require.NoError(t, err)
	return found
}

// killed reports whether the victim has exited or has a pending SIGKILL.
func (f *fixture) killed(t *testing.T) bool {
	status, err := os.ReadFile("/proc/" + f.variables["VICTIM"] + "/status")
	require.NoError(t, err) // the test has not waited for it, so it is a zombie at least
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "State":
			if strings.HasPrefix(value, "Z") || strings.HasPrefix(value, "X") {
				return true
			}
		case "SigPnd", "ShdPnd":
			if pending, err := strconv.ParseUint(value, 16, 64); err == nil && pending&(1<<(syscall.SIGKILL-1)) != 0 {
				return true
			}
		}
	}
	return false
}

// survivor returns the ID of a process that an attack left behind, or 0.
func (f *fixture) survivor() int { return testkit.ProcessCalled(f.variables["ID"] + "-survivor") }

// listenUnix serves the secret on a socket that every user may connect to.
func (s *services) listenUnix(t *testing.T, path string) {
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	if path[0] != '@' {
		require.NoError(t, os.Chmod(path, 0o777))
	}
	go tell(l)
}

// newSharedMemory creates a System V shared memory segment that contains the secret.
func newSharedMemory(t *testing.T) int {
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o666)
	require.NoError(t, err)
	data, err := unix.SysvShmAttach(id, 0, 0)
	require.NoError(t, err)
	copy(data, secret)
	require.NoError(t, unix.SysvShmDetach(data))
	t.Cleanup(func() {
		_, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		assert.NoError(t, err)
	})
	return id
}
