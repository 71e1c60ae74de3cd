//go:build linux

package consoles

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
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

// with returns the place with other environment variables; an empty value unsets a variable.
func (p *place) with(variables ...string) *place {
	other := *p
	other.env = slices.Clone(p.env)
	for _, kv := range variables {
		name, value, _ := strings.Cut(kv, "=")
		other.env = slices.DeleteFunc(other.env, func(had string) bool { return strings.HasPrefix(had, name+"=") })
		if value != "" {
			other.env = append(other.env, kv)
		}
	}
	return &other
}

// A suspended machine stops all its processes, which later continue: a console that was stopped
// during a command is not considered dead, and its name not free, and when it continues the
// command's result is complete.
func TestASleepInTheMiddleOfACommand(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	gate := p.path("gate")
	require.NoError(t, syscall.Mkfifo(gate, 0o600))
	p.start("main")
	s := p.server()
	for range testkit.Times(t, 1, 10) { // a host has two seconds to answer
		require.Contains(t, s.call("console_exec", args{"console": "main", "code": "echo before; cat " + gate + "; (exit 3)", "wait_s": 0.1}), "running")
		p.printed("main", "before\n")
		host := p.status("main").Host
		require.NoError(t, syscall.Kill(host, syscall.SIGSTOP))
		p.eventually(func() bool { return stopped(host) }, func() string { return "the host goes on: " + describe([]int{host}) })
		waited := make(chan string)
		go func() {
			for {
				text, _ := s.try("console_wait", args{"console": "main"}) // the text reports the error
				if !strings.Contains(text, "does not answer") && !strings.Contains(text, "after it was sent") {
					waited <- text
					return
				}
			}
		}()
		got := p.status("main")
		require.Equal(t, "unresponsive", got.State)
		require.NotEmpty(t, got.Notice)
		r := p.run("", "console", "start", "--name", "main")
		require.Equal(t, 2, r.code, r.err)
		require.Equal(t, "before\n", p.ok("console", "read", "main"), "the results on disk can be read")
		require.NoError(t, os.WriteFile(gate, []byte("in between\n"), 0))
		require.NoError(t, syscall.Kill(host, syscall.SIGCONT))
		text := <-waited
		require.Contains(t, text, "] done exit=3 ")
		require.Contains(t, text, "\nin between\n-----")
	}
}

// stopped reports whether all threads of a process are stopped: a stop signal takes effect one
// thread after another.
func stopped(pid int) bool {
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)) // the pattern is valid
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		_, after, _ := strings.Cut(string(stat), ") ")
		if err != nil || !strings.HasPrefix(after, "T") {
			return false
		}
	}
	return len(stats) > 0
}

// Setting the clock does not affect ages and durations, which do not depend on it.
func TestSettingTheClockHasNoEffect(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	p.exec("main", "echo one")
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(p.ok("console", "list", "--json")), &all))
	age := time.Duration(all[0]["age_ns"].(float64))
	assert.Positive(t, age)
	assert.Less(t, age, timeout)
}

// On a full disk only output is lost, which is reported: the console continues, and keeps output
// again when space is available.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	disk := p.path("disk")
	require.NoError(t, os.Mkdir(disk, 0o700))
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m,mode=700"); err != nil {
		t.Skip("a file system cannot be created here: ", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(disk, syscall.MNT_DETACH)) })
	full := p.with("XDG_STATE_HOME=" + disk)
	full.start("main")
	t.Cleanup(full.closeAll)
	s := full.server()
	require.Equal(t, "before\n", full.exec("main", "echo before").out)
	require.NoError(t, fill(filepath.Join(disk, "filler")))

	const some = 200_000 // lines that fit into memory
	r := full.exec("main", fmt.Sprintf("seq 1 %d; cd /usr; (exit 7)", some))
	assert.Equal(t, 7, r.code, r.err)
	assert.Len(t, r.out, 1_288_895)
	assert.Contains(t, full.status("main").Notice, "no space left on device")
	assert.Equal(t, "199999\n200000\n", full.ok("console", "read", "main", "--from", "-2"))
	text := s.call("console_exec", args{"console": "main", "code": "df . >/dev/null; pwd; (exit 8)"})
	assert.Contains(t, text, "[main #3] done exit=8 cwd=/usr ")
	assert.Contains(t, text, "\n/usr\n")
	assert.NotContains(t, text, "lost")
	assert.Equal(t, "77777\n", full.ok("console", "read", "main", "--command", "2", "--grep", "^77777$"))

	r = full.exec("main", "seq 1 900000; (exit 9)")
	assert.Equal(t, 9, r.code, r.err)
	assert.Regexp(t, `\d+ bytes of its output were lost: .*no space left on device`, r.err)
	text = s.call("console_exec", args{"console": "main", "code": "seq 1 900000; (exit 10)"})
	assert.Contains(t, text, "done exit=10 ")
	assert.Regexp(t, `[\d,]+ bytes of its output were lost: .*no space left on device`, text)

	r = full.run("", "console", "start", "--name", "second")
	assert.Equal(t, 1, r.code, "a console that cannot be found is not started")
	assert.Contains(t, r.err, "no space left on device")

	require.NoError(t, os.Remove(filepath.Join(disk, "filler")))
	r = full.exec("main", "echo room again; seq 1 1000")
	assert.Equal(t, 0, r.code)
	require.Len(t, r.out, 11+3893)
	assert.True(t, strings.HasPrefix(r.out, "room again\n1\n2\n"))
	assert.Empty(t, r.err)
	assert.Empty(t, full.status("main").Notice)
	assert.Equal(t, strings.Count(r.out, "\n"), strings.Count(full.ok("console", "read", "main"), "\n"))
}

