package git

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A suggested name is one that git accepts for a new branch.
func TestUnusedBranch(t *testing.T) {
	tests := []struct {
		name, base string
		refs       []string
		taken      []string
		want       string
	}{
		{"unused", "agent/w", nil, nil, "agent/w"},
		{"used by a branch", "agent/w", []string{"heads/agent/w"}, nil, "agent/w-2"},
		{"used by a tag", "agent/w", []string{"tags/agent/w"}, nil, "agent/w-2"},
		{"used twice", "agent/w", []string{"heads/agent/w", "heads/agent/w-2"}, nil, "agent/w-3"},
		{"suggested before", "agent/w", []string{"heads/agent/w"}, []string{"agent/w-2"}, "agent/w-3"},
		{"it is a directory of branches", "ripple", []string{"heads/ripple/x"}, nil, "ripple-2"},
		{"its directory is a branch", "agent/w", []string{"heads/agent"}, nil, "agent-w"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newRepo(t)
			r, err := Open(t.Context(), p.dir)
			require.NoError(t, err)
			for _, ref := range tt.refs {
				p.git("update-ref", "refs/"+ref, "HEAD")
			}
			got, err := r.UnusedBranch(t.Context(), tt.base, tt.taken...)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			p.git("branch", got)
		})
	}
}

