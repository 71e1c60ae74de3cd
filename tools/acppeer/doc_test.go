// Package acppeer tests ripple with the Go SDK of the Agent Client Protocol (https://github.com/coder/acp-go-sdk),
// with which others build agents and clients: as the client of such an agent, and as the agent of such a client.
// ripple itself does not use the SDK, because it decodes an unknown kind of update as another kind.
package acppeer

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// playsVariable makes this test binary the agent.
const playsVariable = "ACP_PEER"

// bound is a time limit against hangs.
const bound = time.Minute

var built string

func TestMain(m *testing.M) {
	if os.Getenv(playsVariable) != "" {
		playAgent()
		return
	}
	dir, err := os.MkdirTemp("", "acppeer")
	if err != nil {
		panic(err)
	}
	built = dir
	code := m.Run()
	_ = os.RemoveAll(dir) // anything left is in the system's temporary directory
	os.Exit(code)
}

var build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built, "ripple")
	cmd := exec.Command("go", "build", "-o", path, "./cmd/ripple")
	cmd.Dir = "../.."
	return path, cmd.Run()
})

// ripple is the program under test.
func ripple(t *testing.T) string {
	t.Helper()
	path, err := build()
	must(t, err)
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, want, got T, about ...string) {
	t.Helper()
	if want != got {
		t.Errorf("%v is wanted, not %v", want, got)
		for _, line := range about {
			t.Log(line)
		}
	}
}
