package journal

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

func TestTwoLoopsAtOnce(t *testing.T) {
	t.Parallel()
	s := storeOf(t)
	_, held, err := s.Locked()
	require.NoError(t, err)
	assert.False(t, held)

	unlock, err := s.Lock(noon)
	require.NoError(t, err)
	_, err = s.Lock(noon)
	locked, ok := errors.AsType[*LockedError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, os.Getpid(), locked.PID)
	assert.True(t, noon.Equal(locked.Started))
	assert.Contains(t, err.Error(), "a loop is running here already")
	who, held, err := s.Locked()
	require.NoError(t, err)
	assert.True(t, held)
	assert.Equal(t, os.Getpid(), who.PID)
	assert.True(t, who.Permits(s.AnswerToken()))
	assert.False(t, who.Permits(""))
	assert.False(t, who.Permits(who.Answerers), "the file does not have the token")
	token := s.AnswerToken()
	require.NoError(t, os.Remove(s.Path(layout.LockFile)))
	require.NoError(t, s.Relock(noon))
	assert.Equal(t, token, s.AnswerToken(), "commands have it already")

	require.NoError(t, unlock())
	_, held, err = s.Locked()
	require.NoError(t, err)
	assert.False(t, held, "a file that a loop left behind holds nobody up")
	unlock, err = s.Lock(noon)
	require.NoError(t, err)
	require.NoError(t, unlock())
}

func TestLockOfSomebodyUnknown(t *testing.T) {
	t.Parallel()
	s := storeOf(t)
	unlock, err := s.Lock(noon)
	require.NoError(t, err)
	defer unlock()
	require.NoError(t, os.WriteFile(s.Path(layout.LockFile), []byte("{torn"), 0o600))
	_, err = s.Lock(noon)
	assert.ErrorContains(t, err, "is held by another process")
}

// A user who may read the file of a lock can hold it forever: no command waits for that.
func TestALockOfAnotherProcessIsNotAwaitedForever(t *testing.T) {
	before := briefly
	t.Cleanup(func() { briefly = before })
	briefly = 50 * time.Millisecond
	s := storeOf(t)
	for _, name := range []string{layout.RepliesLock, layout.RepliesFile, layout.InboxLock} {
		require.NoError(t, s.Write(name, nil))
	}
	for _, name := range []string{layout.RepliesLock, layout.InboxLock} {
		l := flock.New(s.Path(name), flock.SetFlag(os.O_RDONLY))
		require.NoError(t, l.Lock())
		t.Cleanup(func() { assert.NoError(t, l.Unlock()) })
	}
	_, err := OpenQuestions(s.project)
	assert.NoError(t, err, "reading needs no lock")
	err = Answer(s.project, noon, func([]record.Question) (string, event.Answer, error) { return "q1", event.Answer{}, nil })
	assert.ErrorContains(t, err, layout.RepliesLock)
	_, _, err = s.TakeInbox("token")
	assert.ErrorContains(t, err, layout.InboxLock)
}

// A reader of a loop's files creates none: a lock that root made would block the loop.
func TestReadingQuestionsCreatesNoLock(t *testing.T) {
	s := storeOf(t)
	require.NoError(t, s.Write(layout.RepliesFile, []byte("torn\n")))
	_, err := OpenQuestions(s.project)
	assert.NoError(t, err)
	assert.False(t, s.Files().Exists(layout.RepliesLock))
}
