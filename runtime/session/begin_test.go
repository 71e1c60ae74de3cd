package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
)

// A session uses the program that Prestart started; a second Prestart starts another one.
func TestBegin(t *testing.T) {
	ctx := deadline(t)
	dir := t.TempDir()
	env := []string{"WHO=me", "HOME=" + dir}
	b, err := session.Prestart(adapter(t, "bash"), session.Options{Dir: dir, Env: env})
	require.NoError(t, err)
	s, err := b.Open(ctx, session.Options{Dir: dir, Env: env})
	require.NoError(t, err)
	defer s.Close(ctx)
	first := s.State().PID
	for range 2 {
		r, err := s.Eval(ctx, `echo "$WHO $PWD"`)
		require.NoError(t, err)
		assert.Equal(t, "me "+dir+"\n", r.Output)
		require.NoError(t, s.Restart(ctx))
	}
	assert.NotEqual(t, first, s.State().PID)
}

// A program without a session leaves no process and no file.
func TestBeginWithoutSession(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	b, err := session.Prestart(adapter(t, "bash"), session.Options{})
	require.NoError(t, err)
	require.NoError(t, b.Close())
	left, err := filepath.Glob(filepath.Join(tmp, "*"))
	require.NoError(t, err)
	assert.Empty(t, left)

	_, err = session.Prestart(adapter(t, "bash"), session.Options{Dir: filepath.Join(tmp, "nowhere")})
	require.Error(t, err)
	entries, err := os.ReadDir(tmp)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
