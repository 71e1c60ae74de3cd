//go:build linux

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// On a terminal, a released binary checks for a new version while a command runs, and reports it
// afterwards; a short command does not check, and without a terminal nothing is printed.
func TestNotice(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		fmt.Fprint(w, `{"tag_name":"v9.9.9"}`)
		asked <- q.UserAgent()
	}))
	defer s.Close()
	path, err := exec.LookPath("ripple-released")
	require.NoError(t, err)
	cache := t.TempDir()
	environ := append(os.Environ(), "XDG_CACHE_HOME="+cache, "CI=", feedVariable+"="+s.URL)
	const words = "there is a newer ripple, v9.9.9; this is v1.0.0"

	c := withEnviron(t, environ, path, "version")
	c.expect("ripple v1.0.0")
	require.NoError(t, c.cmd.Wait())
	assert.NoDirExists(t, filepath.Join(cache, "ripple"), "it ended before the check")

	c = withEnviron(t, environ, path, "exec", "bash", "--", "read -r line; echo got $line")
	c.expect("waits for input") // until the check is done
	assert.Equal(t, "ripple/v1.0.0", <-asked)
	known := filepath.Join(cache, "ripple", "update.json")
	require.Eventually(t, func() bool {
		data, err := os.ReadFile(known)
		return err == nil && strings.Contains(string(data), "v9.9.9")
	}, testkit.Patience(30*time.Second), 10*time.Millisecond)
	c.send("x\n")
	c.expect("got x")
	c.expect(words)
	require.NoError(t, c.cmd.Wait())

	again := exec.Command(path, "version")
	again.Env = environ
	out, err := again.CombinedOutput()
	require.NoError(t, err)
	assert.NotContains(t, string(out), words)
	assert.Empty(t, asked, "once a day")
}
