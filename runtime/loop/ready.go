package loop

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"example.org/ripple/runtime/loop/record"
)

// ready checks before the first turn whether its work can be committed, and lists the files that
// will not be.
func (c *committer) ready(ctx context.Context) error {
	if !c.config.Commit {
		if c.config.CommitAll {
			c.noteAbout(TopicCommitAll, "turns are not committed, so changes from before the loop are not either")
		}
		return nil
	}
	if err := c.work.tree.Repo.Ready(ctx); err != nil {
		return err
	}
	return c.nameDirt(ctx)
}

// nameDirt lists uncommitted changes from before the loop.
func (c *committer) nameDirt(ctx context.Context) error {
	if c.begun() { // these are from the interrupted turn
		return nil
	}
	now, err := c.work.snapshot(ctx)
	if err != nil {
		return err
	}
	c.work.last = &now
	var names []string
	for _, name := range slices.Sorted(maps.Keys(now.Files)) {
		if !slices.Contains(c.state.Owed, strconv.Quote(name)) && !now.Inner(name) {
			names = append(names, name)
		}
	}
	if c.state.Committed < c.state.Turn {
		if known, err := c.work.savedBaseline(c.state.Turn); err != nil || known != nil { // the last turn is not committed yet
			return err
		}
	}
	topic, what := TopicUncommitted, "if the agent changes one of these files, the file is not committed"
	if c.config.CommitAll {
		topic, what = "", "if the agent changes one of these files, the commit contains both changes"
	}
	if len(names) > 0 {
		c.noteAbout(topic, "uncommitted changes from before the loop: "+record.FirstNames(names)+"; "+what)
	}
	return nil
}