// fill writes to a file until the disk is full.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close() // no data matters
	for block := make([]byte, 4096); len(block) > 0; {
		if _, err := f.Write(block); err != nil {
			block = block[:len(block)/2]
		}
	}
	return nil
}

// Directories that belong to another user, or are accessible to others, are refused with a hint.
func TestDirectoriesOfOthers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		make func(p *place) error
		want string // expected error; empty: it works, in another directory
	}{
		{"another user's", func(p *place) error {
			if err := os.Mkdir(p.path("run/ripple"), 0o700); err != nil {
				return err
			}
			return os.Chown(p.path("run/ripple"), 12345, 12345)
		}, ""},
		{"open to others", func(p *place) error { return mkdir(p.path("run/ripple"), 0o777) }, "is accessible to other users (mode 0777)"},
		{"a link", func(p *place) error { return os.Symlink(p.path("work"), p.path("run/ripple")) }, "is not a directory"},
		{"a file", func(p *place) error { return os.WriteFile(p.path("run/ripple"), nil, 0o600) }, "is not a directory"},
		{"another user's results", func(p *place) error {
			if err := os.MkdirAll(p.path("home/.local/state/ripple/consoles"), 0o700); err != nil {
				return err
			}
			return os.Chown(p.path("home/.local/state/ripple/consoles"), 12345, 12345)
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			if err := tt.make(p); err != nil {
				t.Skip("it cannot be created here: ", err)
			}
			r := p.run("", "console", "start", "--name", "main")
			if tt.want == "" {
				require.Zero(t, r.code, r.err)
				assert.Equal(t, "works\n", p.exec("main", "echo works").out)
				p.requireUntouched(12345)
				p.ok("console", "close", "main")
			} else {
				assert.Equal(t, 1, r.code)
				assert.Contains(t, r.err, tt.want)
			}
			p.eventually(func() bool { return len(p.left()) == 0 }, func() string { return describe(p.left()) })
			for _, d := range []string{"run/ripple", "home/.local/state/ripple/consoles"} { // restored for the cleanup
				require.NoError(t, os.RemoveAll(p.path(d)))
			}
		})
	}
}

// requireUntouched checks that the directories of another user are empty.
func (p *place) requireUntouched(uid uint32) {
	p.Helper()
	theirs := 0
	require.NoError(p, filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Sys().(*syscall.Stat_t).Uid != uid {
			return err
		}
		theirs++
		entries, err := os.ReadDir(path)
		assert.Empty(p, entries, path)
		return err
	}))
	assert.NotZero(p, theirs)
}

// mkdir creates a directory, ignoring the umask.
func mkdir(path string, mode os.FileMode) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

// A console is found by any process with the same home, regardless of the environment: AI clients
// start programs with a minimal one.
func TestAnotherEnvironmentFindsTheConsole(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	require.NoError(t, os.Mkdir(p.path("elsewhere"), 0o700))
	other := p.with("XDG_RUNTIME_DIR=" + p.path("elsewhere"))
	assert.Equal(t, "seen\n", other.exec("main", "echo seen").out)
	assert.Equal(t, "idle", other.status("main").State)
	r := other.run("", "console", "start", "--name", "main")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.err, "a console named main is running already, perhaps started with another XDG_RUNTIME_DIR")
	assert.Equal(t, "still\n", p.exec("main", "echo still").out)
	other.start("other")
	assert.Equal(t, "from here\n", p.exec("other", "echo from here").out)
	p.ok("console", "close", "other")
	assert.Empty(t, p.glob("elsewhere/ripple/*"))
	s := p.with("XDG_RUNTIME_DIR=", "LANG=").server()
	assert.Contains(t, s.call("console_exec", args{"console": "main", "code": "echo by a client"}), "\nby a client\n")
	// With another state directory and the same directory of sockets, another console may have the
	// same name.
	theirs := p.with("XDG_STATE_HOME=" + p.path("elsewhere"))
	theirs.ok("console", "start", "--name", "main")
	theirs.exec("main", "mine=theirs")
	assert.Equal(t, "\n", p.exec("main", "echo $mine").out)
	assert.Equal(t, "theirs\n", theirs.exec("main", "echo $mine").out)
	theirs.ok("console", "close", "main")
	assert.Equal(t, "alive\n", p.exec("main", "echo alive").out)
}

