//go:build unix

package agentcmd

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A signal ends the turn of a scripted agent, unless the agent became deaf; that alone does not end the turn.
func TestADeafAgent(t *testing.T) {
	ctx, _, stop := untilSignal(t.Context())
	defer stop()
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	<-ctx.Done()

	ctx, deaf, stop := untilSignal(t.Context())
	defer stop()
	t.Cleanup(func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })
	deaf()
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	assert.NoError(t, ctx.Err())
	stop()
	assert.Error(t, ctx.Err())
}
