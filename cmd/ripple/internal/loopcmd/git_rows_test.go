package loopcmd

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/record"
)

// Of a run that runs, or was killed, the state after its last turn is shown; nothing is suggested.
func TestRowsWithoutASummary(t *testing.T) {
	name := func(s string) *string { return &s }
	tests := []struct {
		name, branch string
		c            record.Checkouts
		want         []string
	}{
		{"nothing is known", "agent/w", record.Checkouts{}, nil},
		{"on its branch", "agent/w", record.Checkouts{First: name("agent/w"), Last: name("agent/w")}, nil},
		{"on another branch", "agent/w", record.Checkouts{First: name("agent/w"), Last: name("own")}, []string{"moved: agent/w was left: own is checked out"}},
		{"on no branch", "agent/w", record.Checkouts{First: name("agent/w"), Last: name("")}, []string{"moved: agent/w was left: HEAD is detached"}},
		{"in the project", "", record.Checkouts{First: name("main"), Last: name("own")}, []string{"moved: main was left: own is checked out"}},
		{"how it began is unknown", "", record.Checkouts{Last: name("main")}, nil},
		{"how it began is unknown, on no branch now", "", record.Checkouts{Last: name("")}, nil},
		{"it began on no branch, as it is", "", record.Checkouts{First: name(""), Last: name("")}, nil},
		{"it began on no branch", "", record.Checkouts{First: name(""), Last: name("own")}, []string{"moved: a detached HEAD was left: own is checked out"}},
		{"without git", "", record.Checkouts{First: name("")}, nil},
		{"a commit on no branch", "", record.Checkouts{Unkept: []string{strings.Repeat("0123456789", 4)}}, []string{"left: commit 0123456789 was on no branch when its turn ended"}},
		{
			"the user's own checkout", "agent/w",
			record.Checkouts{Project: &record.Checkout{Branch: "main"}, Files: []string{"a", "b"}},
			[]string{"yours: your own checkout changed during turns; before, it had branch main; changed: a, b"},
		},
	}
	for _, tt := range tests {
		var rows []string
		for _, r := range checkoutsRows(tt.branch, tt.c) {
			rows = append(rows, r.label+": "+r.text)
		}
		assert.Equal(t, tt.want, rows, tt.name)
	}
}

// A terminal gets words wrapped, and each command in one line, so that it can be copied.
func TestCommandsAreNotWrapped(t *testing.T) {
	var out bytes.Buffer
	a := &app{ui.NewApp(strings.NewReader(""), &out, &out, func(error) {})}
	a.ErrTerminal = true
	commit := strings.Repeat("0123456789", 4)
	name := strings.Repeat("a-long-name-", 10)
	a.summarise(&loop.Summary{
		Git: true, Branch: "agent/w", Dir: ".ralph/agent/w-worktree", Main: "main", Dirty: 1,
		Unkept:  []record.Unkept{{Commit: commit, Name: name}},
		Project: &record.Project{Files: []string{name, name, name}},
	})
	assert.Contains(t, out.String(), "  to keep    git branch "+name+" "+commit+"\n")
	assert.Contains(t, out.String(), "  to keep    git -C .ralph/agent/w-worktree add -A && git -C .ralph/agent/w-worktree commit\n")
	assert.NotContains(t, out.String(), name+", "+name)
}
