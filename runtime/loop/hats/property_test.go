package hats

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomRules returns a few hats with random edges between them.
func randomRules(rnd *rand.Rand) Rules {
	topic := func() string {
		return []string{"a", "b", "c", "a.x", "a.y", "b.x", "d.z", "e"}[rnd.IntN(8)]
	}
	r := Rules{Promise: "DONE", Start: topic()}
	for i := range 1 + rnd.IntN(5) {
		h := Hat{Key: fmt.Sprintf("h%d", i)}
		for range 1 + rnd.IntN(3) {
			h.Triggers = append(h.Triggers, []string{topic(), topic(), "a.*", "*.x", "*"}[rnd.IntN(5)])
		}
		for range rnd.IntN(4) {
			h.Publishes = append(h.Publishes, topic())
		}
		if rnd.IntN(2) == 0 && len(h.Publishes) > 0 {
			h.Default = h.Publishes[0]
		}
		if rnd.IntN(2) == 0 {
			h.MaxActivations = 1 + rnd.IntN(4)
		}
		r.Hats = append(r.Hats, h)
	}
	return r
}

func randomTurn(rnd *rand.Rand) (t Turn) {
	for range rnd.IntN(4) {
		t.Published = append(t.Published, NewPublished([]string{"a", "b", "c", "a.x", "b.x", "e", "No Topic", "DONE"}[rnd.IntN(8)], fmt.Sprint(rnd.IntN(3))))
	}
	t.Failed, t.Promised = rnd.IntN(8) == 0, rnd.IntN(20) == 0
	t.Limited = t.Failed && rnd.IntN(2) == 0
	if rnd.IntN(8) == 0 {
		t.Refused = "exit code 1"
	}
	return t
}

// For all roles and all behavior of their agents: no hat exceeds its turns; each topic is
// answered, set aside or handed to a plain turn exactly once; no published topic is lost. A state
// that was written and read chooses the same.
func TestRandomRolesAndAgents(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		r := randomRules(rnd)
		s, topics := r.Begin()
		turns, published, over := map[string]int{}, map[int]bool{}, map[int]string{}
		for _, topic := range topics {
			published[topic.ID] = true
		}
		for n := range 60 {
			c := r.Next(&s)
			turn := randomTurn(rnd)
			turn.Number = n + 1
			if c.Hat == nil {
				turn.Refused = "" // only hats have a verify command
			}
			before := pendingIDs(s)
			text, err := json.Marshal(s)
			require.NoError(t, err)
			var read State
			require.NoError(t, json.Unmarshal(text, &read))
			require.Equal(t, c, r.Next(&read), "seed %d", seed)
			e := r.End(&s, c, turn)
			if c.Hat != nil {
				require.Len(t, c.Topics, 1)
				if !turn.Limited {
					turns[c.Hat.Key]++
				}
				if c.Hat.MaxActivations > 0 {
					require.LessOrEqual(t, turns[c.Hat.Key], c.Hat.MaxActivations, "seed %d", seed)
				}
			}
			for _, topic := range e.Topics {
				if topic.Turn == turn.Number && topic.To != "" {
					require.False(t, published[topic.ID])
					published[topic.ID] = true
					before[topic.ID] = true // it may be set aside at once
				}
			}
			after := pendingIDs(s)
			for id := range before {
				if !after[id] {
					require.Empty(t, over[id], "seed %d: topic %d delivered twice", seed, id)
					over[id] = c.from()
				}
			}
			for _, w := range s.Pending {
				require.Less(t, w.Tries, tries+1)
				require.Empty(t, over[w.ID], "seed %d: topic %d is back", seed, w.ID)
			}
			require.LessOrEqual(t, len(s.Pending), maxPending)
		}
		left := pendingIDs(s)
		for id := range published {
			assert.True(t, left[id] != (over[id] != ""), "seed %d: topic %d is lost, or both", seed, id)
		}
	}
}

func pendingIDs(s State) map[int]bool {
	ids := map[int]bool{}
	for _, w := range s.Pending {
		ids[w.ID] = true
	}
	return ids
}
