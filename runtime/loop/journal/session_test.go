package journal

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/record"
)

func TestSessionFiles(t *testing.T) {
	s := storeOf(t)
	load := func() record.Session {
		v, damaged, err := s.LoadSession()
		require.NoError(t, err)
		assert.Empty(t, damaged)
		return v
	}
	assert.Zero(t, load())

	a := record.Session{ID: "a", CreatedAt: noon, LastUsed: noon}
	require.NoError(t, s.SaveSession(a, []record.Move{{At: noon, To: "a", Reason: "session_started", Loop: 1}}))
	assert.Equal(t, a, load())
	id, err := os.ReadFile(s.Path(layout.IDFile))
	require.NoError(t, err)
	assert.Equal(t, "a\n", string(id))

	require.NoError(t, os.WriteFile(s.Path(layout.IDFile), []byte("b\r\n"), 0o600))
	assert.Equal(t, "b", load().ID, "an id that another tool wrote, with CRLF")
	require.NoError(t, os.Remove(s.Path(layout.IDFile)))
	assert.Empty(t, load().ID, "an id that somebody removed")

	reset := record.Session{ResetAt: noon, ResetReason: "manual_reset"}
	require.NoError(t, s.SaveSession(reset, nil))
	assert.Equal(t, reset, load())

	require.NoError(t, os.WriteFile(s.Path(layout.SessionFile), []byte("{torn"), 0o600))
	v, damaged, err := s.LoadSession()
	require.NoError(t, err)
	assert.Zero(t, v)
	assert.Equal(t, layout.SessionFile+".corrupt", damaged)
}

func TestSessionPlace(t *testing.T) {
	s := storeOf(t)
	for text, want := range map[string]string{
		"--yolo": layout.IDFile + ":1", "a\na\na\n": layout.IDFile + ":2", "\n\na b\n": layout.IDFile + ":3", "a\r\n\r\nb": layout.IDFile + ":3",
	} {
		require.NoError(t, os.WriteFile(s.Path(layout.IDFile), []byte(text), 0o600))
		v, err := PeekSession(s)
		require.NoError(t, err)
		assert.Equal(t, s.Path(want), SessionPlace(s, v.ID), "%q", text)
	}
	assert.Equal(t, s.Path(layout.EventsFile), SessionPlace(s, "of a resumed run"))
}

func TestPeekSessionChangesNothing(t *testing.T) {
	s := storeOf(t)
	require.NoError(t, os.WriteFile(s.Path(layout.SessionFile), []byte("{torn"), 0o600))
	require.NoError(t, os.WriteFile(s.Path(layout.IDFile), []byte("a\n"), 0o600))
	v, err := PeekSession(s)
	require.NoError(t, err)
	assert.Equal(t, "a", v.ID)
	assert.FileExists(t, s.Path(layout.SessionFile))
}

func TestSessionHistoryKeeps50(t *testing.T) {
	s := storeOf(t)
	for i := range 60 {
		m := []record.Move{{At: noon, To: "a", Reason: "session_started", Loop: i}}
		require.NoError(t, s.SaveSession(record.Session{ID: "a"}, m))
		require.NoError(t, s.SaveSession(record.Session{ID: "a"}, m), "again after a crash")
	}
	var list []record.Move
	found, _, err := s.ReadJSON(layout.HistoryFile, &list, func() bool { return true })
	require.NoError(t, err)
	require.True(t, found)
	require.Len(t, list, 50)
	assert.Equal(t, 10, list[0].Loop)
	assert.Equal(t, 59, list[49].Loop)
}
