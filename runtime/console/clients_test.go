//go:build unix

package console_test

import (
	"context"
	"net/http/httptrace"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console"
)

// A ClientCache keeps its connections, and notice when a name belongs to a new console.
func TestClientsKeepTheirConnections(t *testing.T) {
	place(t)
	start(t, console.Spec{Name: "kept"})
	clients := console.NewClientCache(os.Getenv)
	defer clients.Close()
	first, err := clients.Open("kept")
	require.NoError(t, err)
	output, _ := exec(t, first, "x=5; echo $x")
	assert.Equal(t, "5\n", output)
	first.Close()

	var reused []bool
	traced := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = append(reused, i.Reused) }})
	for _, code := range []string{"echo $x", "seq 200000", "sleep 0.05; echo $x", "echo $x"} { // an immediate answer, a long answer, an answer in pieces
		c, err := clients.Find("kept")
		require.NoError(t, err)
		assert.Same(t, first, c, "the status file was not read again")
		_, err = c.Exec(traced, console.ExecRequest{Code: code, Wait: 20 * time.Second}, nil)
		require.NoError(t, err)
		c.Close()
	}
	assert.Equal(t, []bool{true, true, true, true}, reused)

	s, there := clients.Status(t.Context(), "kept")
	require.True(t, there)
	dead := killHost(t, s.HostPID)
	assert.Equal(t, console.Dead, dead.State)
	_, err = first.Exec(t.Context(), console.ExecRequest{Code: "echo $x"}, nil)
	requireFault(t, console.FaultExited, err)
	awaitDeath(t, s.PID) // the guard ends the program, then the name is free
	start(t, console.Spec{Name: "kept"})
	c, err := clients.Open("kept")
	require.NoError(t, err)
	assert.NotSame(t, first, c)
	output, _ = exec(t, c, "echo new$x")
	assert.Equal(t, "new\n", output)

	require.NoError(t, c.End(context.WithoutCancel(t.Context()), false))
	_, err = clients.Open("kept")
	requireFault(t, console.FaultUnknown, err)
}
