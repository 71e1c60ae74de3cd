package loop

import (
	"context"
	"encoding/hex"
	"maps"
	"unicode/utf8"

	"example.com/ripple/runtime/internal/git"
	"example.com/ripple/runtime/loop/layout"
)

// baseline is the content of the file that holds the tree before a turn.
type baseline struct {
	Run  string `json:"run"`
	Turn int    `json:"turn"` // the turn that follows it
	git.Snapshot
	Bytes map[string]string `json:"bytes,omitempty"` // files whose names, in hex, are not valid UTF-8
}

// written converts a snapshot for JSON, which requires text, while file names are bytes.
func written(run string, turn int, s git.Snapshot) baseline {
	b := baseline{Run: run, Turn: turn, Snapshot: s}
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

// read converts back to a snapshot.
func (b *baseline) read() *git.Snapshot {
	for name, content := range b.Bytes {
		if raw, err := hex.DecodeString(name); err == nil && b.Files != nil {
			b.Files[string(raw)] = content
		}
	}
	return &b.Snapshot
}

// treeBefore returns the tree before a turn. If an earlier attempt at the turn was cut off, it is
// the tree before that attempt, whose changes belong to the turn.
func (w *workspace) baselineOf(ctx context.Context, turn int) (git.Snapshot, error) {
	if w.begun() {
		known, err := w.savedBaseline(turn)
		if err != nil {
			return git.Snapshot{}, err
		}
		if known != nil {
			return *known, nil
		}
	}
	now, err := w.current(ctx)
	if err != nil {
		return now, err
	}
	return now, w.store.WriteJSON(layout.SnapshotFile, written(w.state.Run, turn, now))
}

// knownBefore reads the tree before a turn; nil if unknown.
func (w *workspace) savedBaseline(turn int) (*git.Snapshot, error) {
	var known baseline
	found, _, err := w.store.ReadJSON(layout.SnapshotFile, &known, func() bool { return true })
	if err != nil || !found || known.Run != w.state.Run || known.Turn != turn {
		return nil, err
	}
	return known.read(), nil
}

// treeNow returns the current tree.
func (w *workspace) snapshot(ctx context.Context) (git.Snapshot, error) {
	if w.last != nil {
		return *w.last, nil
	}
	return w.tree.Snapshot(ctx)
}

func (w *workspace) current(ctx context.Context) (git.Snapshot, error) {
	if w.worktree == nil {
		return w.snapshot(ctx)
	}
	s, err := w.tree.Snapshot(ctx)
	if err != nil {
		return s, err
	}
	if err := w.worktree.Update(ctx, len(s.Files) == 0); err != nil {
		return s, err
	}
	return w.tree.Snapshot(ctx)
}
