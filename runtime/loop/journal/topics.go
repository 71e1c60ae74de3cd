package journal

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/loop/record"
)

// Published is a topic of a run and its delivery.
type Published struct {
	hats.Topic
	Time  time.Time `json:"time"`            // time of its line
	Taken []int     `json:"taken,omitempty"` // turns that received it
	Aside string    `json:"aside,omitempty"` // the reason that it is no longer delivered
}

// ReadTopics reads the topics of the current or last run, oldest first; it changes nothing. A
// missing log has none.
func ReadTopics(project string) (list []Published, err error) {
	f, err := layout.Files(project).Open(layout.EventsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // opened for reading only
	at, taken := map[int]int{}, map[int][]int{}
	err = Read(f, func(_ int, r Record, err error) error {
		switch {
		case err != nil: // not written by a loop
		case r.Type == record.RunStarted:
			list, at, taken = nil, map[int]int{}, map[int][]int{}
		case r.Type == record.TurnStarted:
			for _, id := range r.Takes {
				if !slices.Contains(taken[id], r.Turn) { // otherwise the turn is repeated
					taken[id] = append(taken[id], r.Turn)
				}
			}
		}
		for _, t := range r.Topics {
			if i, known := at[t.ID]; known {
				list[i].Aside = t.Why
				continue
			}
			at[t.ID] = len(list)
			list = append(list, Published{Topic: t, Time: r.Time})
		}
		return nil
	})
	for i := range list {
		list[i].Taken = taken[list[i].ID]
	}
	return list, err
}
