package registry

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// untrusting is a project whose adapters would replace embedded names and add one of their
// own.
func untrusting(t *testing.T, trusts func(*Entry) bool) *Registry {
	return open(t, Sources{
		ProjectDir: write(t, map[string]string{
			"bash.yaml": adapterYAML("bash", "project"),
			"zz.yaml":   adapterYAML("zz", "project", "python", "own"),
		}),
		Embedded:  embedded(map[string]string{"bash.yaml": adapterYAML("bash", "embedded", "sh"), "python.yaml": adapterYAML("python", "embedded")}),
		IsTrusted: trusts,
	})
}

func TestAProjectsAdapterNeedsTrust(t *testing.T) {
	var asked []string
	r := untrusting(t, func(e *Entry) bool {
		asked = append(asked, filepath.Base(e.Path)+" "+e.Adapter.Description)
		return false
	})
	for _, name := range []string{"bash", "sh", "python"} {
		e, err := r.Find(name)
		require.NoError(t, err, name)
		assert.Equal(t, OriginEmbedded, e.Origin, name)
	}
	assert.Equal(t, "bash", r.Unused("bash").Name)
	assert.Equal(t, "zz", r.Unused("python").Name)
	assert.Nil(t, r.Unused("zz"), "it replaces nothing")
	for _, name := range []string{"zz", "own"} {
		_, err := r.Find(name)
		var untrusted *UntrustedError
		require.ErrorAs(t, err, &untrusted, name)
		assert.Equal(t, "zz", untrusted.Entry.Name)
		e, err := r.Inspect(name)
		require.NoError(t, err)
		assert.Equal(t, "zz", e.Name)
	}
	assert.Len(t, r.List(), 2)
	assert.Len(t, r.Project(), 2)
	var kinds []NoticeKind
	for _, n := range r.Notices() {
		kinds = append(kinds, n.Kind)
	}
	assert.Equal(t, []NoticeKind{NoticeUntrusted, NoticeUntrusted}, kinds)
	assert.ElementsMatch(t, []string{"bash.yaml project", "zz.yaml project"}, asked, "once each")

	r = untrusting(t, func(e *Entry) bool { return e.Name == "zz" })
	e, err := r.Find("python")
	require.NoError(t, err)
	assert.Equal(t, "zz", e.Name)
	e, err = r.Find("bash")
	require.NoError(t, err)
	assert.Equal(t, OriginEmbedded, e.Origin)
}

// The adapter that was checked is the one that is used, even if the file changes.
func TestTheTrustedContentIsUsed(t *testing.T) {
	dir := write(t, map[string]string{"bash.yaml": adapterYAML("bash", "agreed")})
	r := open(t, Sources{ProjectDir: dir, IsTrusted: func(e *Entry) bool {
		assert.NoError(t, os.WriteFile(e.Path, []byte(adapterYAML("bash", "swapped")), 0o600))
		return string(e.Text) == adapterYAML("bash", "agreed")
	}})
	e, err := r.Find("bash")
	require.NoError(t, err)
	assert.Equal(t, "agreed", e.Adapter.Description)
}

func TestABrokenAdapterOfAProjectTakesNoName(t *testing.T) {
	for _, text := range []string{"name: bash\nnonsense: [", "nonsense", "aliases: [bash]\nname: 1"} {
		r := open(t, Sources{
			ProjectDir: write(t, map[string]string{"bash.yaml": text}),
			Embedded:   embedded(map[string]string{"bash.yaml": adapterYAML("bash", "embedded")}),
			IsTrusted:  func(*Entry) bool { return true },
		})
		e, err := r.Find("bash")
		require.NoError(t, err, text)
		assert.Equal(t, OriginEmbedded, e.Origin)
		assert.Len(t, r.List(), 1)
		require.Len(t, r.Notices(), 1)
		assert.Equal(t, NoticeBroken, r.Notices()[0].Kind)
	}
}

// The adapters of a project are read before anybody trusts it, at each completion.
func TestAdaptersOfAProjectAreLimited(t *testing.T) {
	many := func(n int) map[string]string {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprintf("a%d.yaml", i)] = adapterYAML(fmt.Sprintf("a%d", i), "project", "bash")
		}
		return files
	}
	large := map[string]string{"a0.yaml": adapterYAML("a0", "project", "bash") + "#" + strings.Repeat(" ", maxProjectBytes)}
	for name, c := range map[string]struct {
		files map[string]string
		used  int
		says  string
	}{
		"few":      {many(3), 3, ""},
		"the most": {many(maxProjectFiles), maxProjectFiles, ""},
		"too many": {many(maxProjectFiles + 1), 0, "has 201 of them, and at most 200 are read"},
		"large":    {large, 0, "has 1024 KB of them, and at most 1024 KB are read"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Sources{ProjectDir: write(t, c.files), Embedded: embedded(map[string]string{"bash.yaml": adapterYAML("bash", "embedded")})}
			r := open(t, s)
			assert.Len(t, r.Project(), c.used)
			if c.says == "" {
				assert.Empty(t, r.LimitExceeded())
				return
			}
			e, err := r.Find("bash")
			require.NoError(t, err)
			assert.Equal(t, OriginEmbedded, e.Origin)
			_, err = r.Find("a0")
			require.ErrorContains(t, err, c.says)
			require.Len(t, r.Notices(), 1)
			assert.Equal(t, NoticeTooMany, r.Notices()[0].Kind)
			user := open(t, Sources{UserDir: s.ProjectDir})
			assert.Len(t, user.List(), len(c.files), "adapters of the user's own are not limited")
		})
	}
}
