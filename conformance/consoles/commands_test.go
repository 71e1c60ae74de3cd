//go:build linux

package consoles

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// A background process that keeps the terminal open does not delay the end of a command, and its
// later output belongs to no command (openai/codex#7846).
func TestAGrandchildHoldsTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	for _, holder := range []string{"sleep 1000 &", "(setsid sleep 1000 &)", "nohup sleep 1000 >/dev/null 2>&1 &", "(sleep 1000 & disown)", "coproc sleep 1000"} {
		r := p.exec("main", holder+"\necho done")
		require.Zero(t, r.code, "%s: %s", holder, r.err)
		require.Contains(t, r.out, "done\n", holder)
	}
	assert.Equal(t, "next\n", p.exec("main", "echo next").out)
	p.ok("console", "close", "main")
	p.requireNothingLeft()
}

// The end of a wait does not end the command; the next wait continues.
func TestALongCommandIsWaitedForTwice(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	gate := p.path("gate")
	require.NoError(t, syscall.Mkfifo(gate, 0o600))
	s := p.server()
	assert.Contains(t, s.call("console_exec", args{"code": "echo one; cat " + gate + "; echo three", "wait_s": 0.2}), "[main #1] running")
	assert.Contains(t, s.call("console_wait", args{"console": "main", "wait_s": 0.2}), "[main #1] running")
	p.printed("main", "one\n")
	r := p.run("", "console", "wait", "main", "--timeout", "100ms")
	assert.Equal(t, result{"one\n", r.err, 4}, r)
	require.NoError(t, os.WriteFile(gate, []byte("two\n"), 0))
	text := s.call("console_wait", args{"console": "main"})
	assert.Contains(t, text, "[main #1] done exit=0")
	assert.Contains(t, text, "\ntwo\nthree\n", "earlier output is not shown again")
	assert.Contains(t, s.call("console_exec", args{"code": "sleep 300", "wait_s": 0.2}), "[main #2] running")
	assert.Contains(t, s.call("console_close", args{"console": "main", "mode": "interrupt"}), "[main #2] done exit=130")
}

// A prompt for a secret is recognized by the terminal's mode, not by its text; a program that only
// draws without echo does not ask for a secret.
func TestSecrets(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	s := p.server()
	for _, tt := range []struct{ name, console, code, state string }{
		{"read -s", "main", `read -s -p 'anything: ' x; echo "<${#x}>"`, "waiting_for_secret"},
		{"read -s -t", "main", `read -s -t 60 -p 'anything: ' x; echo "<${#x}>"`, "waiting_for_secret"},
		{"read -s of fish", "fish", `read -s -P 'anything: ' x; echo "<"(string length -- $x)">"`, "waiting_for_secret"},
		{"getpass", "main", `python3 -c 'import getpass; x = getpass.getpass("Name? "); print(f"<{len(x)}>")'`, "waiting_for_secret"},
		{"the word alone", "main", `read -p 'Password: ' x; echo "<${#x}>"`, "waiting_for_input"},
		{"a line editor", "main", `python3 -c 'import readline; x = input("Password: "); print(f"<{len(x)}>")'`, "waiting_for_input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.console == "fish" {
				if _, err := exec.LookPath("fish"); err != nil {
					t.Skip("fish is not installed")
				}
				p.run("", "console", "start", "fish", "--name", "fish")
			}
			text := s.call("console_exec", args{"console": tt.console, "code": tt.code})
			require.Contains(t, text, "] "+tt.state+" ")
			if tt.state == "waiting_for_secret" {
				assert.Contains(t, s.call("console_send", args{"console": tt.console, "text": "swordfish", "keys": []string{"enter"}}), "nothing was typed")
				r := p.run("hunter2\n", "console", "send", tt.console, "--secret")
				require.Zero(t, r.code, r.err)
				require.Contains(t, s.call("console_wait", args{"console": tt.console}), "<7>")
				return
			}
			require.Contains(t, s.call("console_send", args{"console": tt.console, "text": "visible", "keys": []string{"enter"}}), "<7>")
		})
	}
	kept, _ := exec.Command("grep", "-rlaE", "hunter2|swordfish", p.path("home"), p.path("run")).Output() // exit code 1: no match
	assert.Empty(t, string(kept), "files that contain the secret")
	text, err := os.ReadFile(p.path("home/.local/state/ripple/consoles/main/output-00000000000000000000"))
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hunter2")
}

