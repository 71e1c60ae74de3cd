package git

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// HeadLog reads what git logs of the HEAD of one working tree.
type HeadLog struct {
	path string
	size int64 // that was read
}

// HeadLog opens the log at its end.
func (r *Repo) HeadLog(ctx context.Context) (*HeadLog, error) {
	path, err := pathOf(ctx, r.Top, "logs/HEAD")
	l := &HeadLog{path: path}
	l.size = l.length()
	return l, err
}

// Position returns the number of bytes of the log that were read, for Rewind in a later process.
func (l *HeadLog) Position() int64 { return l.size }

// Rewind makes the next call of Left read the log from a position. If the log has no line that ends
// there, because git has removed old lines since then, it stays where it is: which lines are new is not
// known.
func (l *HeadLog) Rewind(position int64) {
	if position == 0 || position <= l.length() && l.read(position-1, position) == "\n" {
		l.size = position
	}
}

// Left returns the commits from which HEAD was moved to another branch or commit since the last call, those from which a
// branch was reset, the last maxLeft of each, and the branches that were checked out when HEAD was moved. A log that git
// does not keep has none. The agent can write it.
func (l *HeadLog) Left() (commits, reset, names []string) {
	for line := range strings.Lines(l.added()) {
		entry, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		before, _, _ := strings.Cut(entry, " ")
		if !isCommit(before) || strings.Trim(before, "0") == "" {
			continue
		}
		if moved, is := strings.CutPrefix(what, "checkout: moving from "); is {
			commits = addLast(commits, before)
			if name, _, _ := strings.Cut(moved, " to "); !isCommit(name) {
				names = addLast(names, name)
			}
		} else if strings.HasPrefix(what, "reset: moving to ") {
			reset = addLast(reset, before)
		}
	}
	return commits[max(0, len(commits)-maxLeft):], reset[max(0, len(reset)-maxLeft):], names
}

func addLast(list []string, name string) []string {
	return append(slices.DeleteFunc(list, func(n string) bool { return n == name }), name)
}

const maxLeft = 200

const maxHeadLog = 4 << 20 // bytes of a turn that are read: the last ones

// added returns what was written since the last call.
func (l *HeadLog) added() string {
	from := l.size
	if l.size = l.length(); l.size < from { // it is another file
		from = 0
	}
	if l.size == from {
		return ""
	}
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
