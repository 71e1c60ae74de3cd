package console

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// History returns the commands that Read knows, oldest first: those on disk, whose code and results
// fit into twice keptIndex, and those that a running host still has in memory, for instance because
// the disk was full. Older commands cannot be read, even if their output is still on disk.
func (c *Client) History() (all []Command, err error) {
	at := map[int]int{}
	err = eachCommand(c.files.Record, func(cmd Command) bool {
		if i, again := at[cmd.ID]; again { // the entry written at its end
			all[i] = cmd
		} else {
			at[cmd.ID] = len(all)
			all = append(all, cmd)
		}
		return true
	})
	if err != nil {
		return all, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.answerLimit())
	defer cancel()
	s, err := c.Status(ctx)
	if err != nil || s.Command == nil {
		return all, nil // no host answers, or it has no command
	}
	for id := max(1, s.Command.ID-maxCommands+1); id <= s.Command.ID; id++ {
		i, known := at[id]
		if known && !all[i].Running() {
			continue
		}
		a, err := c.Wait(ctx, WaitRequest{Command: id, Wait: time.Nanosecond, From: -1}, nil)
		switch {
		case err != nil || a.Command == nil: // the host no longer has it
		case known: // its end could not be written
			all[i] = *a.Command
		default:
			all = append(all, *a.Command)
		}
	}
	slices.SortFunc(all, func(a, b Command) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}
