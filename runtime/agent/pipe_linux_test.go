package agent

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// Output that an agent writes without waiting fits into the pipe before it is read.
func TestPipesHaveRoom(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer func() { assert.NoError(t, r.Close()) }()
	defer func() { assert.NoError(t, w.Close()) }()
	enlarge(w)
	require.NoError(t, w.SetWriteDeadline(time.Now().Add(testkit.Patience(10*time.Second))))
	n, err := w.Write(bytes.Repeat([]byte("x"), pipeSize))
	require.NoError(t, err)
	assert.Equal(t, pipeSize, n)
}
