package registry

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate"
)

// adapterYAML is an adapter that loads.
func adapterYAML(name, description string, aliases ...string) string {
	return fmt.Sprintf(`schema: 1
name: %s
version: 0.1.0
description: %s
family: repl
aliases: [%s]
process: {}
init: {strategy: regex}
prompt: {strategy: regex, primary: '^> $'}
`, name, description, strings.Join(aliases, ", "))
}

// write puts files into a new directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func embedded(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{"embed.go": {Data: []byte("package x")}, "testdata/x.yaml": {Data: []byte("x")}}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func open(t *testing.T, s Sources) *Registry {
	t.Helper()
	r, err := Open(s)
	require.NoError(t, err)
	return r
}

// three is a registry whose origins know of each other's names.
func three(t *testing.T) (r *Registry, user, project string) {
	user = write(t, map[string]string{
		"bash.yaml": adapterYAML("bash", "user"),
		"fish.yml":  adapterYAML("fish", "user", "friendly"),
	})
	project = write(t, map[string]string{
		"fish.yaml": adapterYAML("fish", "project"),
		"mine.yaml": adapterYAML("mine", "project", "python"),
	})
	r = open(t, Sources{
		UserDir: user, ProjectDir: project,
		Embedded: embedded(map[string]string{
			"bash.yaml":   adapterYAML("bash", "embedded", "sh", "bourne"),
			"pwsh.yaml":   adapterYAML("pwsh", "embedded", "powershell"),
			"python.yaml": adapterYAML("python", "embedded", "py"),
		}),
	})
	return r, user, project
}

func TestFind(t *testing.T) {
	r, user, project := three(t)
	cases := []struct{ asked, name, origin, path string }{
		{"pwsh", "pwsh", OriginEmbedded, "embedded/pwsh.yaml"},
		{"powershell", "pwsh", OriginEmbedded, "embedded/pwsh.yaml"},
		{"bash", "bash", OriginUser, user + "/bash.yaml"},
		{"sh", "bash", OriginUser, user + "/bash.yaml"}, // an alias of the one that it replaces
		{"fish", "fish", OriginProject, project + "/fish.yaml"},
		{"friendly", "fish", OriginProject, project + "/fish.yaml"},
		{"mine", "mine", OriginProject, project + "/mine.yaml"},
		{"python", "mine", OriginProject, project + "/mine.yaml"}, // the origin counts before name or alias
		{"py", "mine", OriginProject, project + "/mine.yaml"},
		{user + "/fish.yml", "fish", OriginFile, user + "/fish.yml"},
	}
	for _, c := range cases {
		t.Run(filepath.Base(c.asked), func(t *testing.T) {
			e, err := r.Find(c.asked)
			require.NoError(t, err)
			assert.Equal(t, [3]string{c.name, c.origin, c.path}, [3]string{e.Name, e.Origin, e.Path})
			assert.Equal(t, c.name, e.Adapter.Name)
		})
	}
}

func TestListHasEachNameOnce(t *testing.T) {
	r, _, _ := three(t)
	var got []string
	for _, e := range r.List() {
		got = append(got, e.Name+" "+e.Origin)
	}
	assert.Equal(t, []string{"bash user", "fish project", "mine project", "pwsh embedded", "python embedded"}, got)
}

func TestNoticesReportShadowing(t *testing.T) {
	r, user, project := three(t)
	assert.Equal(t, []Notice{
		{Kind: NoticeShadowed, Path: user + "/fish.yml", Message: `the name "fish" of user adapter ` + user + `/fish.yml refers to project adapter ` + project + `/fish.yaml instead`},
		{Kind: NoticeShadowed, Path: "embedded/bash.yaml", Message: `the name "bash" of embedded adapter embedded/bash.yaml refers to user adapter ` + user + `/bash.yaml instead`},
		{Kind: NoticeShadowed, Path: "embedded/python.yaml", Message: `the name "python" of embedded adapter embedded/python.yaml refers to project adapter ` + project + `/mine.yaml instead`},
		{Kind: NoticeShadowed, Path: "embedded/python.yaml", Message: `the alias "py" of embedded adapter embedded/python.yaml refers to project adapter ` + project + `/mine.yaml instead`},
	}, r.Notices())
}

