package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ripple/runtime/loop/hats"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// Published is a topic of a run, with what became of it.
type Published struct {
	hats.Topic
	Time  time.Time `json:"time"`            // of the line that has it
	Taken []int     `json:"taken,omitempty"` // turns that were for it
	Aside string    `json:"aside,omitempty"` // why nobody gets it any more
}

// ReadTopics reads the topics of the run that is under way or ended last, the oldest
// first; it changes nothing. A log that is not there has none.
func ReadTopics(project string) (list []Published, err error) {
	f, err := os.Open(filepath.Join(project, layout.Dir, layout.EventsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read from
	at, taken := map[int]int{}, map[int][]int{}
	err = Read(f, func(_ int, r Record, err error) error {
		switch {
		case err != nil: // no loop wrote it
		case r.Type == record.RunStarted:
			list, at, taken = nil, map[int]int{}, map[int][]int{}
		case r.Type == record.TurnStarted:
			for _, id := range r.Takes {
				taken[id] = append(taken[id], r.Turn)
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
