package git

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// HeadLog reads what git logs of the HEAD of one working tree.
type HeadLog struct {
	path    string
	size    int64  // that was read
	last    string // the end of what was read
	lacking bool
}

// HeadLog opens the log at its end.
func (r *Repo) HeadLog(ctx context.Context) (*HeadLog, error) {
	dir, err := dirOf(ctx, r.Top)
	if err != nil {
		return &HeadLog{}, err
	}
	l := &HeadLog{path: filepath.Join(dir, "logs", "HEAD")}
	l.seek(l.length())
	return l, nil
}

// Complete reports whether there was a log, and nothing of it was removed or changed before it was read.
func (l *HeadLog) Complete() bool { return !l.lacking }

// seek makes the next call of Moves read the log from a position.
func (l *HeadLog) seek(position int64) {
	l.size, l.lacking = position, l.lacking || position == 0
	l.last = l.before(position)
}

// before returns the end of the log before a position.
func (l *HeadLog) before(position int64) string { return l.read(max(0, position-200), position) }

// Position returns the number of bytes of the log that were read, for Rewind in a later process.
func (l *HeadLog) Position() int64 { return l.size }

// Rewind makes the next call of Moves read the log from a position. If the log has no line that ends
// there, because git has removed old lines since then, it stays where it is: which lines are new is not
// known.
func (l *HeadLog) Rewind(position int64) {
	if position == 0 || position <= l.length() && l.read(position-1, position) == "\n" {
		l.seek(position)
	} else {
		l.lacking = true
	}
}

// Moves are what a log of HEAD has about some time, the last ones last.
type Moves struct {
	Left    []string // commits from which HEAD was moved to another branch or commit, at most maxLeft
	Reached []string // all commits that were checked out
	Names   []string // branches that were checked out when HEAD was moved
	Made    []string // commits that were made in the tree, if the log has no mistake
}

// Moves returns what was added since the last call. The agent can write the log.
func (l *HeadLog) Moves() (m Moves) {
	for line := range strings.Lines(l.added()) {
		entry, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		before, rest, _ := strings.Cut(entry, " ")
		after, _, _ := strings.Cut(rest, " ")
		for _, commit := range []string{before, after} {
			if isCommit(commit) && strings.Trim(commit, "0") != "" {
				m.Reached = append(m.Reached, commit)
			}
		}
		if moved, is := strings.CutPrefix(what, "checkout: moving from "); is && slices.Contains(m.Reached, before) {
			m.Left = addLast(m.Left, before)
			if name, _, _ := strings.Cut(moved, " to "); !isCommit(name) {
				m.Names = addLast(m.Names, name)
			}
		} else if isCommit(after) && after != before && !strings.HasPrefix(what, "reset: ") && !strings.HasPrefix(what, "checkout: ") && !strings.HasSuffix(what, ": Fast-forward") && !strings.Contains(what, "(start): checkout ") {
			m.Made = append(m.Made, after)
		}
	}
	m.Left = m.Left[max(0, len(m.Left)-maxLeft):]
	return m
}

func addLast(list []string, name string) []string {
	return append(slices.DeleteFunc(list, func(n string) bool { return n == name }), name)
}

const maxLeft = 200

const maxHeadLog = 4 << 20 // bytes of a turn that are read: the last ones

// added returns what was written since the last call.
func (l *HeadLog) added() string {
	from, last := l.size, l.last
	l.lacking = l.lacking || l.before(from) != last
	if l.seek(l.length()); l.size < from { // it is another file
		from, l.lacking = 0, true
	}
	if l.size == from {
		return ""
	}
	l.lacking = l.lacking || l.size-from > maxHeadLog
	return l.read(max(from, l.size-maxHeadLog), l.size)
}

// read returns a part of the log, or nothing if it cannot be read.
func (l *HeadLog) read(from, to int64) string {
	f, err := projectfile.Open(l.path)
	if err != nil {
		return ""
	}
	defer f.Close() // only read from
	text, err := io.ReadAll(io.NewSectionReader(f, from, to-from))
	if err != nil {
		return ""
	}
	return string(text)
}

// length returns the size of the log, or 0 if there is none.
func (l *HeadLog) length() int64 {
	info, err := os.Lstat(l.path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}
