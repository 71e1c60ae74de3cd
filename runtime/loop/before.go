package loop

import (
	"context"
	"encoding/hex"
	"maps"
	"unicode/utf8"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/layout"
)

// begunWith is the content of the file that holds the tree before a turn.
type begunWith struct {
	Run  string `json:"run"`
	Turn int    `json:"turn"` // before which it was taken
	git.Snapshot
	Bytes map[string]string `json:"bytes,omitempty"` // files whose names, in hex, are no UTF-8
}

// written is a snapshot as JSON can have it: it knows text, and names are bytes.
func written(run string, turn int, s git.Snapshot) begunWith {
	b := begunWith{Run: run, Turn: turn, Snapshot: s}
	b.Files = maps.Clone(s.Files)
	for name, content := range s.Files {
		if !utf8.ValidString(name) {
			if b.Bytes == nil {
				b.Bytes = map[string]string{}
			}
			b.Bytes[hex.EncodeToString([]byte(name))] = content
			delete(b.Files, name)
		}
	}
	return b
}

// read is the snapshot that was written.
func (b *begunWith) read() *git.Snapshot {
	for name, content := range b.Bytes {
		if raw, err := hex.DecodeString(name); err == nil && b.Files != nil {
			b.Files[string(raw)] = content
		}
	}
	return &b.Snapshot
}

// treeBefore is the tree before a turn. One that was begun already keeps the tree
// before its first try: what that try did is the turn's work.
func (l *Loop) treeBefore(ctx context.Context, turn int) (git.Snapshot, error) {
	if l.begun {
		known, err := l.knownBefore(turn)
		if err != nil {
			return git.Snapshot{}, err
		}
		if known != nil {
			return *known, nil
		}
	}
	now, err := l.lookBefore(ctx)
	if err != nil {
		return now, err
	}
	return now, l.store.WriteJSON(layout.SnapshotFile, written(l.state.Run, turn, now))
}

// knownBefore reads the tree before a turn, nil when that is not known.
func (l *Loop) knownBefore(turn int) (*git.Snapshot, error) {
	var known begunWith
	found, _, err := l.store.ReadJSON(layout.SnapshotFile, &known, func() bool { return true })
	if err != nil || !found || known.Run != l.state.Run || known.Turn != turn {
		return nil, err
	}
	return known.read(), nil
}

// treeNow is the tree as it is.
func (l *Loop) treeNow(ctx context.Context) (git.Snapshot, error) {
	if l.last != nil {
		return *l.last, nil
	}
	return l.tree.Snapshot(ctx)
}

func (l *Loop) lookBefore(ctx context.Context) (git.Snapshot, error) {
	if l.work == nil {
		return l.treeNow(ctx)
	}
	s, err := l.tree.Snapshot(ctx)
	if err != nil {
		return s, err
	}
	if err := l.work.Update(ctx, len(s.Files) == 0); err != nil {
		return s, err
	}
	return l.tree.Snapshot(ctx)
}
