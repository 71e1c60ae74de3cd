// Package trust stores which files of a project the user has approved. Nothing from a project is
// run before that.
//
// An [Item] is one such file: its path, a digest of exactly what was read, and what it
// would run. A [Record] lists what the user has approved in one project; a [Store] keeps the
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

	"example.org/ripple/internal/dirid"
)

// Kind is the kind of an item.
type Kind string

const (
	Adapter  Kind = "adapter"   // an adapter file, with its integration script
	Settings Kind = "settings"  // ripple.yml, .ralphrc
	Git      Kind = "git"       // the settings of a repository that make git run programs
	Loop     Kind = "loop"      // a loop's directory; its Sum is that of a file with random contents in it
	Run      Kind = "run"       // the settings in the record of a loop's run
	AgentRun Kind = "agent_run" // the same for agents, which may continue a run that an agent started
	Home     Kind = "home"      // a directory or file in a project that a variable makes the user's, whatever it has
)

// maxRuns limits the settings of runs of each kind in a record. More than one is kept because a run that does
// not begin, or is killed before it records its settings, leaves those of the previous run.
const maxRuns = 8

// Item is a file of a project that runs something, or chooses what is run.
type Item struct {
	Kind Kind   `json:"kind"`
	Path string `json:"path"` // absolute
	Sum  string `json:"sum"`
	// Runs lists what it runs or replaces.
	Runs []string `json:"runs,omitempty"`
	// Text is the text that was read, for Changes; empty if it is too long to keep.
	Text string `json:"text,omitempty"`
	// Broken is the reason why it cannot be used; such an item cannot be approved.
	Broken string `json:"broken,omitempty"`
}

// maxText is the size of the largest file whose text is kept, to show changes.
const maxText = 256 << 10

// New returns an item for a file whose contents were read in parts.
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

// Withdrawn returns the item of a file that the user approved as i, and whose contents no longer need an approval by themselves.
// text is what it has now, if anything. Its Sum is that of no file, so that its approval replaces the earlier one and covers nothing else.
func (i Item) Withdrawn(why string, text []byte) Item {
	now := New(i.Kind, i.Path, []string{why}, text)
	now.Sum = Sum()
	for _, line := range i.Runs {
		now.Runs = append(now.Runs, "no longer: "+line)
	}
	return now
}

// IsWithdrawn reports whether the item is a result of Withdrawn.
func (i Item) IsWithdrawn() bool { return i.Sum == Sum() }

// NewHome returns an item for a place in a project that a variable makes the user's. It is for this directory of the project, and not for
// another one of this name.
func NewHome(project, path, variable string) Item {
	place, err := dirid.Of(project)
	if err != nil {
		return Item{Kind: Home, Path: path, Broken: err.Error()}
	}
	return Item{Kind: Home, Path: path, Sum: Sum([]byte(place)), Runs: []string{variable + ": what is there counts as yours, also after changes: settings, adapters, programs and records"}}
}

// Sum returns the digest of contents in parts. It depends on how they are divided.
func Sum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Record lists what the user has approved in a project.
type Record struct {
	Project string    `json:"project"` // its directory, without symbolic links
	Agreed  time.Time `json:"agreed"`
	Items   []Item    `json:"items"`
	// Ignored is the file of a record that does not count; see [Store.Load].
	Ignored string `json:"-"`
}

// Has reports whether the user has approved exactly these contents at this path.
func (r Record) Has(i Item) bool {
	return i.Broken == "" && i.Sum != "" && slices.ContainsFunc(r.Items, func(known Item) bool {
		return known.Kind == i.Kind && known.Path == i.Path && known.Sum == i.Sum
	})
}

// Missing returns the items that the user has not approved.
func (r Record) Missing(items []Item) []Item {
	return slices.DeleteFunc(slices.Clone(items), r.Has)
}

// Put adds items. An item replaces another one of the same kind with the same path; of the settings of
// runs, the last maxRuns are kept.
func (r *Record) Put(items ...Item) {
	for _, i := range items {
		same := 0
		for _, known := range r.Items {
			if known.Path == i.Path && known.Kind == i.Kind {
				same++
			}
		}
		r.Items = slices.DeleteFunc(r.Items, func(known Item) bool {
			if known.Path != i.Path || known.Kind != i.Kind {
				return false
			}
			old := i.Kind != Run && i.Kind != AgentRun || known.Sum == i.Sum || same >= maxRuns
			same--
			return old
		})
		r.Items = append(r.Items, i)
	}
	sort.SliceStable(r.Items, func(i, j int) bool { return r.Items[i].Path < r.Items[j].Path })
}

// Changes returns a unified diff from what the user approved at the item's path; known is false
// if the user approved nothing there. The diff is empty if a text was too long to keep.
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
