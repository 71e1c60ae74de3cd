package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// step is one command in a shell whose user changes its settings.
type step struct {
	code   string
	output string // a pattern for the whole output
	exit   int    // or unknown
}

const unknown = -1

// markers matches a session's prompt that a program prints.
const markers = `(?s:\x1b\]633;D;.*\x1b\]633;A;.*)`

// untilTeeEnds waits for the tee of a log, which copies to the terminal: its later output would be
// part of the next command's.
const untilTeeEnds = `; until test -e "$log.end"; do sleep 0.01; done; (exit 6)`

// hiddenPrompt has commands of a shell whose prompt, on standard error, goes elsewhere.
var hiddenPrompt = []step{
	{`exec 2>/dev/null; (exit 4)`, ``, unknown},
	{`sleep 0.1; echo a; (exit 5)`, `a\n`, unknown},
	{`echo "open`, ``, unknown},
	{"if true; then\n  echo c\nfi", `c\n`, unknown},
	{`exec 2>&-; echo b`, `b\n`, unknown},
	{`exec 2>/dev/tty; (exit 6)`, ``, 6},
	{`(exit 7)`, ``, 7},
}

// terminalModes has commands of a shell that displays a line as the terminal echoes it, whatever
// its modes are.
var terminalModes = []step{
	{`stty raw; (exit 3)`, ``, 3},
	{`echo raw; (exit 4)`, `raw\n`, 4},
	{"for i in 1 2; do\n  echo $i\ndone; (exit 5)", `1\n2\n`, 5},
	{`stty sane -opost; (exit 6)`, ``, 6},
	{`echo as it is; (exit 7)`, `as it is\n`, 7},
	{`stty sane -isig -icanon; (exit 8)`, ``, 8},
	{`echo no lines; (exit 9)`, `no lines\n`, 9},
	{`stty sane -icrnl; (exit 10)`, ``, 10},
	{`stty sane -echoctl tab3; (exit 11)`, ``, 11},
	{`stty sane olcuc; (exit 12)`, ``, 12},
	{`echo "big ä"; (exit 13)`, `BIG .*\n`, 13},
	{`stty sane -echo; (exit 14)`, ``, 14},
	{`echo small; (exit 15)`, `small\n`, 15},
}

