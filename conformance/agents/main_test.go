package agents

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// folder names the variable with the directory into which tools/agents installed the agents;
// without it the tests of real agents are skipped.
const folder = "RIPPLE_AGENTS"

// isolated is set in the process that runs in a network namespace of its own.
const isolated = "RIPPLE_AGENTS_ISOLATED"

// starting is its value until the namespace has a loopback interface that is up.
const starting = "starting"

// The live tests run in a network namespace that only contains loopback, if the system allows it:
// nothing else can be reached.
func TestMain(m *testing.M) {
	if os.Getenv(folder) == "" {
		os.Exit(m.Run())
	}
	switch os.Getenv(isolated) {
	case "":
	case starting:
		fmt.Fprintln(os.Stderr, "agents: the network namespace has no loopback:", loopbackUp())
		os.Exit(1)
	default:
		os.Exit(m.Run())
	}
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), isolated+"="+starting)
	if err := startIsolated(cmd); err != nil {
		fmt.Fprintln(os.Stderr, "agents: not isolated from the network:", err)
		os.Exit(m.Run())
	}
	_ = cmd.Wait() // the exit code is passed on
	os.Exit(cmd.ProcessState.ExitCode())
}
