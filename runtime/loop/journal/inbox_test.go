package journal

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/hats"
)

// An acknowledged topic is part of the turn; a late one is rejected.
func TestInboxLosesNothing(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(dir, nil)
	require.NoError(t, s.Make())
	token, err := s.OpenInbox(InboxHead{Turn: 1, Promise: "DONE"})
	require.NoError(t, err)
	var mu sync.Mutex
	told := map[string]bool{}
	var all sync.WaitGroup
	begun := make(chan struct{}, 30)
	for i := range 30 {
		all.Go(func() {
			begun <- struct{}{}
			topic := fmt.Sprintf("t.%d", i)
			err := Emit(dir, token, hats.NewPublished(topic, strings.Repeat("é", hats.MaxPayload)))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				told[topic] = true
			} else {
				assert.ErrorIs(t, err, ErrTurnOver)
			}
		})
	}
	for range 15 {
		<-begun
	}
	list, found, err := s.TakeInbox(token)
	require.NoError(t, err)
	assert.True(t, found)
	all.Wait()
	published := map[string]bool{}
	for _, p := range list {
		published[p.Topic] = true
		assert.True(t, p.Cut && p.Emitted)
		assert.LessOrEqual(t, len(p.Payload), hats.MaxPayload)
	}
	assert.Equal(t, told, published)
	assert.ErrorIs(t, Emit(dir, token, hats.NewPublished("late", "")), ErrTurnOver)
}

// The agent can write the file, so its content is limited.
func TestInboxOfOthers(t *testing.T) {
	s := NewStore(t.TempDir(), nil)
	require.NoError(t, s.Make())
	token, err := s.OpenInbox(InboxHead{Turn: 1})
	require.NoError(t, err)
	f, err := os.OpenFile(s.Path(layout.InboxFile), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(strings.Repeat(`{"topic":"a","payload":"`+strings.Repeat("x", 2*hats.MaxPayload)+"\"}\nno JSON\n", 2*maxInbox) + `{"topic":"torn`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, found, err := s.TakeInbox("another token")
	require.NoError(t, err)
	assert.False(t, found)
	list, found, err := s.TakeInbox(token)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Len(t, list, maxInbox)
	assert.Len(t, list[0].Payload, hats.MaxPayload)
}