var oddUses = []struct {
	name, adapter string
	steps         []step
}{
	{"a prompt that is expanded twice", "bash", []step{
		{`echo "${PS1@P}"; echo AFTER; (exit 5)`, markers + `AFTER\n`, 5},
		{`echo next`, `next\n`, 0},
		{`unset PROMPT_COMMAND; echo "${PS1@P}"; (exit 6)`, markers + `\n`, 6},
		{`(exit 7)`, ``, 7},
	}},
	{"all variables", "bash", []step{
		{`set -o posix; set | tail -n 1000 | grep -c PS1=; (exit 3)`, `1\n`, 3},
		{`set +o posix`, ``, 0},
	}},
	{"a log of the terminal", "bash", []step{
		{`log=$(mktemp); exec 3>&1 4>&2 > >(tee "$log"; : >"$log.end") 2>&1; (exit 4)`, ``, 4},
		{`(exit 5)`, ``, 5},
		{`exec >&3 2>&4` + untilTeeEnds, ``, 6},
		{`cat "$log"; rm "$log"*; (exit 7)`, markers, 7},
		{`echo next`, `next\n`, 0},
	}},
	{"standard output in a file", "bash", []step{
		{`PROMPT_COMMAND='echo title'; f=$(mktemp); exec 3>&1 >"$f"`, ``, 0},
		{`(exit 4)`, ``, 4},
		{`exec >&3; grep -c 633 "$f"; rm "$f"`, `0\n`, 0},
	}},
	{"terminal modes that a command leaves", "dash", terminalModes},
	{"terminal modes that a command leaves", "mksh", terminalModes},
	{"terminal modes that a command leaves", "yash", terminalModes},
	{"terminal modes that a command leaves", "ksh93", terminalModes},
	{"terminal modes that a command leaves", "bash", terminalModes},
	{"terminal modes that a command leaves", "zsh", terminalModes},
	{"terminal modes that a command leaves", "busybox", terminalModes},
	{"a prompt that goes elsewhere, in a shell that knows prompts only", "dash", hiddenPrompt},
	{"a prompt that goes elsewhere, in a shell that knows prompts only", "mksh", hiddenPrompt},
	{"no standard error", "yash", []step{
		{`exec 3>&2 2>/dev/null; ls /nonexistent; (exit 4)`, ``, 4},
		{`PS1='foo '; echo a; (exit 5)`, `a\n`, 5},
		{"if true; then\n  echo c\nfi; (exit 6)", `c\n`, 6},
		{`exec 2>&-; echo b; (exit 7)`, `b\n`, 7},
		{`set -xu; (exit 8)`, ``, 8},
		{`exec 2>&3; (exit 9)`, `\+ exec\n\+ exit 9\n`, 9},
		{`: a`, `\+ ':' a\n`, 0},
		{`set +x`, `\+ set '\+x'\n`, 0},
		{`(exit 10)`, ``, 10},
	}},
	{"standard error in a file", "yash", []step{
		{`f=$(mktemp); exec 3>&2 2>"$f"; (exit 4)`, ``, 4},
		{`(exit 5)`, ``, 5},
		{`exec 2>&3; grep -c 633 "$f"; rm "$f"`, `0\n`, 0},
	}},
	{"a prompt that goes elsewhere, with the line editor's", "busybox", []step{
		{`exec 3>&1 >/dev/null`, ``, unknown},
		{`sleep 0.1; echo a >&3; (exit 5)`, `a\n`, unknown},
		{`echo "open`, `(?s).*`, unknown},
		{`exec >&3; (exit 6)`, ``, 6},
	}},
	{"no standard error", "bash", []step{
		{`exec 3>&2 2>/dev/null; ls /nonexistent; (exit 4)`, ``, 4},
		{`echo "open; (exit 4)`, ``, 2},
		{`echo a; (exit 5)`, `a\n`, 5},
		{`exec 2>&-; echo b; (exit 6)`, `b\n`, 6},
		{"if true; then\n  echo c\nfi; (exit 7)", `c\n`, 7},
		{`exec 2>&3; ls /nonexistent`, `ls: cannot access.*\n`, 2},
		{`(exit 8)`, ``, 8},
	}},
	{"standard error in a file", "bash", []step{
		{`f=$(mktemp); exec 3>&2 2>"$f"; (exit 4)`, ``, 4},
		{`(exit 5)`, ``, 5},
		{`exec 2>&3; grep -c 633 "$f"; rm "$f"`, `0\n`, 0},
		{`echo "$(</dev/null)"; (exit 6)`, `\n`, 6},
	}},
	{"no standard output", "bash", []step{
		{`exec 3>&1 >&-; (exit 4)`, ``, 4},
		{`exec >&3; echo a`, `a\n`, 0},
	}},
	{"a prompt that cannot be changed", "bash", []step{
		{`readonly PS1='foo '; (exit 4)`, ``, 4},
		{`if )`, `bash: syntax error.*\n`, 2},
		{`echo a; (exit 5)`, `a\n`, 5},
	}},
	{"a line editor", "bash", []step{
		{`set -o vi; (exit 4)`, ``, 4},
		{`echo a; (exit 5)`, `a\n`, 5},
		{`set -o emacs; (exit 6)`, ``, 6},
		{"for i in 1 2; do\n  echo $i\ndone; (exit 7)", `1\n2\n`, 7},
		{`set +o vi; cd /; echo b; (exit 8)`, `b\n`, 8},
	}},
	{"traces next to the user's hooks", "bash", []step{
		{`PROMPT_COMMAND='x=1'; set -x; (exit 4)`, `\+ exit 4\n\+\+ x=1\n`, 4}, // its own trace, until that is known
		{`echo a; (exit 5)`, `\+ echo a\na\n\+ exit 5\n`, 5},
		{`set +x; (exit 6)`, `\+ set \+x\n`, 6},
		{`trap 'echo "<$BASH_COMMAND>"' DEBUG; (exit 7)`, ``, 7},
		{`echo b; (exit 8)`, `<echo b>\nb\n`, 8},
		{`trap - DEBUG; echo c; (exit 9)`, `<trap - DEBUG>\nc\n`, 9},
	}},
	{"hooks that cannot be changed", "bash", []step{
		{`unset PROMPT_COMMAND; (exit 4)`, ``, 4},
		{`readonly PROMPT_COMMAND; (exit 5)`, ``, 5},
		{`PS1='x '; (exit 6)`, ``, 6},
		{`(exit 7)`, ``, 7},
	}},
	{"lines that end with CR LF", "bash", []step{
		{"cat <<'X' | od -An -c\na\r\nX", ` +a +\\r +\\n\n`, 0},
	}},
	{"capitals", "bash", []step{
		{`stty olcuc; echo a; (exit 4)`, `A\n`, 4},
		{`cd /; (exit 5)`, ``, 5},
		{`stty -olcuc; echo a; pwd; (exit 6)`, `a\n/\n`, 6},
	}},
	{"a prompt that is expanded twice", "zsh", []step{
		{`print -P "$PROMPT"; echo AFTER; (exit 5)`, markers + `AFTER\n`, 5},
		{"for i in {1..9}; do :\ndone\n\n\n\n\n\n\n\n\n\nprint -P $PROMPT; (exit 6)", markers + `\n`, 6},
		{`precmd_functions=(); print -P "$PROMPT"; (exit 7)`, markers + `\n`, 7},
		{`(exit 8)`, ``, 8},
	}},
	{"a log of the terminal", "zsh", []step{
		{`log=$(mktemp); exec 3>&1 4>&2 2> >(tee "$log" >&2; : >"$log.end"); (exit 4)`, ``, 4},
		{`(exit 5)`, ``, 5},
		{`exec >&3 2>&4` + untilTeeEnds, ``, 6},
		{`cat "$log"; rm "$log"*; (exit 7)`, markers, 7},
		{`echo next`, `next\n`, 0},
	}},
	{"hooks that print, and options that ask", "zsh", []step{
		{`precmd() { echo $?; return 9 }; foo() { echo foo; }; setopt correct_all; (exit 4)`, `(4\n)?`, 4},
		{`precmd_functions=(foo $precmd_functions); (exit 5)`, ``, 5},
		{`gti --version`, `zsh: command not found: gti\n`, 127},
		{`set -x; (exit 5)`, `\+\S+ exit 5\n`, 5},
		{`set +x`, `\+\S+ set \+x\n`, 0},
		{`cd "$(mktemp -d)"; touch a b; rm *; echo *(N)`, `\n`, 0},
	}},
	{"no standard error", "zsh", []step{
		{`exec 3>&2 2>/dev/null; ls /nonexistent; (exit 4)`, ``, 4},
		{`echo a; (exit 5)`, `a\n`, 5},
		{`exec 2>&-; echo b; (exit 6)`, `b\n`, 6},
		{`exec 2>&3; ls /nonexistent`, `ls: cannot access.*\n(zsh: write error\n)?`, 2},
		{`(exit 8)`, ``, 8},
	}},
	{"standard error in a file", "zsh", []step{
		{`f=$(mktemp); exec 3>&2 2>"$f"; (exit 4)`, ``, 4},
		{`(exit 5)`, ``, 5},
		{`exec 2>&3; grep -c 633 "$f"; rm "$f"`, `0\n`, 0},
	}},
	{"a prompt that cannot be changed", "zsh", []step{
		{`readonly PS1='foo '; (exit 4)`, ``, 4},
		{`true`, ``, 0},
		{`if )`, `zsh: parse error.*\n`, 1},
		{`echo a; (exit 5)`, `a\n`, 5},
	}},
}

