// Package acppeer tries ripple with the SDK for Go of the Agent Client Protocol
// (https://github.com/coder/acp-go-sdk), which others make agents and clients with: as
// the client of such an agent, and as the agent of such a client. The SDK is not in
// ripple: it takes a kind of update that it does not know for another one.
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

// bound ends what should have ended long before.
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

// ripple is the program that is tried.
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
