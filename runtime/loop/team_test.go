package loop

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// limitedFor is a turn that ends in a limit of the provider.
func limitedFor(d time.Duration) func(*doing) {
	return func(at *doing) {
		at.event(event.Event{Type: event.RateLimited, Message: "no more", ResetsAt: time.Now().Add(d)})
		at.fails(event.Limited, "no more")
	}
}

// takes is a turn that works for a duration, in a session of its agent.
func takes(session string, d time.Duration) func(*doing) {
	return func(at *doing) {
		time.Sleep(d) // of the bubble's clock
		at.out.SessionID = session
		works(at)
	}
}

// who lists the agents of the turns, and the sessions that they continued.
func (r *rig) who() (names, sessions []string) {
	for _, n := range r.notices {
		if n.Kind == NoticeTurnStarted {
			names = append(names, n.Agent)
		}
	}
	for _, l := range r.lines() {
		if l.Type == record.TurnStarted {
			sessions = append(sessions, l.Session)
		}
	}
	return names, sessions
}

func TestFallback(t *testing.T) {
	tests := []struct {
		name            string
		first, second   []func(*doing)
		turns           string
		names, sessions []string
		waited          time.Duration
		reason          string
	}{
		{
			"one is limited, the other continues, the first returns",
			script(takes("a-1", time.Minute), limitedFor(10*time.Minute), takes("a-2", time.Minute)), script(takes("b-1", 6*time.Minute)), "5",
			[]string{"a", "a", "b", "b", "a", "a"},
			[]string{"", "a-1", "", "b-1", "", "a-2"},
			0, "max_turns",
		},
		{
			"both are limited: the one that is free first",
			script(limitedFor(time.Hour), takes("a-1", time.Minute)), script(limitedFor(20*time.Minute), takes("b-1", time.Minute)), "1",
			[]string{"a", "b", "b"},
			[]string{"", "", ""},
			20 * time.Minute, "max_turns",
		},
		{
			"both for too long",
			script(limitedFor(9 * time.Hour)), script(limitedFor(8 * time.Hour)), "9",
			[]string{"a", "b"},
			[]string{"", ""},
			0, "provider_limit",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, tt.first...)
				r.fake.script = tt.first
				r.flags = map[string]string{"max-turns": tt.turns}
				o := r.options(false)
				o.AgentName = "a"
				o.Fallback = []Member{{Name: "b", Agent: &fake{dir: r.dir, script: tt.second}, Timeout: time.Minute}}
				stop := r.runWith(o)
				assert.Equal(t, tt.reason, stop.Reason, stop.Message)
				names, sessions := r.who()
				assert.Equal(t, tt.names, names)
				assert.Equal(t, tt.sessions, sessions, "a conversation is not handed on")
				assert.Equal(t, tt.waited, r.waits("provider's limit"))
			})
		})
	}
}