func TestCollisionsWithinAnOrigin(t *testing.T) {
	dir := write(t, map[string]string{
		"a.yaml": adapterYAML("one", "a", "x"),
		"b.yaml": adapterYAML("one", "b"),
		"c.yaml": adapterYAML("two", "c", "x", "one", "three"),
		"d.yaml": adapterYAML("three", "d"),
	})
	r := open(t, Sources{UserDir: dir})
	for asked, want := range map[string]string{"one": "a", "x": "a", "two": "c", "three": "d"} {
		e, err := r.Find(asked)
		require.NoError(t, err)
		assert.Equal(t, want, e.Adapter.Description, asked)
	}
	claim := func(what, claim, loser, winner string) Notice {
		return Notice{Kind: NoticeCollision, Path: filepath.Join(dir, loser), Message: fmt.Sprintf("the %s %q of user adapter %s refers to user adapter %s instead",
			what, claim, filepath.Join(dir, loser), filepath.Join(dir, winner))}
	}
	assert.Equal(t, []Notice{
		claim("name", "one", "b.yaml", "a.yaml"),
		claim("alias", "x", "c.yaml", "a.yaml"),
		claim("alias", "one", "c.yaml", "a.yaml"),
		claim("alias", "three", "c.yaml", "d.yaml"),
	}, r.Notices())
	assert.Len(t, r.List(), 3)
}

func TestABrokenFileHarmsOnlyItself(t *testing.T) {
	dir := write(t, map[string]string{
		"bash.yaml":    "schema: 1\nname: bash\nnonsense: true\n",
		"empty.yaml":   "",
		"good.yaml":    adapterYAML("good", "user"),
		"other.yaml":   "name: 'zed' # the best\nfamily: [",
		".hidden.yaml": "hidden",
		"notes.txt":    "notes",
	})
	require.NoError(t, os.Mkdir(filepath.Join(dir, "dir.yaml"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "link.yaml")))
	r := open(t, Sources{UserDir: dir, Embedded: embedded(map[string]string{"bash.yaml": adapterYAML("bash", "embedded")})})

	var names []string
	for _, e := range r.List() {
		names = append(names, e.Name)
	}
	assert.Equal(t, []string{"good"}, names, "a broken bash does not give way to another one")

	for asked, file := range map[string]string{"bash": "bash.yaml", "empty": "empty.yaml", "zed": "other.yaml", "link": "link.yaml"} {
		_, err := r.Find(asked)
		var broken *BrokenError
		require.ErrorAs(t, err, &broken, asked)
		assert.Equal(t, filepath.Join(dir, file), broken.Path)
		require.NotEmpty(t, broken.Diagnostics)
		assert.Contains(t, err.Error(), broken.Diagnostics[0].String())
	}

	kinds := map[NoticeKind]int{}
	for _, n := range r.Notices() {
		kinds[n.Kind]++
		if n.Kind == NoticeBroken {
			assert.NotEmpty(t, n.Diagnostics, n.Path)
		}
	}
	assert.Equal(t, map[NoticeKind]int{NoticeBroken: 4, NoticeShadowed: 1}, kinds)
}

func TestDirectoriesThatCannotBeRead(t *testing.T) {
	dir := write(t, map[string]string{"file": ""})
	r := open(t, Sources{UserDir: filepath.Join(dir, "file"), ProjectDir: filepath.Join(dir, "absent")})
	notices := r.Notices()
	require.Len(t, notices, 1, "only what exists can be unreadable")
	assert.Equal(t, NoticeUnreadable, notices[0].Kind)
	assert.Equal(t, filepath.Join(dir, "file"), notices[0].Path)
	assert.Empty(t, r.List())
}

func TestLinksAreFollowed(t *testing.T) {
	elsewhere := write(t, map[string]string{"x.yaml": adapterYAML("linked", "elsewhere")})
	dir := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(elsewhere, "x.yaml"), filepath.Join(dir, "l.yaml")))
	e, err := open(t, Sources{ProjectDir: dir}).Find("linked")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "l.yaml"), e.Path)
}

func TestNotFound(t *testing.T) {
	r, _, _ := three(t)
	cases := []struct {
		asked       string
		suggestions []string
		message     string
	}{
		{"bsh", []string{"bash", "sh"}, `no adapter is named "bsh"; did you mean bash or sh?`},
		{"PWSH", []string{"pwsh"}, `no adapter is named "PWSH"; did you mean pwsh?`},
		{"power", []string{"powershell"}, `no adapter is named "power"; did you mean powershell?`},
		{"cobol", nil, `no adapter is named "cobol"; known are bash, fish, mine, pwsh, python`},
	}
	for _, c := range cases {
		t.Run(c.asked, func(t *testing.T) {
			_, err := r.Find(c.asked)
			var notFound *NotFoundError
			require.ErrorAs(t, err, &notFound)
			assert.Equal(t, c.asked, notFound.Name)
			assert.ElementsMatch(t, c.suggestions, notFound.Suggestions)
			assert.Equal(t, []string{"bash", "fish", "mine", "pwsh", "python"}, notFound.Known)
			assert.EqualError(t, err, c.message)
		})
	}
	_, err := open(t, Sources{}).Find("x")
	require.ErrorContains(t, err, "none are known")
}