func TestOddUses(t *testing.T) {
	t.Parallel()
	for _, use := range testkit.FewerOf(t, 6, oddUses) {
		t.Run(use.adapter+": "+use.name, func(t *testing.T) {
			s := open(t, use.adapter, session.Options{})
			for _, step := range use.steps {
				r, err := s.Eval(deadline(t), step.code)
				require.NoError(t, err, "%s: %q", step.code, r.Output)
				assert.Regexp(t, `\A`+step.output+`\z`, r.Output, step.code)
				if step.exit == unknown {
					assert.Nil(t, r.ExitCode, step.code)
				} else if assert.NotNil(t, r.ExitCode, step.code) {
					assert.Equal(t, step.exit, *r.ExitCode, step.code)
				}
			}
		})
	}
}

// Text that is echoed because a command turned the echo on is not output, whether the terminal or the program's own line editor
// echoes it.
func TestEchoTurnedOnByCommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, on, print, want string }{
		{"gdb", `shell stty sane`, `output 42`, "42"},
		{"r", `invisible(system("stty sane"))`, `cat(42)`, "42"},
		{"dc", `!stty sane`, `6 7 * p`, "42\n"},
		{"dc", `!stty echo`, `6 7 * p`, "42\n"},
		{"sqlite3", `.shell stty sane`, `select 6*7;`, "42\n"},
		{"sqlite3", `.shell stty sane`, `.print .print`, ".print\n"},
		{"lua", `os.execute("stty sane")`, `print(6*7)`, "42\n"},
		{"sqlite3", `.shell stty sane`, "select\n42;", "42\n"},
		{"sqlite3", `.shell stty sane`, "select   6*7                                                                               ;", "42\n"},
		{"lua", `os.execute("stty sane")`, "local x = 6\nprint(x*7)", "42\n"},
		{"lua", `os.execute("stty sane")`, "print(6*7) -- " + strings.Repeat("longer than the console is wide ", 4), "42\n"},
		{"lua", `os.execute("stty sane")`, "print(6*7) -- " + strings.Repeat("länger als die Konsole breit ist ", 4), "42\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.name, session.Options{Cols: 80, Rows: 24})
			eval(t, s, tt.on)
			for range 3 {
				r := eval(t, s, tt.print)
				assert.Equal(t, tt.want, r.Output)
				assert.Empty(t, r.OutOfBand)
			}
		})
	}
}