// Branches and tags keep commits; the loop's own tags, a HEAD, a stash and logs do not.
func TestCommitsOnNoBranch(t *testing.T) {
	p := newRepo(t)
	r, err := Open(t.Context(), p.dir)
	require.NoError(t, err)
	first := p.git("rev-parse", "HEAD")
	detached := func(message, from string) string {
		p.git("checkout", "-q", "--detach", from)
		p.git("commit", "-q", "--allow-empty", "-m", message)
		return p.git("rev-parse", "HEAD")
	}
	one := detached("one", "main")
	two := detached("two", one)
	tagged := detached("tagged", "main")
	p.git("tag", "kept")
	other := detached("other", "main")
	require.NoError(t, r.Tag(t.Context(), "ripple/x/turn-1", other))
	const missing = "0123456789012345678901234567890123456789"
	all := []string{first, one, two, tagged, other, missing}
	unkept, err := r.Unkept(t.Context(), all)
	require.NoError(t, err)
	assert.Equal(t, []string{one, two, other}, unkept)
	unkept, err = r.Unkept(t.Context(), all, two)
	require.NoError(t, err)
	assert.Equal(t, []string{other}, unkept, "one of them contains another")
	outside, err := r.Outside(t.Context(), all, two, tagged)
	require.NoError(t, err)
	assert.Equal(t, []string{other}, outside)
	outside, err = r.Outside(t.Context(), all)
	require.NoError(t, err)
	assert.Equal(t, all[:5], outside, "all that exist")
	none, err := r.Unkept(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestAhead(t *testing.T) {
	p := newRepo(t)
	r, err := Open(t.Context(), p.dir)
	require.NoError(t, err)
	p.git("checkout", "-q", "-b", "other")
	p.git("commit", "-q", "--allow-empty", "-m", "x")
	tests := []struct {
		name   string
		since  time.Time
		of     string
		others []string
		want   int
	}{
		{"a commit more", time.Time{}, Branch("other"), []string{"main"}, 1},
		{"none", time.Time{}, "main", []string{Branch("other")}, 0},
		{"without others", time.Time{}, Branch("other"), nil, 2},
		{"made before", time.Now().Add(time.Hour), Branch("other"), []string{"main"}, 0},
		{"no such branch", time.Time{}, Branch("none"), []string{"main"}, 0},
		{"no such other", time.Time{}, Branch("other"), []string{"main", Branch("none")}, 1},
	}
	for _, tt := range tests {
		n, err := r.Ahead(t.Context(), tt.since, tt.of, tt.others...)
		require.NoError(t, err, tt.name)
		assert.Equal(t, tt.want, n, tt.name)
	}
}

// Only what was written since the last call counts; a log that was removed or replaced does no harm.
func TestHeadLog(t *testing.T) {
	p := newRepo(t)
	r, err := Open(t.Context(), p.dir)
	require.NoError(t, err)
	p.git("checkout", "-q", "-b", "before")
	l, err := r.HeadLog(t.Context())
	require.NoError(t, err)
	left := func() []string {
		return l.Moves().Names
	}
	assert.Empty(t, left())
	p.git("commit", "-q", "--allow-empty", "-m", "checkout: moving from a to b")
	head := p.git("rev-parse", "HEAD")
	p.git("checkout", "-q", "--detach")
	p.git("checkout", "-q", "main")
	p.git("reset", "-q", "--hard", "before")
	m := l.Moves()
	assert.Equal(t, []string{head}, m.Left)
	assert.Subset(t, []string{head, p.git("rev-parse", "before~1")}, m.Reached)
	assert.Equal(t, []string{"before"}, m.Names)
	assert.Empty(t, left())
	assert.True(t, l.Complete())
	p.remove(".git/logs/HEAD")
	assert.Empty(t, left())
	assert.False(t, l.Complete())
	p.write(".git/logs/HEAD", "no log\n")
	assert.Empty(t, left())
	p.remove(".git/logs/HEAD")
	p.git("config", "core.logAllRefUpdates", "false")
	p.git("checkout", "-q", "before")
	assert.Empty(t, left())
	mkfifo(t, filepath.Join(p.dir, ".git/logs/HEAD"))
	assert.Empty(t, left())
}

// A position of an earlier process is used only if lines of the log still end there: git removes old
// ones.
func TestRewindHeadLog(t *testing.T) {
	p := newRepo(t)
	r, err := Open(t.Context(), p.dir)
	require.NoError(t, err)
	p.git("checkout", "-q", "-b", "one")
	p.git("checkout", "-q", "-b", "two")
	text := p.read(".git/logs/HEAD")
	l, err := r.HeadLog(t.Context())
	require.NoError(t, err)
	position := l.Position()
	p.git("checkout", "-q", "-b", "three")
	for _, tt := range []struct {
		name, before string // lines of the log in place of the lines before the position
		position     int64
		want         []string
	}{
		{"all lines", text, position, []string{"two"}},
		{"from the beginning", text, 0, []string{"main", "one", "two"}},
		{"a shorter log", "", position, nil},
		{"other lines", text[:10] + text, position, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := p.read(".git/logs/HEAD")
			defer p.write(".git/logs/HEAD", log)
			p.write(".git/logs/HEAD", tt.before+log[position:])
			l, err := r.HeadLog(t.Context())
			require.NoError(t, err)
			l.Rewind(tt.position)
			assert.Equal(t, tt.want, l.Moves().Names)
			assert.Equal(t, tt.name == "all lines", l.Complete())
		})
	}
}

// Names and logs are the agent's: none becomes an option of git, such as one that writes a file.
func TestRevisionsAreNotOptions(t *testing.T) {
	p := newRepo(t)
	r, err := Open(t.Context(), p.dir)
	require.NoError(t, err)
	first := p.git("rev-parse", "HEAD")
	p.git("commit", "-q", "--allow-empty", "-m", "second")
	l, err := r.HeadLog(t.Context())
	require.NoError(t, err)
	written := filepath.Join(t.TempDir(), "written")
	option := "--output=" + written
	p.write(".git/logs/HEAD", p.read(".git/logs/HEAD")+option+" x\tcheckout: moving from a to b\n-0500 y\tcheckout: moving from a to b\n"+option+" x\treset: moving to a\n")
	assert.Empty(t, l.Moves())
	tips, err := r.Tips(t.Context(), []string{option, "HEAD"}, option)
	require.NoError(t, err)
	assert.Empty(t, tips)
	unkept, err := r.Unkept(t.Context(), []string{option, "HEAD"}, option)
	require.NoError(t, err)
	assert.Empty(t, unkept)
	has, err := r.ContainsAny(t.Context(), "HEAD", option)
	require.NoError(t, err)
	assert.False(t, has)
	n, err := r.Ahead(t.Context(), time.Time{}, option, option)
	require.NoError(t, err)
	assert.Zero(t, n)
	unkept, err = r.Unkept(t.Context(), []string{first}, option)
	require.NoError(t, err)
	assert.Empty(t, unkept)
	for _, a := range [][2]string{{option, first}, {first, option}} {
		_, err = r.between(t.Context(), a[0], a[1])
		assert.Error(t, err)
		_, err = r.Since(t.Context(), a[0], a[1])
		assert.Error(t, err)
	}
	_, err = r.run(t.Context(), call{}, gitDiff, option, first)
	assert.ErrorContains(t, err, "is not an option that ripple uses")
	assert.True(t, Ended(err))
	assert.NoFileExists(t, written)
}

// A branch may contain some of the commits; those that do not exist are contained in none.
func TestContainsAny(t *testing.T) {
	p := newRepo(t)
	r, err := Open(t.Context(), p.dir)
	require.NoError(t, err)
	first := p.git("rev-parse", "HEAD")
	p.git("commit", "-q", "--allow-empty", "-m", "second")
	second := p.git("rev-parse", "HEAD")
	p.git("branch", "old", first)
	p.git("checkout", "-q", "--detach", first)
	p.git("commit", "-q", "--allow-empty", "-m", "other")
	other := p.git("rev-parse", "HEAD")
	const missing = "0123456789012345678901234567890123456789"
	for _, tt := range []struct {
		in      string
		commits []string
		want    bool
	}{
		{"main", nil, false},
		{"main", []string{first}, true},
		{"main", []string{second}, true},
		{"main", []string{other}, false},
		{"main", []string{missing}, false},
		{"main", []string{missing, other, second}, true},
		{"main", []string{missing, other}, false},
		{"old", []string{second, other}, false},
		{"old", []string{second, first}, true},
		{other, []string{second, first}, true},
		{"none", []string{first}, false},
	} {
		got, err := r.ContainsAny(t.Context(), tt.in, tt.commits...)
		require.NoError(t, err, tt.commits)
		assert.Equal(t, tt.want, got, "%s: %v", tt.in, tt.commits)
	}
}

// A commit that was amended, rebased or cherry-picked is a later version of the first one; a copy has the same changes. A new
// commit with the same message is neither.
func TestVersionsOfACommit(t *testing.T) {
	const second = "git checkout -q first; echo d > d; git add d; git commit -q --date=@1600000000 -m work; git tag -f first > /dev/null; "
	for _, tt := range []struct {
		name, then      string
		rewritten       bool // main has a version of the commit of the branch
		copied, missing int  // commits of the branch of which main has copies, and the other ones
		dropped         bool // main has no version of one of the first commits
	}{
		{"nothing", "true", false, 0, 1, true},
		{"amended", "git checkout -q side; git commit -q --amend -m other; git branch -f main side; git reset -q --hard first", true, 1, 0, false},
		{"other contents", "git checkout -q side; echo c > b; git commit -q -a --amend -m work; git branch -f main side; git reset -q --hard first", true, 0, 1, false},
		{"rebased", "git checkout -q side; git rebase -q main; git branch -f main side; git reset -q --hard first", true, 1, 0, false},
		{"cherry-picked", "git cherry-pick side > /dev/null", true, 1, 0, false},
		{"squash-merged", "git merge -q --squash side; git commit -q -m work", false, 1, 0, false},
		{"one of two of the same second, amended", second + "git checkout -q side; git commit -q --amend -m other; git branch -f main side; git reset -q --hard first", true, 1, 1, true},
		{"both of the same second, rebased", second + "git checkout -q -f first; git rebase -q main; git checkout -q -B main; git branch -f side first", true, 2, 0, false},
		{"a new commit", "echo c > b; git add b; git commit -q -m work", false, 0, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newRepo(t)
			sh := func(command string) {
				c := exec.Command("sh", "-ec", command)
				c.Dir = p.dir
				out, err := c.CombinedOutput()
				require.NoError(t, err, string(out))
			}
			sh("git checkout -q -b side; echo b > b; git add b; git commit -q --date=@1600000000 -m work; git tag first; git checkout -q main; echo c > c; git add c; git commit -q -m main")
			start, made := p.git("rev-parse", "main~1"), p.git("rev-parse", "first")
			sh(tt.then)
			r, err := Open(t.Context(), p.dir)
			require.NoError(t, err)
			rewritten, err := r.ContainsRewritten(t.Context(), "main", start, made, strings.Repeat("0", 40), "--all")
			require.NoError(t, err)
			copied, missing, err := r.Copied(t.Context(), "side", "main")
			require.NoError(t, err)
			dropped, err := r.Dropped(t.Context(), "refs/tags/first", "main")
			require.NoError(t, err)
			assert.Equal(t, []any{tt.rewritten, tt.copied, tt.missing, tt.dropped}, []any{rewritten, copied, missing, dropped})
		})
	}
}
