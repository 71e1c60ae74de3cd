package agents

import (
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/standin"
)

// The namespace contains only loopback.
func TestIsolation(t *testing.T) {
	if os.Getenv(isolated) == "" {
		t.Skip("runs in the namespace that the live tests have: make test-agents")
	}
	list, err := net.Interfaces()
	require.NoError(t, err)
	for _, i := range list {
		assert.Equal(t, "lo", i.Name)
	}
	_, err = net.Dial("udp", "192.0.2.1:9")
	require.Error(t, err, "there is a route to elsewhere")
	s, err := standin.Listen("127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, s.Close())
}
