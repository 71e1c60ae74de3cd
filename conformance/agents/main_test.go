package agents

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// folder names the directory that tools/agents installed into; without it no test
// of real agents runs.
const folder = "RIPPLE_AGENTS"

// isolated is set in the process that runs in a network namespace of its own.
const isolated = "RIPPLE_AGENTS_ISOLATED"

// The live tests run in a network namespace that has nothing but loopback, where
// the system allows one: there is nobody else to reach.
func TestMain(m *testing.M) {
	if os.Getenv(folder) == "" {
		os.Exit(m.Run())
	}
	if os.Getenv(isolated) != "" {
		if err := loopbackUp(); err != nil {
			fmt.Fprintln(os.Stderr, "agents: the network namespace has no loopback:", err)
			os.Exit(1)
		}
		os.Exit(m.Run())
	}
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), isolated+"=1")
	if err := startIsolated(cmd); err != nil {
		fmt.Fprintln(os.Stderr, "agents: not isolated from the network:", err)
		os.Exit(m.Run())
	}
	_ = cmd.Wait() // what it says stands in its exit code
	os.Exit(cmd.ProcessState.ExitCode())
}
