//go:build linux

package consoles

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// with is the place with other variables in its environment; an empty value takes a
// variable away.
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

// A machine that sleeps stops all its processes, and then goes on: a console that was
// stopped in the middle of a command is not taken for a dead one, and not for a free name,
// and when it goes on the command's result is whole.
func TestASleepInTheMiddleOfACommand(t *testing.T) {
	p := newPlace(t)
	gate := p.path("gate")
	require.NoError(t, syscall.Mkfifo(gate, 0o600))
	p.start("main")
	s := p.server()
	for range max(1, *rounds/10) { // a host is given two seconds to answer
		require.Contains(t, s.call("console_exec", args{"console": "main", "code": "echo before; cat " + gate + "; (exit 3)", "wait_s": 0.1}), "running")
		p.printed("main", "before\n")
		host := p.status("main").Host
		require.NoError(t, syscall.Kill(host, syscall.SIGSTOP))
		p.eventually(func() bool { return stopped(host) }, func() string { return "the host goes on: " + describe([]int{host}) })
		waited := make(chan string)
		go func() {
			text, _ := s.try("console_wait", args{"console": "main"}) // its text says what is wrong
			waited <- text
		}()
		got := p.status("main")
		require.Equal(t, "unresponsive", got.State)
		require.NotEmpty(t, got.Notice)
		r := p.run("", "console", "start", "--name", "main")
		require.Equal(t, 2, r.code, r.err)
		require.Equal(t, "before\n", p.ok("console", "read", "main"), "what is on disk can be read")
		require.NoError(t, os.WriteFile(gate, []byte("in between\n"), 0))
		require.NoError(t, syscall.Kill(host, syscall.SIGCONT))
		text := <-waited
		require.Contains(t, text, "] done exit=3 ")
		require.Contains(t, text, "\nbefore\nin between\n-----")
	}
}

// stopped says that all threads of a process are: a signal to stop takes them one by one.
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

// A clock that is set to another time makes no age and no duration wrong: they do not
// come from it.
func TestTheClockDoesNotCount(t *testing.T) {
	p := newPlace(t)
	p.start("main")
	p.exec("main", "echo one")
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(p.ok("console", "list", "--json")), &all))
	age := time.Duration(all[0]["age_ns"].(float64))
	assert.Positive(t, age)
	assert.Less(t, age, patience)
}

// A full disk loses output, which is said, and nothing else: the console goes on, and when
// there is room again it keeps what is printed.
func TestAFullDisk(t *testing.T) {
	p := newPlace(t)
	disk := p.path("disk")
	require.NoError(t, os.Mkdir(disk, 0o700))
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m,mode=700"); err != nil {
		t.Skip("no file system can be made here: ", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(disk, syscall.MNT_DETACH)) })
	full := p.with("XDG_STATE_HOME=" + disk)
	full.start("main")
	t.Cleanup(full.closeAll)
	s := full.server()
	require.Equal(t, "before\n", full.exec("main", "echo before").out)
	require.NoError(t, fill(filepath.Join(disk, "filler")))

	const some = 200_000 // lines that memory has room for
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

	r = full.exec("main", "seq 1 2000000; (exit 9)")
	assert.Equal(t, 9, r.code, r.err)
	assert.Regexp(t, `\d+ bytes of its output are lost: .*no space left on device`, r.err)
	text = s.call("console_exec", args{"console": "main", "code": "seq 1 2000000; (exit 10)"})
	assert.Contains(t, text, "done exit=10 ")
	assert.Regexp(t, `[\d,]+ bytes of its output are lost: .*no space left on device`, text)

	r = full.run("", "console", "start", "--name", "second")
	assert.Equal(t, 1, r.code, "one that nobody could find is not started")
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

// fill writes until nothing more goes in.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close() // there is nothing to be lost
	for block := make([]byte, 4096); len(block) > 0; {
		if _, err := f.Write(block); err != nil {
			block = block[:len(block)/2]
		}
	}
	return nil
}

