package loop

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"unicode/utf8"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/internal/git"
)

// baseline is the content of the file that holds the tree and the assignment before a turn.
type baseline struct {
	Run  string `json:"run"`
	Turn int    `json:"turn"` // the turn that follows it
	saved
	Project *saved `json:"project,omitempty"` // the user's own checkout, if the agent works in another tree
	Review  *saved `json:"review,omitempty"`  // with a box, digests of reviewed files: see confined

	Assignment *assignment `json:"assignment,omitempty"` // nil: a ripple wrote it that did not record assignments
}

// saved is a snapshot in JSON, which requires text, while file names are bytes.
type saved struct {
	git.Snapshot
	Branch *string           `json:"branch,omitempty"`   // instead of the snapshot's; nil: a ripple wrote it that did not record branches
	Bytes  map[string]string `json:"bytes,omitempty"`    // files whose names, in hex, are not valid UTF-8
	Log    *int64            `json:"head_log,omitempty"` // position in git's log of HEAD; nil: unknown
}

func save(s git.Snapshot) saved {
	b := saved{Snapshot: s}
	if !s.BranchUnknown {
		b.Branch = &s.Branch
	}
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

// read converts back to a snapshot; nil if b is nil.
func (b *saved) read() *git.Snapshot {
	if b == nil {
		return nil
	}
	s := b.Snapshot
	s.Files = maps.Clone(b.Files)
	for name, content := range b.Bytes {
		if raw, err := hex.DecodeString(name); err == nil && s.Files != nil {
			s.Files[string(raw)] = content
		}
	}
	if s.BranchUnknown = b.Branch == nil; !s.BranchUnknown {
		s.Branch = *b.Branch
	}
	return &s
}

// valid reports whether its commits and names may be those of a working tree: a program that may write .ralph may have put options of
// git there, or names of files elsewhere. nil is valid.
func (b *saved) valid() bool { return b == nil || b.read().Valid() }

// baselineOf returns the trees before a turn: the agent's, and the user's own checkout if that is
// another one. If an earlier attempt at the turn was cut off, they are those before that
// attempt, whose changes belong to the turn. reviewed is kept with them. Loop.assign writes the result.
func (w *workspace) baselineOf(ctx context.Context, turn int, reviewed map[string]string) (*baseline, error) {
	if w.begun() {
		if known, err := w.savedBaseline(turn); err != nil || known != nil {
			return known, err
		}
	}
	before, err := w.current(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.tree.Identify(ctx, &before); err != nil {
		return nil, err
	}
	users, other, err := w.checkouts.users(ctx)
	if err != nil {
		return nil, err
	}
	b := &baseline{Run: w.state.Run, Turn: turn, saved: save(before)}
	if other {
		b.Project = new(save(users))
	}
	if reviewed != nil {
		b.Review = new(save(git.Snapshot{Files: reviewed}))
	}
	w.checkouts.mark(b)
	return b, nil
}

// savedBaseline reads the trees before a turn; nil if unknown.
func (w *workspace) savedBaseline(turn int) (*baseline, error) {
	var known baseline
	found, _, err := w.store.ReadJSON(layout.SnapshotFile, &known, func() bool {
		return known.valid() && known.Project.valid() && known.Review.valid()
	})
	if err != nil || !found || known.Run != w.state.Run || known.Turn != turn {
		return nil, err
	}
	return &known, nil
}

// snapshot returns the current tree.
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
	s, err := w.snapshot(ctx)
	if err != nil {
		return s, err
	}
	rebased, held, err := w.worktree.Update(ctx, len(s.Files) == 0 && s.Branch == w.worktree.Branch)
	if held {
		branch, main := w.worktree.Branch, w.worktree.Main
		w.noteOnce("held by merges", "", fmt.Sprintf("%s has merge commits, so it is not rebased on %s: it lacks newer commits of %s until somebody merges them", branch, main, main))
	}
	if err != nil || !rebased {
		return s, err
	}
	now, err := w.tree.Snapshot(ctx)
	if err != nil || now.Head == s.Head || s.Head == "" {
		return now, err
	}
	return now, w.checkouts.rebased(ctx, s.Head, now.Head, w.worktree.Main)
}