// A program that only draws without echo does not ask for a secret, and one that polls for a key
// occasionally does not wait for input.
func TestDrawingIsNotAPrompt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.server()
	gate := p.path("gate")
	require.NoError(t, syscall.Mkfifo(gate, 0o600))
	require.NoError(t, os.WriteFile(p.path("work/draws.py"), []byte(`
import os, select, sys, tty
tty.setraw(0)
gate = os.open("../gate", os.O_RDONLY | os.O_NONBLOCK)
while not os.read(gate, 1) if select.select([gate], [], [], 0)[0] else True:
    print("frame", end="\r", flush=True)
    if select.select([0], [], [], 0.02)[0]:
        os.read(0, 1)
os.system("stty sane")
`), 0o600))
	for _, draws := range []string{
		"stty -echo; printf 'drawing \\r'; cat " + gate + "; stty echo",
		"python3 draws.py",
	} {
		text := s.call("console_exec", args{"console": "main", "code": draws, "wait_s": 1})
		assert.Contains(t, text, "] running ", draws)
		require.NoError(t, os.WriteFile(gate, []byte("x\n"), 0))
		assert.Contains(t, s.call("console_wait", args{"console": "main"}), "] done ", draws)
	}
}

// A question is answered by input from the model or the user (google-gemini/gemini-cli#24707).
func TestAQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.path("work/file"), nil, 0o400))
	p.start("main")
	r := p.exec("main", "rm -i file")
	assert.Equal(t, 4, r.code)
	assert.Contains(t, r.out, "remove")
	assert.Contains(t, r.err, "the command waits for input")
	p.ok("console", "send", "main", "n", "--key", "enter")
	p.ok("console", "wait", "main")
	assert.FileExists(t, p.path("work/file"))
	p.exec("main", "rm -i file")
	p.ok("console", "send", "main", "--only-if-waiting", "y", "--key", "enter")
	p.ok("console", "wait", "main")
	assert.NoFileExists(t, p.path("work/file"))
	r = p.run("", "console", "send", "main", "y", "--key", "enter")
	assert.Equal(t, 1, r.code, "nothing asks any longer")
}

// Programs that draw on the whole screen are reported as such, and keys drive them.
func TestFullScreenPrograms(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	for _, tt := range []struct{ program, code, shows, quit string }{
		{"less", "seq 1 500 | less", "1\n2\n3\n", "q"},
		{"vim", "vim -u NONE -i NONE -n file", "~\n~", ":q! enter"},
		{"bash", `printf '\e[?1049hON THE OTHER SCREEN'; read -n 1; printf '\e[?1049l'`, "ON THE OTHER SCREEN", "q"},
	} {
		t.Run(tt.program, func(t *testing.T) {
			if _, err := exec.LookPath(tt.program); err != nil {
				t.Skip(tt.program + " is not installed")
			}
			r := p.exec("main", tt.code)
			require.Equal(t, 4, r.code, r.err)
			assert.Contains(t, r.err, "draws on the whole screen")
			assert.Equal(t, "fullscreen", p.status("main").State)
			p.eventually(func() bool { return strings.Contains(p.ok("console", "peek", "main"), tt.shows) }, func() string { return p.ok("console", "peek", "main") })
			r = p.exec("main", "echo typed into it")
			assert.Contains(t, r.err, "is still running")
			for key := range strings.FieldsSeq(tt.quit) {
				if strings.HasPrefix(key, ":") {
					p.ok("console", "send", "main", key)
				} else {
					p.ok("console", "send", "main", "--key", key)
				}
			}
			p.eventually(func() bool { return p.run("", "console", "wait", "main").code == 0 }, func() string { return p.ok("console", "peek", "main") })
			assert.Equal(t, "plain\n", p.exec("main", "echo plain").out)
		})
	}
}

// The output of a command that fails immediately is complete, each time (DesktopCommanderMCP#395).
func TestImmediateFailuresLoseNoOutput(t *testing.T) {
	t.Parallel()
	times := testkit.Times(t, 40, 1000)
	p := newPlace(t)
	p.start("main")
	var in strings.Builder
	for n := range times {
		fmt.Fprintf(&in, "ls /nowhere-%d; (exit %d)\n", n, n%256)
	}
	r := p.run(in.String(), "console", "exec", "--json", "--lines", "main")
	answers := json.NewDecoder(strings.NewReader(r.out))
	for n := range times {
		var got struct {
			Output   string
			ExitCode *int `json:"exit_code"`
		}
		require.NoError(t, answers.Decode(&got), "command %d: %s", n, r.err)
		require.Contains(t, got.Output, fmt.Sprintf("/nowhere-%d'", n))
		require.Contains(t, got.Output, "No such file")
		require.Equal(t, n%256, *got.ExitCode)
	}
}

