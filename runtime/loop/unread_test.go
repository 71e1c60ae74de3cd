package loop

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// A panic while an answer is read costs this turn its answer: the claim in it does not count, the turn
// has failed, and the loop goes on. The pattern of the reader is replaced, so this test is not parallel.
func TestAPanicWhileAnAnswerIsRead(t *testing.T) {
	for name, pattern := range map[string]*func() *regexp.Regexp{"of an event": &realError, "at the end": &sentenceEnd} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir()) // for the report
			before := *pattern
			defer func() { *pattern = before }()
			r := newRig(t, func(d *doing) {
				*pattern = func() *regexp.Regexp { panic("broken") }
				claims(d)
			}, func(d *doing) {
				*pattern = before
				claims(d)
			})
			stop := r.run()
			assert.Equal(t, ReasonProjectComplete, stop.Reason)
			require.Len(t, r.fake.requests, 3, "two claims are needed, and that of the first turn does not count")
			var ends []record.Line
			for _, l := range r.lines() {
				if l.Type == record.TurnEnded {
					ends = append(ends, l)
				}
			}
			require.Len(t, ends, 3)
			require.NotNil(t, ends[0].Failure)
			assert.Equal(t, event.Crashed, ends[0].Failure.Kind)
			assert.Regexp(t, `^internal error \(panic\) while reading the agent's answer: nothing in the answer of this turn counts; please report it with `, ends[0].Failure.Message)
			assert.Contains(t, ends[0].Changed, "work.txt", "its work counts")
			assert.Nil(t, ends[1].Failure)
			said := ""
			for _, n := range r.notices {
				if n.Kind == NoticeNote {
					said += n.Text
				}
			}
			assert.Equal(t, 1, strings.Count(said, "turn 1: internal error (panic)"))
		})
	}
}

// No topic in such an answer counts, also not in that of a turn whose changes count because it ran out of time.
func TestTopicsOfAnAnswerThatCannotBeRead(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // for the report
	before := sentenceEnd
	defer func() { sentenceEnd = before }()
	r := newRoles(t, builderAndReviewer, func(d *doing) {
		publishes("built=by the first turn")(d)
		claims(d)
		d.fails(event.Timeout, "time is over")
		sentenceEnd = func() *regexp.Regexp { panic("broken") }
	}, func(d *doing) {
		sentenceEnd = before
		publishes("built=by the second turn")(d)
	}, promises("passed"))
	stop := r.run()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	assert.NotContains(t, strings.Join(r.topics(), "\n"), "by the first turn")
	assert.Equal(t, []string{"builder go", "builder go", "reviewer built"}, r.turns())
}
