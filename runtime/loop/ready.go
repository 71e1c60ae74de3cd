package loop

import (
	"context"
	"maps"
	"slices"
	"strconv"
)

// ready finds out before the first turn whether its work can be committed, and
// names what will not be.
func (l *Loop) ready(ctx context.Context) error {
	c := l.o.Config
	if !c.Commit {
		if c.CommitAll {
			l.note("--commit-all has no effect without --commit")
		}
		return nil
	}
	if err := l.tree.Repo.Ready(ctx); err != nil {
		return err
	}
	return l.nameDirt(ctx)
}

// nameDirt names what was changed and not committed before the loop.
func (l *Loop) nameDirt(ctx context.Context) error {
	if l.begun { // it is what the turn that was cut off made
		return nil
	}
	now, err := l.treeNow(ctx)
	if err != nil {
		return err
	}
	l.last = &now
	var names []string
	for _, name := range slices.Sorted(maps.Keys(now.Files)) {
		if !slices.Contains(l.state.Owed, strconv.Quote(name)) && !now.Inner(name) {
			names = append(names, name)
		}
	}
	if l.state.Committed < l.state.Turn { // the last turn's is still to be committed
		return nil
	}
	what := "a file of these that the agent changes as well is not committed, unless with --commit-all"
	if l.o.Config.CommitAll {
		what = "a file of these that the agent changes as well is committed with both"
	}
	if len(names) > 0 {
		l.note("changed and not committed before the loop: " + listed(names) + "; " + what)
	}
	return nil
}
