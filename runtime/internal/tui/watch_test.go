package tui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const quiet = 400 * time.Millisecond

var (
	ready   = Sight{State: "ready"}
	working = Sight{State: "working"}
)

// at is a time of a test, in milliseconds.
func at(ms int) time.Time { return time.Unix(1000, 0).Add(time.Duration(ms) * time.Millisecond) }

func TestAStateCountsWhenItWasThereForTheQuietTime(t *testing.T) {
	w := watch{quiet: quiet}
	w.see(ready, at(0))
	_, counts, in := w.state(at(399))
	assert.False(t, counts)
	assert.Equal(t, time.Millisecond, in, "when to look again")
	w.see(ready, at(399))
	_, counts, _ = w.state(at(400))
	assert.True(t, counts)

	w.see(working, at(500))
	s, counts, _ := w.state(at(500))
	assert.Equal(t, working, s)
	assert.False(t, counts)
}

func TestAStateCountsAtOnceWhenTheProgramWaits(t *testing.T) {
	w := watch{quiet: quiet}
	w.see(ready, at(0))
	w.confirmed()
	_, counts, _ := w.state(at(1))
	assert.True(t, counts)
}

// While the program is busy, the screen may be half drawn; but something may work in the
// background forever.
func TestTimeInWhichTheProgramWorksDoesNotCount(t *testing.T) {
	looks := func(works func(ms int) bool, every int) (counts int) {
		w := watch{quiet: quiet}
		w.see(ready, at(0))
		for ms := 0; ; ms += every {
			w.works(works(ms), at(ms))
			if _, counts, _ := w.state(at(ms)); counts {
				return ms
			}
		}
	}
	always, never := func(int) bool { return true }, func(int) bool { return false }
	early := func(ms int) bool { return ms < 1000 }
	assert.Equal(t, 400, looks(never, 20))
	assert.Equal(t, 1400, looks(early, 20))
	assert.Equal(t, 10_400, looks(always, 20))
	assert.Equal(t, 7*300, looks(never, 300), "who looks late knows little")

	w := watch{quiet: quiet, looked: at(1000)}
	w.see(ready, at(0))
	w.works(true, at(1000))
	_, counts, in := w.state(at(1000))
	assert.False(t, counts, "it has begun to do something")
	w.works(false, at(1000).Add(in))
	_, counts, in = w.state(at(1000).Add(in))
	assert.False(t, counts, "it has just done something")
	w.works(false, at(1000).Add(2*in))
	_, counts, _ = w.state(at(1000).Add(2 * in))
	assert.True(t, counts)
}

// A state that may precede another one has its own time.
func TestAStateWithATimeOfItsOwn(t *testing.T) {
	early := Sight{State: "ready", quiet: 5 * time.Second}
	w := watch{quiet: quiet}
	w.see(early, at(0))
	_, counts, in := w.state(at(1000))
	assert.False(t, counts)
	assert.Equal(t, 4*time.Second, in)
	_, counts, _ = w.state(at(5000))
	assert.True(t, counts)

	w.begins(at(6000))
	w.see(early, at(6100))
	w.see(ready, at(6500))
	assert.False(t, w.moved, "it is the same state")
	_, counts, _ = w.state(at(6500))
	assert.True(t, counts, "and its time is over")
}

// A picture in which no rule holds may be half of one.
func TestAGapEndsAStateOnlyWhenItStays(t *testing.T) {
	w := watch{quiet: quiet}
	w.see(ready, at(0))
	w.see(Sight{}, at(500))
	s, counts, in := w.state(at(600))
	assert.Equal(t, ready, s)
	assert.False(t, counts, "nobody types into half a picture")
	assert.Equal(t, 300*time.Millisecond, in)
	w.see(ready, at(650))
	s, counts, _ = w.state(at(650))
	assert.Equal(t, ready, s)
	assert.True(t, counts, "it was never away")

	w.see(Sight{}, at(700))
	s, counts, _ = w.state(at(1100))
	assert.Empty(t, s.State)
	assert.False(t, counts)
}

func TestTextFromBeforeTheInputDoesNotCount(t *testing.T) {
	w := watch{quiet: quiet}
	w.see(ready, at(0))
	w.begins(at(1000))
	w.see(ready, at(1001))
	_, counts, _ := w.state(at(1100))
	assert.False(t, counts, "it may not have been read")
	assert.False(t, w.moved)
	w.see(working, at(1200))
	w.see(ready, at(1300))
	assert.True(t, w.moved)
	_, counts, _ = w.state(at(1700))
	assert.True(t, counts)
}

func TestAnotherQuestionIsAnotherState(t *testing.T) {
	w := watch{quiet: quiet}
	w.see(Sight{State: "asks", Asked: "write a?"}, at(0))
	w.begins(at(1000))
	w.see(Sight{State: "asks", Asked: "write b?"}, at(1100))
	assert.True(t, w.moved)
	_, counts, _ := w.state(at(1200))
	assert.False(t, counts)
}