func TestHostileNames(t *testing.T) {
	r, _, _ := three(t)
	for _, name := range []string{"", ".", "..", "a..b", ".bash", `..\bash`, "ba\x00sh", "ba\nsh", "\x1b[2J", "ba\u202esh", "\xff"} {
		_, err := r.Find(name)
		var bad *NameError
		require.ErrorAs(t, err, &bad, "%q", name)
	}
	for _, path := range []string{"../bash", "/", "./", "x\x00.yaml", "nothing.yaml", strings.Repeat("a/", 5000)} {
		_, err := r.Find(path)
		var broken *BrokenError
		require.ErrorAs(t, err, &broken, "%q", path)
		assert.NotEmpty(t, broken.Diagnostics)
	}
}

func TestScriptsComeFromBesideTheFileOrTheSources(t *testing.T) {
	adapter := func(resource string) string {
		return strings.Replace(adapterYAML("s", "x"), "init: {strategy: regex}", "init: {strategy: regex, delivery: pty_inject, script_resource: "+resource+"}", 1)
	}
	dir := write(t, map[string]string{"own.yaml": adapter("own.sh"), "own.sh": "own"})
	r := open(t, Sources{
		ProjectDir: dir,
		Embedded:   embedded(map[string]string{"t.yaml": strings.Replace(adapter("shared.sh"), "name: s", "name: t", 1)}),
		Scripts:    []fs.FS{fstest.MapFS{"shared.sh": {Data: []byte("shared")}}},
	})
	for name, want := range map[string]string{"s": "own", "t": "shared", dir + "/own.yaml": "own"} {
		e, err := r.Find(name)
		require.NoError(t, err)
		assert.Equal(t, want, e.Adapter.Script)
	}
}

func TestDefaultSources(t *testing.T) {
	env := func(kv map[string]string) func(string) string { return func(k string) string { return kv[k] } }
	me, err := user.Current()
	require.NoError(t, err)
	cases := []struct {
		env  map[string]string
		cwd  string
		want [2]string
	}{
		{map[string]string{"HOME": "/h"}, "/p", [2]string{"/h/.config/ripple/adapters", "/p/.ripple/adapters"}},
		{map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "/p", [2]string{"/x/ripple/adapters", "/p/.ripple/adapters"}},
		{map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "x"}, "/p", [2]string{"/h/.config/ripple/adapters", "/p/.ripple/adapters"}},
		{nil, "", [2]string{filepath.Join(me.HomeDir, ".config/ripple/adapters"), ""}},
	}
	for _, c := range cases {
		s := DefaultSources(env(c.env), c.cwd)
		assert.Equal(t, c.want, [2]string{s.UserDir, s.ProjectDir})
		assert.NotNil(t, s.Embedded)
		assert.Len(t, s.Scripts, 1)
	}
}

func TestTheEmbeddedAdaptersAreInOrder(t *testing.T) {
	s := DefaultSources(os.Getenv, "")
	s.UserDir = ""
	r := open(t, s)
	for _, n := range r.Notices() {
		text := n.Message
		for _, d := range n.Diagnostics {
			text += "\n" + d.Format()
		}
		t.Error(text)
	}
}

// fifty is as many adapters as ripple may come with, each of a realistic size.
func fifty() Sources {
	tests := "tests:\n"
	for i := range 40 {
		tests += fmt.Sprintf("  - name: test %d\n    eval: 'x = %d'\n    expect: '^%d$'\n", i, i, i)
	}
	files := map[string]string{}
	for i := range 50 {
		name := fmt.Sprintf("adapter%02d", i)
		files[name+".yaml"] = adapterYAML(name, "generated", fmt.Sprintf("alias%02d", i)) + tests
	}
	return Sources{Embedded: embedded(files)}
}

func TestFindParsesOnlyCandidates(t *testing.T) {
	for _, asked := range []string{"adapter31", "alias31"} {
		s := fifty()
		r := open(t, s)
		parsed := 0
		r.each(func(_ *layer, f *file) {
			load := f.load
			f.load = func() (*schema.Adapter, []byte, []schema.Diagnostic) { parsed++; return load() }
		})
		e, err := r.Find(asked)
		require.NoError(t, err)
		assert.Equal(t, "adapter31", e.Name)
		assert.Equal(t, 1, parsed)
	}
}

func TestARegistryIsSharedBetweenGoroutines(t *testing.T) {
	r, _, _ := three(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, err := r.Find("sh")
			assert.NoError(t, err)
			assert.Len(t, r.List(), 5)
			assert.Len(t, r.Notices(), 4)
		})
	}
	wg.Wait()
}

func BenchmarkFind(b *testing.B) {
	s := fifty()
	for b.Loop() {
		r, err := Open(s)
		require.NoError(b, err)
		_, err = r.Find("adapter31")
		require.NoError(b, err)
	}
}

func BenchmarkList(b *testing.B) {
	s := fifty()
	for b.Loop() {
		r, err := Open(s)
		require.NoError(b, err)
		require.Len(b, r.List(), 50)
	}
}

func BenchmarkOpen(b *testing.B) {
	s := fifty()
	for b.Loop() {
		_, err := Open(s)
		require.NoError(b, err)
	}
}
