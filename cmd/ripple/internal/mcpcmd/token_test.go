package mcpcmd

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/mcp"
)

// The token of a server is not inherited by the processes that it starts.
func TestTheTokenIsNotInherited(t *testing.T) {
	t.Setenv(tokenVariable, "secret")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := ui.NewApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}, func(error) {})
	assert.NoError(t, serveHTTP(ctx, a, mcp.New(mcp.Options{}), "127.0.0.1:0"))
	_, inherited := os.LookupEnv(tokenVariable)
	assert.False(t, inherited)
}