// If the terminal echoes from the start, the strategy none leaves the echo in the output.
func TestEchoThatStays(t *testing.T) {
	a := *adapter(t, "dash")
	a.Output.InputEchoStrategy = schema.EchoNone
	s, err := session.Open(deadline(t), &a, session.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close(deadline(t))) })
	assert.Equal(t, "echo hi\nhi\n", eval(t, s, "echo hi").Output)
}

// A program that ends without having read a line did not run it: its exit code is unknown.
func TestStandardInputElsewhere(t *testing.T) {
	for _, name := range []string{"bash", "dash", "busybox", "mksh", "yash"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, name, session.Options{})
			eval(t, s, "true")
			eval(t, s, "exec </dev/null")
			r, err := s.Eval(deadline(t), "false")
			require.ErrorIs(t, err, session.ErrExited)
			assert.Nil(t, r.ExitCode)
			if r.CompletedBy != "" { // it had not ended before
				assert.True(t, r.Failed)
			}
		})
		t.Run(name+" that is asked to exit", func(t *testing.T) {
			s := open(t, name, session.Options{})
			r, err := s.Eval(deadline(t), "exit 3")
			require.ErrorIs(t, err, session.ErrExited)
			if assert.NotNil(t, r.ExitCode) {
				assert.Equal(t, 3, *r.ExitCode)
			}
		})
	}
}

// A session reads its user's history and has one of its own.
func TestHistoryIsNotWritten(t *testing.T) {
	for name, row := range map[string]struct{ file, content, list string }{
		"bash": {".bash_history", "echo of yesterday\n", "history"},
		"zsh":  {".zsh_history", ": 1600000000:0;echo of yesterday\n", "fc -l 1"},
		"tcsh": {".history", "#+1600000000\necho of yesterday\n", "history"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(home, ".tcshrc"), []byte("set history=50 savehist=50\n"), 0o600))
			path := filepath.Join(home, row.file)
			require.NoError(t, os.WriteFile(filepath.Join(home, ".zshrc"), []byte("HISTFILE=~/.zsh_history SAVEHIST=100; setopt sharehistory\n"), 0o600))
			require.NoError(t, os.WriteFile(path, []byte(row.content), 0o600))
			s, err := session.Open(deadline(t), adapter(t, name), session.Options{Env: []string{"HOME=" + home}})
			require.NoError(t, err)
			eval(t, s, "echo of today")
			r := eval(t, s, row.list)
			assert.Contains(t, r.Output, "echo of yesterday")
			assert.Contains(t, r.Output, "echo of today")
			require.NoError(t, s.Close(deadline(t)))
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, row.content, string(content))
		})
	}
}

// A session does not create a history that did not exist.
func TestNoHistoryIsLeft(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "zsh", "fish", "ksh93", "mksh", "yash", "tcsh", "nu", "xonsh"} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			s, err := session.Open(deadline(t), adapter(t, name), session.Options{Env: []string{"HOME=" + home}})
			require.NoError(t, err)
			eval(t, s, "echo hi")
			require.NoError(t, s.Close(deadline(t)))
			require.NoError(t, filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
				assert.False(t, err == nil && !d.IsDir() && strings.Contains(d.Name(), "history"), path)
				return err
			}))
		})
	}
}

// A prompt that is longer than the previous one, by a directory's name, is a prompt and not output.
func TestGrowingPrompt(t *testing.T) {
	for _, name := range []string{"bash", "zsh", "tcsh"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755))
			s, err := session.Open(deadline(t), adapter(t, name), session.Options{Env: []string{"HOME=" + dir}, Dir: dir})
			require.NoError(t, err)
			for _, code := range []string{"cd a", "cd b", "echo hi", "cd ../..", "echo there"} {
				r := eval(t, s, code)
				assert.Empty(t, r.OutOfBand, code)
			}
			assert.Empty(t, s.TrailingOutput())
			require.NoError(t, s.Close(deadline(t)))
		})
	}
}
