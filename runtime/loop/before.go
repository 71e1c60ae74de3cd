package loop

import (
	"context"
)

// begunWith is the content of the file that holds the tree before a turn.
type begunWith struct {
	Run string `json:"run"`
	snapshot
}

// treeBefore is the tree before a turn. One that was begun already keeps the tree
// before its first try: what that try did is the turn's work.
func (l *Loop) treeBefore(ctx context.Context, turn int) (snapshot, error) {
	if l.begun {
		known, err := l.knownBefore(turn)
		if err != nil {
			return snapshot{}, err
		}
		if known != nil {
			return *known, nil
		}
	}
	now, err := l.lookBefore(ctx)
	if err != nil {
		return now, err
	}
	now.Turn = turn
	return now, l.store.writeJSON(snapshotFile, begunWith{l.state.Run, now})
}

// knownBefore reads the tree before a turn, nil when that is not known.
func (l *Loop) knownBefore(turn int) (*snapshot, error) {
	var known begunWith
	found, _, err := l.store.readJSON(snapshotFile, &known, func() bool { return true })
	if err != nil || !found || known.Run != l.state.Run || known.Turn != turn {
		return nil, err
	}
	return &known.snapshot, nil
}

func (l *Loop) lookBefore(ctx context.Context) (snapshot, error) {
	if l.last != nil && l.work == nil {
		return *l.last, nil
	}
	s, err := l.tree.snapshot(ctx)
	if err != nil || l.work == nil {
		return s, err
	}
	if err := l.work.update(ctx, len(s.Files) == 0); err != nil {
		return s, err
	}
	return l.tree.snapshot(ctx)
}
