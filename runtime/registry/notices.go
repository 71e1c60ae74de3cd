package registry

import (
	"fmt"

	"example.org/ripple/schema"
)

// Notice is a fact about the set of adapters that its owner should know.
type Notice struct {
	Kind        NoticeKind
	Path        string // the file or directory concerned
	Message     string
	Diagnostics []schema.Diagnostic // of a broken file
}

// NoticeKind is the kind of a Notice.
type NoticeKind string

const (
	NoticeShadowed   NoticeKind = "shadowed"   // a name or alias leads to an adapter of a higher origin
	NoticeCollision  NoticeKind = "collision"  // two adapters of one origin claim a name or alias
	NoticeBroken     NoticeKind = "broken"     // a file does not load
	NoticeUnreadable NoticeKind = "unreadable" // a directory cannot be listed
	NoticeTooMany    NoticeKind = "excess"     // a project has more adapters than are read
	NoticeUntrusted  NoticeKind = "untrusted"  // an adapter of the project that the user has not approved
)

// Notices returns a notice for every name and alias that does not lead to the file which
// declares it, and for every file that does not load. It parses all files.
func (r *Registry) Notices() []Notice {
	r.parseAll()
	var all []Notice
	for _, l := range r.layers {
		all = append(all, l.notices...)
	}
	r.each(func(_ *layer, f *file) {
		if _, err := f.result(); err != nil {
			all = append(all, Notice{
				Kind: NoticeBroken, Path: f.path, Diagnostics: f.entry.Diagnostics,
				Message: fmt.Sprintf("%s adapter %q does not load", f.origin, f.name()),
			})
		}
		if !f.usable() {
			if f.entry.Adapter != nil {
				all = append(all, Notice{
					Kind: NoticeUntrusted, Path: f.path,
					Message: fmt.Sprintf("the project's adapter %s, %s, is not used before you trust the project", f.name(), f.path),
				})
			}
			return
		}
		for _, claim := range append([]string{f.name()}, f.aliases()...) {
			if n, lost := r.lost(f, claim); lost {
				all = append(all, n)
			}
		}
	})
	return all
}

// LimitExceeded returns the limit that the project's adapters exceed, so that none of them was read, or
// "" if they were read.
func (r *Registry) LimitExceeded() string {
	for _, l := range r.layers {
		for _, n := range l.notices {
			if n.Kind == NoticeTooMany {
				return n.Message
			}
		}
	}
	return ""
}

// lost returns the notice for a name or alias that leads to another file. An alias that leads to
// an adapter of the same name and a higher origin needs no notice.
func (r *Registry) lost(f *file, claim string) (Notice, bool) {
	winner := r.lookup(claim, usable)
	if winner == f || claim != f.name() && winner.name() == f.name() {
		return Notice{}, false
	}
	kind := NoticeShadowed
	if winner.origin == f.origin {
		kind = NoticeCollision
	}
	what := "name"
	if claim != f.name() {
		what = "alias"
	}
	return Notice{Kind: kind, Path: f.path, Message: fmt.Sprintf("the %s %q of %s adapter %s refers to %s adapter %s instead",
		what, claim, f.origin, f.path, winner.origin, winner.path)}, true
}