func (p *place) glob(pattern string) []string {
	found, err := filepath.Glob(p.path(pattern))
	require.NoError(p, err)
	return found
}

// notOurs returns the expected error for root, who owns /proc: other users get another directory.
func notOurs(err string) string {
	if os.Geteuid() == 0 {
		return err
	}
	return ""
}

// Unusual environments.
func TestOddEnvironments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		env  []string
		want string // expected error; empty: it works
	}{
		{"a relative directory is ignored", []string{"XDG_STATE_HOME=state"}, ""},
		{"a directory that is missing", []string{"XDG_RUNTIME_DIR=/nowhere/at/all"}, ""},
		{"an unwritable directory", []string{"XDG_RUNTIME_DIR=/proc"}, notOurs("set XDG_RUNTIME_DIR to a directory of your own")},
		{"results are kept beside the sockets", []string{"XDG_STATE_HOME=/proc/self"}, ""}, // also for root, who may not write there either
		{"no home", []string{"HOME="}, ""},
		{"a very long directory", []string{"XDG_RUNTIME_DIR=DIR/" + strings.Repeat("d", 90)}, "too long for a socket"},
		{"in a console", []string{"RIPPLE_CONSOLE=../../etc/passwd"}, ""},
		{"a link to the directory above", []string{"XDG_RUNTIME_DIR=DIR/link"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			require.NoError(t, os.Symlink(p.path("run"), p.path("link")))
			for i, kv := range tt.env {
				tt.env[i] = strings.Replace(kv, "DIR/", p.dir+"/", 1)
				if _, dir, _ := strings.Cut(tt.env[i], "="); len(dir) > 90 {
					require.NoError(t, os.MkdirAll(dir, 0o700))
				}
			}
			odd := p.with(tt.env...)
			name := fmt.Sprintf("odd-%d", os.Getpid()) // the directory may be shared by all consoles of this user
			r := odd.run("", "console", "start", "--name", name)
			if tt.want == "" {
				require.Zero(t, r.code, r.err)
				require.Equal(t, name+"\n", odd.exec(name, "echo $RIPPLE_CONSOLE").out)
				odd.ok("console", "close", name)
				return
			}
			require.Equal(t, 1, r.code)
			require.Contains(t, r.err, tt.want)
			p.eventually(func() bool { return len(p.left()) == 0 }, func() string { return describe(p.left()) })
		})
	}
}

// Names that would lead out of the directory, or could be taken for options, are invalid.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.server()
	for _, name := range testkit.FirstOfEach(t, [][]string{{"../x", "/etc/x", "a/../../b"}, {"..", ".hidden"}, {"-rf"}, {"a\x1b[31m", "a\nb"}, {"a b", "a;b"}, {"ä"}, {strings.Repeat("n", 201)}}) {
		r := p.run("", "console", "start", "--name="+name)
		assert.Equal(t, 2, r.code, "%q: %s", name, r.err)
		assert.NotContains(t, r.err, "\x1b")
		text := s.call("console_exec", args{"console": name, "code": "true"})
		assert.True(t, strings.HasPrefix(text, "error: "), text)
		r = p.run("", "console", "exec", "--", name, "true")
		assert.Equal(t, 2, r.code, "%q: %s", name, r.err)
		text = s.call("console_close", args{"console": name})
		assert.True(t, strings.HasPrefix(text, "error: "), text)
	}
	long := strings.Repeat("n", 200)
	p.start(long)
	assert.Equal(t, long+"\n", p.exec(long, "echo $RIPPLE_CONSOLE").out)
	for _, code := range []string{"\x00", "a\x00b", "echo a\x00b"} {
		p.run(code, "console", "exec", long, "-") // the program decides about the result
		assert.Equal(t, "next\n", p.exec(long, "echo next").out, "after %q", code)
	}
}

// Files in the directory of results that do not belong to a console are ignored.
func TestForeignFilesAmongTheResults(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	state := p.path("home/.local/state/ripple/consoles")
	for name, text := range map[string]string{
		"other":   `{"name":"main"}`,
		"broken":  `{"name":`,
		"up":      `{"name":"../../.."}`,
		"empty":   ``,
		"foreign": `{"name":"foreign","socket":"/etc/passwd.sock","host_pid":1}`,
	} {
		require.NoError(t, os.Mkdir(filepath.Join(state, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(state, name, "console.json"), []byte(text), 0o600))
	}
	var names []string
	for _, s := range p.list() {
		names = append(names, fmt.Sprint(s.Name, " ", s.State))
	}
	assert.Equal(t, []string{"foreign dead", "main idle"}, names)
	assert.Equal(t, "works\n", p.exec("main", "echo works").out)
	for _, name := range []string{"other", "broken", "up", "empty"} {
		require.NoError(t, os.RemoveAll(filepath.Join(state, name)))
	}
}
