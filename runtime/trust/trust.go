// Package trust stores which files of a project the user has approved. Nothing from a project is
// run before that.
//
// An [Item] is one such file: its path, a digest of exactly what was read, and what it
// would run. [Record] is what the user has approved in one project, [Store] keeps the
// records. The package does not read projects: the caller that reads a file
// makes its item from the same bytes and asks [Record.Has].
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
)

// Kind says what an item is.
type Kind string

const (
	Adapter  Kind = "adapter"  // an adapter file, with its integration script
	Settings Kind = "settings" // ripple.yml, .ralphrc
	Loop     Kind = "loop"     // a loop's directory; its Sum is that of a random mark in it
	Run      Kind = "run"      // the settings in the record of a loop's run
)

// maxRuns is how many settings of runs are kept of a record: a run that does not begin, or is
// killed before it records its own, leaves those of the one before.
const maxRuns = 8

// Item is a file of a project that runs something, or chooses what is run.
type Item struct {
	Kind Kind   `json:"kind"`
	Path string `json:"path"` // absolute
	Sum  string `json:"sum"`
	// Runs says what it runs or replaces, a line each.
	Runs []string `json:"runs,omitempty"`
	// Text is what was read, for Changes; empty when that is too long to keep.
	Text string `json:"text,omitempty"`
	// Broken says why it cannot be used; nobody can agree to it.
	Broken string `json:"broken,omitempty"`
}

// maxText is how much of a file is kept to show what changed.
const maxText = 256 << 10

// New is an item of what was read of a file, in parts.
func New(kind Kind, path string, runs []string, parts ...[]byte) Item {
	i := Item{Kind: kind, Path: path, Sum: Sum(parts...), Runs: runs}
	var b strings.Builder
	for _, p := range parts {
		b.Write(p)
	}
	if b.Len() <= maxText {
		i.Text = b.String()
	}
	return i
}

// Sum is the digest of a content in parts. Where one part ends and the next begins counts.
func Sum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Record is what a person has agreed to in a project.
type Record struct {
	Project string    `json:"project"` // its directory, without symbolic links
	Agreed  time.Time `json:"agreed"`
	Items   []Item    `json:"items"`
}

// Has reports whether a person has agreed to exactly this content at this path.
func (r Record) Has(i Item) bool {
	return i.Broken == "" && i.Sum != "" && slices.ContainsFunc(r.Items, func(known Item) bool {
		return known.Kind == i.Kind && known.Path == i.Path && known.Sum == i.Sum
	})
}

// Missing are the items that nobody has agreed to.
func (r Record) Missing(items []Item) []Item {
	return slices.DeleteFunc(slices.Clone(items), r.Has)
}

// Put adds items. One of the same path replaces what was known of it; of the settings of
// runs the last ones stay.
func (r *Record) Put(items ...Item) {
	for _, i := range items {
		same := 0
		for _, known := range r.Items {
			if known.Path == i.Path {
				same++
			}
		}
		r.Items = slices.DeleteFunc(r.Items, func(known Item) bool {
			if known.Path != i.Path {
				return false
			}
			old := i.Kind != Run || known.Sum == i.Sum || same >= maxRuns
			same--
			return old
		})
		r.Items = append(r.Items, i)
	}
	sort.SliceStable(r.Items, func(i, j int) bool { return r.Items[i].Path < r.Items[j].Path })
}

// Changes shows how an item differs from what was agreed to under its path, as a unified
// diff; known is false when nothing was. The diff is empty when a text is too long to keep.
func (r Record) Changes(i Item) (text string, known bool) {
	for _, before := range slices.Backward(r.Items) {
		if before.Path != i.Path || before.Kind != i.Kind {
			continue
		}
		if before.Text != "" && i.Text != "" {
			text = string(diff.Diff("approved", []byte(before.Text), "now", []byte(i.Text)))
		}
		return text, true
	}
	return "", false
}