// Directories that are somebody else's, or open to others, are refused, and it is said
// what to do.
func TestDirectoriesOfOthers(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(p *place) error
		want string
	}{
		{"another user's", func(p *place) error {
			if err := os.Mkdir(p.path("run/ripple"), 0o700); err != nil {
				return err
			}
			return os.Chown(p.path("run/ripple"), 12345, 12345)
		}, "run/ripple belongs to another user: set XDG_RUNTIME_DIR to a directory of your own"},
		{"open to others", func(p *place) error { return mkdir(p.path("run/ripple"), 0o777) }, "is open to others (mode 0777)"},
		{"a link", func(p *place) error { return os.Symlink(p.path("work"), p.path("run/ripple")) }, "is not a directory"},
		{"a file", func(p *place) error { return os.WriteFile(p.path("run/ripple"), nil, 0o600) }, "is not a directory"},
		{"another user's results", func(p *place) error {
			if err := os.MkdirAll(p.path("home/.local/state/ripple/consoles"), 0o700); err != nil {
				return err
			}
			return os.Chown(p.path("home/.local/state/ripple/consoles"), 12345, 12345)
		}, "consoles belongs to another user: set XDG_STATE_HOME to a directory of your own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			if err := tt.make(p); err != nil {
				t.Skip("it cannot be made here: ", err)
			}
			r := p.run("", "console", "start", "--name", "main")
			assert.Equal(t, 1, r.code)
			assert.Contains(t, r.err, tt.want)
			p.eventually(func() bool { return len(p.left()) == 0 }, func() string { return describe(p.left()) })
			for _, d := range []string{"run/ripple", "home/.local/state/ripple/consoles"} { // for the end of the test
				require.NoError(t, os.RemoveAll(p.path(d)))
			}
		})
	}
}

// mkdir is without the umask.
func mkdir(path string, mode os.FileMode) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

// A console is found by whoever has the same home, whatever is in the environment: AI
// clients start programs with hardly any.
func TestAnotherEnvironmentFindsTheConsole(t *testing.T) {
	p := newPlace(t)
	p.start("main")
	require.NoError(t, os.Mkdir(p.path("elsewhere"), 0o700))
	other := p.with("XDG_RUNTIME_DIR=" + p.path("elsewhere"))
	assert.Equal(t, "seen\n", other.exec("main", "echo seen").out)
	assert.Equal(t, "idle", other.status("main").State)
	r := other.run("", "console", "start", "--name", "main")
	assert.Equal(t, 2, r.code)
	assert.Contains(t, r.err, "a console named main is running already, started with another XDG_RUNTIME_DIR")
	assert.Equal(t, "still\n", p.exec("main", "echo still").out)
	other.start("other")
	assert.Equal(t, "from here\n", p.exec("other", "echo from here").out)
	p.ok("console", "close", "other")
	assert.Empty(t, p.glob("elsewhere/ripple/*"))
	s := p.with("XDG_RUNTIME_DIR=", "LANG=").server()
	assert.Contains(t, s.call("console_exec", args{"console": "main", "code": "echo by a client"}), "\nby a client\n")
	// With another state directory and the same directory of sockets it is another user's view.
	r = p.with("XDG_STATE_HOME="+p.path("elsewhere")).run("", "console", "start", "--name", "main")
	assert.Equal(t, 2, r.code)
	assert.Equal(t, "alive\n", p.exec("main", "echo alive").out)
}

func (p *place) glob(pattern string) []string {
	found, err := filepath.Glob(p.path(pattern))
	require.NoError(p, err)
	return found
}

// Environments that are not as they should be.
func TestOddEnvironments(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  []string
		want string // of the error; empty: it works
	}{
		{"a relative directory is none", []string{"XDG_STATE_HOME=state"}, ""},
		{"a directory that is missing", []string{"XDG_RUNTIME_DIR=/nowhere/at/all"}, "set XDG_RUNTIME_DIR to a directory of your own"},
		{"a directory that nobody can write to", []string{"XDG_RUNTIME_DIR=/proc"}, "set XDG_RUNTIME_DIR to a directory of your own"},
		{"results that nobody can write", []string{"XDG_STATE_HOME=/proc/self"}, "/proc/self"},
		{"no home", []string{"HOME="}, "neither XDG_STATE_HOME nor HOME is set"},
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
			r := odd.run("", "console", "start", "--name", "main")
			if tt.want == "" {
				require.Zero(t, r.code, r.err)
				require.Equal(t, "main\n", odd.exec("main", "echo $RIPPLE_CONSOLE").out)
				odd.ok("console", "close", "main")
				return
			}
			require.Equal(t, 1, r.code)
			require.Contains(t, r.err, tt.want)
			p.eventually(func() bool { return len(p.left()) == 0 }, func() string { return describe(p.left()) })
		})
	}
}

// Names that would lead out of the directory, or into a command line, are none.
func TestHostileNames(t *testing.T) {
	p := newPlace(t)
	s := p.server()
	for _, name := range []string{"../x", "/etc/x", "..", ".hidden", "-rf", "a b", "a\nb", "a\x1b[31m", "ä", strings.Repeat("n", 201), "a/../../b", "a;b"} {
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
		p.run(code, "console", "exec", long, "-") // what comes of it is the program's
		assert.Equal(t, "next\n", p.exec(long, "echo next").out, "after %q", code)
	}
}

// What lies in the directory of results and is no console's is passed over.
func TestStrangersAmongTheResults(t *testing.T) {
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
