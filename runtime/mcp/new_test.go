//go:build unix

package mcp_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/mcp"
)

// A program that is driven by sent input shows each answer once, and earlier output on demand.
func TestOnlyNewOutputIsShown(t *testing.T) {
	c := client(t, mcp.Options{})
	call(t, c, "console_exec", args{"code": `while read -p "> " x; do echo "is $x"; done`})
	for _, word := range []string{"one", "two", "three"} {
		text := call(t, c, "console_send", args{"console": "main", "text": word, "keys": []string{"enter"}})
		assert.Equal(t, 1, strings.Count(text, "is "), text)
		assert.Contains(t, text, "is "+word+"\n> \n")
		assert.Regexp(t, `, new since byte \d+, cursor=\d+\n`, text)
	}
	assert.NotContains(t, call(t, c, "console_wait", args{"console": "main", "for": "input"}), "is three")
	assert.Contains(t, call(t, c, "console_wait", args{"console": "main", "for": "input", "cursor": 0}), "> is one\n> is two\n")
}

// The omitted part of a long line is counted, and can be read.
func TestALongLineIsRead(t *testing.T) {
	c := client(t, mcp.Options{})
	text := call(t, c, "console_exec", args{"code": "seq -s , 9000"})
	assert.Regexp(t, `, shown 1–1, [\d,]+ bytes left out within lines; console_read command=1\n`, text)
	want := ""
	for i := range 9000 {
		want += strconv.Itoa(i+1) + ","
	}
	want, all := strings.TrimSuffix(want, ","), ""
	for column := "0"; column != ""; {
		n, _ := strconv.Atoi(column) // matched by the pattern
		text := call(t, c, "console_read", args{"console": "main", "column": n})
		line := regexp.MustCompile(`(?m)^1: (?:… [\d,]+ bytes left out … )?(.*?)(?: … [\d,]+ bytes left out from column=(\d+) on)?$`).FindStringSubmatch(text)
		if !assert.NotNil(t, line, text) {
			return
		}
		all += line[1]
		column = line[2]
	}
	assert.Equal(t, want, all)
	assert.Contains(t, call(t, c, "console_read", args{"console": "main", "grep": ",5000,5001,"}), ",5000,5001,")
}

// The end of long new output is shown, too.
func TestTheEndOfNewOutputIsShown(t *testing.T) {
	c := client(t, mcp.Options{})
	call(t, c, "console_exec", args{"code": "seq 3000; read x; seq 3001 6000"})
	text := call(t, c, "console_send", args{"console": "main", "keys": []string{"enter"}})
	if !strings.Contains(text, "done exit=0") {
		text = call(t, c, "console_wait", args{"console": "main", "for": "done", "cursor": 13893})
	}
	assert.Contains(t, text, "\n3001\n")
	assert.Contains(t, text, "lines left out …\n")
	assert.Contains(t, text, "\n6000\n")
}

// If a console ended by itself and was restarted, the new one's output is shown.
func TestAnotherConsoleOfTheSameNameShowsItsOutput(t *testing.T) {
	c := client(t, mcp.Options{})
	assert.Contains(t, call(t, c, "console_exec", args{"code": "echo first"}), "first")
	other, err := console.Open(os.Getenv, "main")
	require.NoError(t, err)
	require.NoError(t, other.End(t.Context(), true))
	other.Close()
	assert.Contains(t, call(t, c, "console_exec", args{"code": "echo other"}), "\nother\n")
}

// If a client knows that a user has to act, its next wait is for another state.
func TestAKnownStateIsWaitedOut(t *testing.T) {
	c := client(t, mcp.Options{})
	dir := t.TempDir()
	call(t, c, "console_exec", args{"code": "mkfifo " + dir + "/f"})
	main, err := console.Open(os.Getenv, "main")
	require.NoError(t, err)
	defer main.Close()
	for _, tt := range []struct {
		state, code string
		act         func() error
	}{
		{"waiting_for_secret", "read -s x", func() error {
			_, err := main.Send(t.Context(), console.SendRequest{Text: "x\r", Secret: true})
			return err
		}},
		{"fullscreen", `printf '\e[?1049h'; cat ` + dir + `/f; printf '\e[?1049l'`, func() error { return os.WriteFile(dir+"/f", nil, 0) }},
	} {
		for _, name := range []string{"main", "any"} {
			require.Contains(t, call(t, c, "console_exec", args{"code": tt.code}), tt.state)
			began := time.Now()
			require.Contains(t, call(t, c, "console_wait", args{"console": name, "wait_s": 0.2}), tt.state)
			require.GreaterOrEqual(t, time.Since(began), 200*time.Millisecond, tt.state)
			acted := make(chan error, 1)
			go func() { acted <- tt.act() }()
			require.Contains(t, call(t, c, "console_wait", args{"console": name, "wait_s": 50}), "done exit=0", tt.state)
			require.NoError(t, <-acted)
		}
		require.Contains(t, call(t, c, "console_exec", args{"code": "read x; " + tt.code}), "waiting_for_input")
		require.Contains(t, call(t, c, "console_send", args{"console": "main", "keys": []string{"enter"}}), tt.state)
		require.NoError(t, tt.act())
		require.Contains(t, call(t, c, "console_wait", args{"console": "main"}), "done exit=0", tt.state)
	}
}

// The tools that use a console which exists need no name for the only one, or for main.
func TestTheOnlyConsoleNeedsNoName(t *testing.T) {
	c := client(t, mcp.Options{})
	assert.Equal(t, "error: no console is running", call(t, c, "console_peek", args{}))
	call(t, c, "console_exec", args{"console": "only", "code": "read x; echo got $x"})
	assert.Contains(t, call(t, c, "console_peek", args{}), "[only #1] waiting_for_input")
	assert.Contains(t, call(t, c, "console_send", args{"text": "in", "keys": []string{"enter"}}), "[only #1] done exit=0")
	assert.Contains(t, call(t, c, "console_wait", args{}), "[only #1] done exit=0")
	assert.Contains(t, call(t, c, "console_read", args{}), "1: got in")
	call(t, c, "console_start", args{"name": "other"})
	assert.Equal(t, `error: no console is named "main"; running: only, other`, call(t, c, "console_read", args{}))
	other, err := console.Open(os.Getenv, "other")
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(other.RecordedStatus.HostPID, syscall.SIGKILL))
	again := func() bool { return strings.Contains(call(t, c, "console_read", args{}), "1: got in") }
	require.Eventually(t, again, testkit.Patience(30*time.Second), 10*time.Millisecond, "one whose host was killed does not count")
	call(t, c, "console_exec", args{"code": "echo default"})
	assert.Contains(t, call(t, c, "console_read", args{}), "1: default")
}

// An error is one line, also if it has hints in further lines.
func TestAnErrorIsOneLine(t *testing.T) {
	c := client(t, mcp.Options{})
	t.Setenv("PATH", "")
	text := call(t, c, "console_start", args{"adapter": "python"})
	assert.Regexp(t, `^error: python: its program is not installed; tried .*; on `, text)
	assert.NotContains(t, text, "\n")
	assert.NotContains(t, text, `\u{`)
}