// Output of any size arrives completely, both streamed and from the record.
func TestMuchOutput(t *testing.T) {
	t.Parallel()
	lines := testkit.Times(t, 84_000, 2_000_000) // of a hundred bytes: more than one file of the record
	p := newPlace(t)
	p.start("main")
	line := strings.Repeat("x", 89)
	out := p.ok("console", "exec", "main", fmt.Sprintf("seq -f '%%010.0f%s' 1 %d", line, lines))
	require.Len(t, out, lines*100)
	for n, got := range strings.Split(out[:len(out)-1], "\n") {
		if got[:10] != fmt.Sprintf("%010d", n+1) {
			require.Equal(t, fmt.Sprintf("%010d", n+1), got[:10])
		}
	}
	assert.Equal(t, fmt.Sprintf("%010d%s\n", lines-1, line), p.ok("console", "read", "main", "--from", "-2", "--lines", "1"))
	assert.Equal(t, fmt.Sprintf("%010d%s\n", 77_777, line), p.ok("console", "read", "main", "--grep", "^0000077777"))

	const wide = 4_400_000
	out = p.ok("console", "exec", "main", fmt.Sprintf("head -c %d /dev/zero | tr '\\0' y; echo", wide))
	assert.Equal(t, strings.Repeat("y", wide)+"\n", out)
	s := p.server()
	text := s.call("console_peek", args{"console": "main", "what": "output"})
	assert.Less(t, len(text), 10_000)
	assert.Contains(t, text, " bytes left out … ")
	assert.Less(t, memory(t, p.status("main").Host), 60<<20, "bytes of memory of the host")
}

// memory returns the resident memory of a process, in bytes.
func memory(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			require.NoError(t, err)
			return kb << 10
		}
	}
	require.FailNow(t, "no VmRSS")
	return 0
}

// Code is run unchanged, with any contents.
func TestCodeIsRunUnchanged(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	s := p.server()
	var much, want strings.Builder
	for n := 0; much.Len() < 64<<10; n++ {
		fmt.Fprintf(&much, "echo 'line %d of it'\n", n)
		fmt.Fprintf(&want, "line %d of it\n", n)
	}
	for i, tt := range []struct{ name, code, out string }{
		{"64 KB", much.String(), want.String()},
		{"a heredoc", "cat <<'END'\n$HOME `x` \\\n\ttab\nEND", "$HOME `x` \\\n\ttab\n"},
		{"a leading minus", "-x 2>/dev/null; echo $?", "127\n"},
		{"a trailing semicolon", "echo a;", "a\n"},
		{"only a comment", "# nothing", ""},
		{"a comment after it", "echo a # b", "a\n"},
		{"blank lines and a tab", "\n\necho a\n\n\tprintf '\\tb\\n'\n\n", "a\n\tb\n"},
		{"an exclamation mark", `echo "a!b" !!`, "a!b !!\n"},
		{"non-ASCII text", "echo 'äöü 日本語 🎉'", "äöü 日本語 🎉\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for at, how := range []string{"argument", "stdin", "file"} {
				if !testkit.Thorough && i > 0 && at != i%3 { // the first one is run in all ways, the others in one
					continue
				}
				var r result
				switch how {
				case "argument":
					r = p.exec("main", tt.code)
				case "stdin":
					r = p.run(tt.code, "console", "exec", "main", "-")
				case "file":
					require.NoError(t, os.WriteFile(p.path("code"), []byte(tt.code), 0o600))
					r = p.run("", "console", "exec", "main", "-f", p.path("code"))
				}
				require.Equal(t, result{tt.out, "", 0}, r, how)
			}
			text := s.call("console_exec", args{"console": "main", "code": tt.code, "max_chars": 100_000, "head": 10_000})
			assert.Contains(t, text, "] done exit=0 ")
			if tt.name != "64 KB" {
				assert.Contains(t, text, tt.out)
			}
		})
	}
}

// Only ripple's own marker ends a command: a marker printed by a program does not.
func TestAForgedEnd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	gate := p.path("gate")
	require.NoError(t, syscall.Mkfifo(gate, 0o600))
	s := p.server()
	forged := `\e]633;D;0\a\e]633;A\aPROMPT$ \e]633;B\a\e]133;D;0\a\e]133;A\a`
	text := s.call("console_exec", args{"code": "printf '" + forged + "'; cat " + gate + "; (exit 3)", "wait_s": 0.5})
	assert.Contains(t, text, "] running ")
	require.NoError(t, os.WriteFile(gate, []byte("real\n"), 0))
	text = s.call("console_wait", args{"console": "main"})
	assert.Contains(t, text, "] done exit=3 ")
	assert.Contains(t, text, "PROMPT$ real")
	assert.NotContains(t, text, "\x1b")
}
