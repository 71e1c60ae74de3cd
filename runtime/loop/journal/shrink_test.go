package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/record"
)

// A reader of a log that is shortened meanwhile reads the rest again, from the first line.
func TestShrinkIsSeenByATail(t *testing.T) {
	s := storeOf(t)
	l, err := s.OpenLog()
	require.NoError(t, err)
	defer l.Close()
	add := func(turn int, typ string, st *record.State) {
		require.NoError(t, l.Add(record.Line{Turn: turn, Type: typ, State: st}))
	}
	add(0, record.RunStarted, &record.State{Run: "r"})
	for turn := 1; turn <= 20; turn++ {
		add(turn, record.TurnStarted, nil)
		data, err := json.Marshal(map[string]string{"type": "text", "text": fmt.Sprintf("of turn %d %s", turn, strings.Repeat("x", 2000))})
		require.NoError(t, err)
		require.NoError(t, l.Event(turn, time.Unix(int64(turn), 0), data))
		add(turn, record.TurnEnded, &record.State{Turn: turn})
	}
	tail := NewTail(s.project)
	list, err := tail.Records()
	require.NoError(t, err)
	require.Len(t, list, 61)

	words := func(events int, bytes int64) string { return fmt.Sprintf("%d", events) }
	left, err := l.Shrink(30<<10, time.Unix(9, 0), words)
	require.NoError(t, err)
	require.Positive(t, left.Events)
	list, err = tail.Records()
	require.NoError(t, err)
	require.Len(t, list, 61-left.Events+1)
	assert.Equal(t, record.LeftOut, list[0].Type)
	assert.Equal(t, record.RunStarted, list[1].Type)
	assert.Equal(t, record.TurnEnded, list[len(list)-1].Type)
	assert.Equal(t, "text", list[len(list)-2].Type, "the last turn stays whole")

	again, err := l.Shrink(30<<10, time.Unix(9, 0), words)
	require.NoError(t, err)
	assert.Zero(t, again, "it is small enough")
	add(21, record.TurnStarted, nil)
	list, err = tail.Records()
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.EqualValues(t, 62, list[0].Seq, "the numbers go on")
	found, err := l.Recover()
	require.NoError(t, err)
	assert.Equal(t, 20, found.State.Turn)
	assert.True(t, found.Begun)
	assert.False(t, s.files.Exists(layout.TempMark))
}
