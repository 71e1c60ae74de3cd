package git

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Git runs no program of a repository's settings when it compares or writes files, wherever the setting is, unless exactly that
// setting is approved. A program of the user's own settings needs no approval.
func TestProgramsOfSettingsNeedApproval(t *testing.T) {
	snapshot := func(t *testing.T, p *project, accepted []string) error {
		tree, err := OpenTree(t.Context(), p.dir, nothing)
		require.NoError(t, err)
		tree.Repo.Accepted = accepted
		_, err = tree.Snapshot(t.Context())
		return err
	}
	worktree := func(t *testing.T, p *project, accepted []string) error {
		r := &Repo{Top: p.dir, Accepted: accepted}
		_, err := r.OpenWorktree(t.Context(), filepath.Join(p.dir, "w"), "w", plainly)
		return err
	}
	sign := func(t *testing.T, p *project, accepted []string) error {
		return (&Repo{Top: p.dir, Accepted: accepted}).Ready(t.Context())
	}
	rebase := func(t *testing.T, p *project, accepted []string) error {
		w := &Worktree{&Repo{Top: p.dir, Accepted: accepted}, "main", "other"}
		return update(t, w, true)
	}
	filter := func(of string) string { return "[Filter \"x\"]\n\t" + of + " = PROGRAM %f\n" }
	const read = "filter.x.clean = PROGRAM %f"
	tests := []struct {
		name    string
		files   map[string]string // gets these lines
		changed string
		do      func(*testing.T, *project, []string) error
		want    string
	}{
		{"a filter that reads", map[string]string{".git/config": filter("Clean")}, "a.txt", snapshot, read},
		{"a process that filters", map[string]string{".git/config": filter("process")}, "a.txt", snapshot, "filter.x.process = PROGRAM %f"},
		{"an old section", map[string]string{".git/config": "[filter.x] clean = PROGRAM\n"}, "a.txt", snapshot, "filter.x.clean = PROGRAM"},
		{"an included file", map[string]string{".git/config": "[include] path = ../b\n", "b": filter("clean")}, "a.txt", snapshot, read},
		{
			"a file for one working tree", map[string]string{
				".git/config":          "[core] repositoryFormatVersion = 1\n[extensions] worktreeConfig = true\n",
				".git/config.worktree": filter("clean"),
			}, "a.txt", snapshot, read,
		},
		{"a submodule", map[string]string{".git/modules/sub/config": filter("clean")}, "sub/a.txt", snapshot, read},
		{"a submodule of a submodule", map[string]string{"sub/inner/.git/config": filter("clean")}, "sub/inner/a.txt", snapshot, read},
		{"a filter that writes", map[string]string{".git/config": filter("smudge")}, "", worktree, "filter.x.smudge = PROGRAM %f"},
		{"a driver of merges", map[string]string{".git/config": "[merge \"x\"] driver = PROGRAM </dev/null\n"}, "", rebase, "merge.x.driver = PROGRAM </dev/null"},
		{"a signature", map[string]string{".git/config": "[commit] gpgSign = true\n[gpg] program = PROGRAM\n"}, "", sign, "gpg.program = PROGRAM"},
	}
	lib, made := newRepo(t), newRepo(t) // of which each case has a copy
	lib.write(".gitattributes", "* filter=x\n")
	lib.commit("attributes")
	made.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "sub")
	made.write(".gitattributes", "*.txt filter=x merge=x\n")
	made.commit("attributes")
	made.git("clone", "-q", lib.dir, "sub/inner")
	made.git("-C", "sub", "-c", "advice.addEmbeddedRepo=false", "add", "inner")
	made.git("switch", "-qc", "other")
	made.write("a.txt", "other\n")
	made.git("commit", "-qm", "other", "a.txt")
	made.git("switch", "-q", "main")
	made.write("a.txt", "main\n")
	made.git("commit", "-qm", "main", "a.txt")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t)
			require.NoError(t, os.CopyFS(p.dir, os.DirFS(made.dir)))
			p.git("update-index", "-q", "--refresh")
			ran := filepath.Join(t.TempDir(), "ran")
			program := filepath.Join(t.TempDir(), "program")
			require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n: > '"+ran+"'\ncat\n"), 0o700))
			for name, text := range tt.files {
				before := ""
				if there(filepath.Join(p.dir, name)) {
					before = p.read(name)
				}
				p.write(name, before+strings.ReplaceAll(text, "PROGRAM", program))
			}
			if tt.changed != "" { // git compares the sizes first
				p.write(tt.changed, strings.Repeat("x", len(p.read(tt.changed))))
			}
			want := strings.ReplaceAll(tt.want, "PROGRAM", program)

			err := tt.do(t, p, nil)
			conflict, is := errors.AsType[*Conflict](err)
			require.True(t, is, "%v", err)
			assert.Contains(t, conflict.Why, "nobody has approved")
			assert.NoFileExists(t, ran)
			_, list, err := Risks(t.Context(), p.dir)
			require.NoError(t, err)
			require.Len(t, list, 1+strings.Count(tt.files[".git/config"], "[include]"))
			assert.Contains(t, list[0], want) // sorted: an included file comes first
			require.Error(t, tt.do(t, p, append([]string{list[0] + " --other"}, list[1:]...)))
			assert.NoFileExists(t, ran)

			if err := tt.do(t, p, list); tt.name != "a signature" { // the program makes none
				require.NoError(t, err)
			}
			if tt.name != "a process that filters" { // whose protocol the program does not speak
				assert.FileExists(t, ran)
			}
		})
	}
}

// Git is asked for the settings, so that none is missed, however the repository hides it: each row makes git run the
// program in "git status".
func TestHiddenProgramsNeedApproval(t *testing.T) {
	const filter = "[filter \"x\"]\n\tclean = PROGRAM\n"
	tests := []struct{ name, hide, dir string }{
		{"a path through a link", `mkdir -p a/b; ln -s ../a/b .git/link; printf %s "$F" > a/evil; git config include.path link/../evil`, "."},
		{"many files that do not exist", `{ echo '[include]'; for i in $(seq 1000); do echo 'path = none'; done; echo 'path = evil'; } >> .git/config; printf %s "$F" > .git/evil`, "."},
		{"the working directory of git", `printf %s "$F" > evil; git config include.path /proc/self/cwd/evil`, "sub"},
		{"the prefix of git", `printf %s "$F" > evil; git config include.path '%(prefix)/../proc/self/cwd/evil'`, "."},
		{"a NUL in the file .git", `mv .git g; printf %s "$F" >> g/config; printf 'gitdir: g\0x\n' > .git`, "."},
		{"a NUL in commondir", `mv .git g; mkdir .git; cp g/HEAD g/index .git/; printf %s "$F" >> g/config; printf '../g\0x\n' > .git/commondir`, "."},
		{"a long file commondir", `mv .git g; mkdir .git; cp g/HEAD g/index .git/; printf %s "$F" >> g/config; { printf ../g; yes '' | head -c 1100000; } > .git/commondir`, "."},
		{"a directory .git that is none", `mkdir -p sub/.git; cp .git/HEAD sub/.git/; git config core.worktree ../sub; cp a.txt .gitattributes sub; printf %s "$F" >> .git/config`, "sub"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newRepo(t)
			ran := filepath.Join(t.TempDir(), "ran")
			program := filepath.Join(t.TempDir(), "program")
			require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n: > '"+ran+"'\ncat\n"), 0o700))
			p.write(".gitattributes", "*.txt filter=x\n")
			p.write("sub/b", "")
			p.commit("attributes")
			p.write("a.txt", "b\n")
			before := time.Now().Add(-time.Hour) // git compares whole seconds
			require.NoError(t, os.Chtimes(filepath.Join(p.dir, "a.txt"), before, before))
			cmd := exec.Command("sh", "-c", tt.hide)
			cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "F="+strings.ReplaceAll(filter, "PROGRAM", program))
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)

			tree, err := OpenTree(t.Context(), filepath.Join(p.dir, tt.dir), nothing)
			if err == nil && tree.Repo != nil {
				_, err = tree.Snapshot(t.Context())
			}
			require.Error(t, err)
			assert.NoFileExists(t, ran)

			cmd = exec.Command("git", "status")
			cmd.Dir = filepath.Join(p.dir, tt.dir)
			out, err = cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.FileExists(t, ran, "git itself runs it")
		})
	}
}

// An approval of one setting is none of another: no two have the same text.
func TestTextOfSettings(t *testing.T) {
	texts := map[string]setting{}
	for _, s := range []setting{
		{key: "filter.x.clean", value: "cat", file: "/p/.git/config"},
		{key: "filter.x.clean", value: "cat\n/p/.git/config: filter.y.clean = true", file: "/p/.git/config"},
		{key: "filter.x.clean", value: "cat", file: "/p/.git/config: filter.x.clean = cat"},
		{key: "filter.x = y.clean", value: "cat", file: "/p/.git/config"},
		{key: "filter.x", value: "y.clean = cat", file: "/p/.git/config"},
		{key: "filter.x.clean", value: `"cat"`, file: "/p/.git/config"},
		{key: "filter.x.clean", value: `\"cat\"`, file: "/p/.git/config"},
		{key: "filter.x.clean", value: "", file: "/p/.git/config"},
		{key: "filter.x.clean", value: `""`, file: "/p/.git/config"},
		{key: "filter.x.clean", value: "\x1b[31m\u202e", file: "/p/.git/config"},
	} {
		assert.NotContains(t, texts, s.String())
		texts[s.String()] = s
		assert.NotContains(t, s.String(), "\n")
		assert.NotContains(t, s.String(), "\x1b")
		assert.NotContains(t, s.String(), "\u202e")
	}
	assert.Contains(t, texts, "/p/.git/config: filter.x.clean = cat")
}

// Git fetches objects with programs of the settings only if the repository lacks some.
func TestProgramsThatFetch(t *testing.T) {
	for _, partial := range []string{"[extensions] partialClone = origin\n", "[remote \"origin\"] promisor = true\n"} {
		p := newRepo(t)
		before := p.read(".git/config") + "[lfs] url = https://x.y\n[core] sshCommand = ssh -v\n[credential \"https://x.y\"] helper = h\n[remote \"origin\"] uploadpack = u\n[http \"https://x.y\"] cookieFile = c\n[http] saveCookies = true\n[merge] conflictStyle = diff3\n[remote \"origin\"] url = https://x.y/z\n[url \"https://z.y/\"] insteadOf = https://x.y/\n"
		p.write(".git/config", before)
		_, list, err := Risks(t.Context(), p.dir)
		require.NoError(t, err)
		assert.Empty(t, list)
		p.write(".git/config", before+partial)
		_, list, err = Risks(t.Context(), p.dir)
		require.NoError(t, err)
		for i := range list {
			_, list[i], _ = strings.Cut(list[i], ": ")
		}
		assert.Subset(t, list, []string{`"credential.https://x.y.helper" = h`, "core.sshcommand = ssh -v", "remote.origin.uploadpack = u", `"http.https://x.y.cookiefile" = c`, "http.savecookies = true", "remote.origin.url = https://x.y/z", `"url.https://z.y/.insteadof" = https://x.y/`})
		assert.Len(t, list, 8, "with the setting that lets git fetch")
	}
}

// A repository that an agent puts in place of a submodule's missing files is examined, and one whose files are elsewhere
// is refused.
func TestSubmodulesThatAppear(t *testing.T) {
	lib, p := newRepo(t), newRepo(t)
	lib.write(".gitattributes", "* filter=x\n")
	lib.commit("attributes")
	p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "sub")
	p.commit("sub")
	p.git("submodule", "--quiet", "deinit", "--all")
	tree, err := OpenTree(t.Context(), p.dir, nothing)
	require.NoError(t, err)
	_, err = tree.Snapshot(t.Context())
	require.NoError(t, err)

	p.git("clone", "-q", lib.dir, "sub")
	ran := filepath.Join(t.TempDir(), "ran")
	p.git("-C", "sub", "config", "filter.x.clean", ": > '"+ran+"'; cat")
	p.write("sub/a.txt", "b\n")
	_, err = tree.Snapshot(t.Context())
	_, is := errors.AsType[*Conflict](err)
	assert.True(t, is, "%v", err)
	assert.NoFileExists(t, ran)

	p.git("-C", "sub", "config", "--unset", "filter.x.clean")
	p.git("-C", "sub", "config", "core.worktree", "../../other")
	p.write("other/a.txt", "")
	_, err = tree.Snapshot(t.Context())
	require.ErrorContains(t, err, "has its files elsewhere")
}

// Settings that include others, and those with a directory in which programs write, need approval, also if there is no
// such file yet.
func TestSettingsThatNeedApproval(t *testing.T) {
	for setting, risk := range map[string]bool{
		"include.path = none": true, "includeIf.gitdir:x.path = none": true, "lfs.storage = /x": true, "extensions.refstorage = files:///x": true,
		"pull.twohead = x/../evil": true, "pull.rebase = true": false,
		"extensions.refstorage = reftable": false, "lfs.url = https://x.y": false, "core.excludesFile = none": false, "diff.orderFile = none": false,
	} {
		p := newRepo(t)
		key, value, _ := strings.Cut(setting, " = ")
		p.git("config", key, value)
		_, list, err := Risks(t.Context(), p.dir)
		require.NoError(t, err)
		assert.Equal(t, risk, len(list) == 1, "%s: %v", setting, list)
	}
}

// The user's settings need approval if they are in a file of the working tree, because HOME or another variable leads there.
func TestSettingsOfTheUserInTheWorkingTree(t *testing.T) {
	const filter = "[filter \"x\"]\n\tclean = program\n"
	for name, c := range map[string]struct {
		file, variable, value string
		want                  bool
	}{
		"HOME":               {".gitconfig", "HOME", "DIR", true},
		"HOME below":         {"home/.gitconfig", "HOME", "DIR/home", true},
		"HOME relative":      {".gitconfig", "HOME", ".", true},
		"HOME with two dots": {"..home/.gitconfig", "HOME", "DIR/..home", true},
		"XDG_CONFIG_HOME":    {"git/config", "XDG_CONFIG_HOME", ".", true},
		"GIT_CONFIG_GLOBAL":  {".gitconfig", "GIT_CONFIG_GLOBAL", ".gitconfig", true},
		"GIT_CONFIG_SYSTEM":  {"x", "GIT_CONFIG_SYSTEM", "DIR/x", true},
		"outside":            {".gitconfig", "HOME", "OUTSIDE", false},
		"included":           {".gitconfig", "GIT_CONFIG_GLOBAL", "OUTSIDE/includes", true},
	} {
		t.Run(name, func(t *testing.T) {
			p, outside := newRepo(t), t.TempDir()
			p.write(c.file, filter)
			require.NoError(t, os.WriteFile(filepath.Join(outside, ".gitconfig"), []byte(filter), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(outside, "includes"), []byte("[include]\n\tpath = "+filepath.Join(p.dir, c.file)+"\n"), 0o600))
			t.Setenv("GIT_CONFIG_GLOBAL", "")
			require.NoError(t, os.Unsetenv("GIT_CONFIG_GLOBAL"))
			t.Setenv("XDG_CONFIG_HOME", "")
			t.Setenv(c.variable, strings.NewReplacer("DIR", p.dir, "OUTSIDE", outside).Replace(c.value))
			_, list, err := Risks(t.Context(), p.dir)
			require.NoError(t, err)
			want := []string(nil)
			if c.want {
				want = []string{filepath.Join(p.dir, c.file) + ": filter.x.clean = program"}
			}
			for i := range list {
				list[i] = strings.Replace(list[i], "/./", "/", 1)
			}
			assert.Equal(t, want, list)
		})
	}
}

// Settings of a home directory in the project make git append to no file. Git obeys trace2.* before it reads its arguments.
func TestSettingsOfTheUserWriteNoTrace(t *testing.T) {
	p := newRepo(t)
	targets := t.TempDir()
	p.write(".gitconfig", fmt.Sprintf("[trace2]\n\tnormalTarget = %[1]s/normal\n\tperfTarget = %[1]s/perf\n\teventTarget = %[1]s/event\n", targets))
	t.Setenv("HOME", p.dir)
	t.Setenv("GIT_CONFIG_GLOBAL", "")
	require.NoError(t, os.Unsetenv("GIT_CONFIG_GLOBAL"))
	_, ok := ask(t, p.dir, "status")
	require.True(t, ok)
	written := func() (names []string) {
		entries, err := os.ReadDir(targets)
		require.NoError(t, err)
		for _, e := range entries {
			require.NoError(t, os.Remove(filepath.Join(targets, e.Name())))
			names = append(names, e.Name())
		}
		return names
	}
	require.Equal(t, []string{"event", "normal", "perf"}, written(), "git alone does write")

	_, accepted, err := Risks(t.Context(), p.dir)
	require.NoError(t, err)
	tree, err := OpenTree(t.Context(), p.dir, func(string) bool { return false })
	require.NoError(t, err)
	tree.Repo.Accepted = accepted
	require.NoError(t, tree.Repo.Ready(t.Context()))
	_, err = tree.Snapshot(t.Context())
	require.NoError(t, err)
	p.write("new", "")
	_, err = tree.Repo.Commit(t.Context(), Change{There: []string{"new"}}, p.git("rev-parse", "HEAD"), "message", time.Minute, nil)
	require.NoError(t, err)
	_, err = tree.Repo.OpenWorktree(t.Context(), filepath.Join(t.TempDir(), "w"), "w", func(add func() error) error { return add() })
	require.NoError(t, err)
	assert.Empty(t, written())
}

// A file of settings that is too large to be searched is refused.
func TestLargeSettings(t *testing.T) {
	for _, name := range []string{".git/config", ".git/more"} {
		p := newRepo(t)
		p.git("config", "include.path", "more")
		p.write(name, "[core]\n"+strings.Repeat("#\n", maxSettings/2))
		_, _, err := Risks(t.Context(), p.dir)
		require.ErrorContains(t, err, name)
	}
}

// A rebase runs no command that a commit or a setting puts into its list, whatever encodes a line end.
func TestARebaseRunsNoCommands(t *testing.T) {
	for _, settings := range [][]string{
		{"rebase.instructionFormat", "%s%nexec touch ran"},
		{"i18n.logOutputEncoding", "CP856"},
		{"i18n.commitEncoding", "CP856"},
	} {
		p := newRepo(t)
		p.git("switch", "-qc", "side")
		p.write("s", "s\n")
		p.commit("z\u25d9exec touch ran")
		p.git("switch", "-q", "main")
		p.write("b", "b\n")
		p.commit("two")
		p.git("worktree", "add", "-q", "w", "side")
		p.git("config", settings[0], settings[1])
		w := &Worktree{&Repo{Top: filepath.Join(p.dir, "w")}, "side", "main"}
		require.NoError(t, update(t, w, true))
		assert.NoFileExists(t, filepath.Join(p.dir, "w", "ran"))
	}
}

// A rebase does not fetch commits of a submodule that has no files: its repository may be anybody's.
func TestARebaseFetchesNothingForASubmodule(t *testing.T) {
	for name, approved := range map[string]bool{"not a partial clone": false, "an approved partial clone": true} {
		t.Run(name, func(t *testing.T) { rebaseWithASubmodule(t, approved) })
	}
}

func rebaseWithASubmodule(t *testing.T, approved bool) {
	t.Helper()
	p := newRepo(t)
	link := func(digit string) {
		p.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat(digit, 40)+",sub")
		p.git("commit", "-qm", digit)
	}
	p.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ./x\n")
	p.git("add", ".gitmodules")
	link("1")
	p.git("switch", "-qc", "side")
	link("2")
	p.git("switch", "-q", "main")
	link("3")
	p.git("worktree", "add", "-q", "w", "side")
	var accepted []string
	if approved {
		p.git("config", "remote.origin.promisor", "true")
		var err error
		_, accepted, err = Risks(t.Context(), p.dir)
		require.NoError(t, err)
		require.Len(t, accepted, 1)
	}
	inner := filepath.Join(p.dir, ".git/worktrees/w/modules/sub")
	ran := filepath.Join(t.TempDir(), "ran")
	p.git("init", "-q", "--bare", inner)
	for key, value := range map[string]string{
		"core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
		"remote.origin.url": "ext::touch " + ran, "protocol.ext.allow": "always",
	} {
		p.git("--git-dir", inner, "config", key, value)
	}
	w := &Worktree{&Repo{Top: filepath.Join(p.dir, "w"), Accepted: accepted}, "side", "main"}
	require.Error(t, update(t, w, true))
	assert.NoFileExists(t, ran)
}

// The text of a setting says nothing about fetching: a path may contain anything.
func TestWhatMayBeFetched(t *testing.T) {
	p := newRepo(t)
	r, err := Open(t.Context(), p.dir)
	require.NoError(t, err)
	promisor := setting{"local", p.dir + "/a: b/.git/config", "remote.origin.promisor", "true"}
	assert.True(t, r.mayFetch([]setting{promisor}))
	assert.False(t, r.mayFetch([]setting{{"local", "/x: remote.y.promisor = /.git/config", "filter.x.clean", "cat"}}))
	require.NoError(t, os.Mkdir(filepath.Join(p.dir, ".git", "modules"), 0o755))
	assert.False(t, r.mayFetch([]setting{promisor}), "a submodule has settings of its own")
}

// Git LFS downloads nothing for files from a box; see git-lfs-smudge(1).
func TestOffline(t *testing.T) {
	for _, offline := range []bool{false, true} {
		p := newRepo(t)
		p.write(".gitattributes", "a.txt filter=x\n")
		p.commit("attributes")
		said := filepath.Join(t.TempDir(), "said")
		p.git("config", "filter.x.smudge", `echo "skip: $GIT_LFS_SKIP_SMUDGE" > '`+said+`'; cat`)
		_, accepted, err := Risks(t.Context(), p.dir)
		require.NoError(t, err)
		r := &Repo{Top: p.dir, Accepted: accepted}
		if offline {
			r.Box = markedBox{holds: true}
		}
		w, err := r.OpenWorktree(t.Context(), sideOf(p, "side"), "side", plainly)
		require.NoError(t, err)
		assert.Equal(t, r.Box, w.Box)
		text, err := os.ReadFile(said)
		require.NoError(t, err)
		want := "skip: \n"
		if offline {
			want = "skip: 1\n"
		}
		assert.Equal(t, want, string(text))
	}
}

// With NoFilters, git runs no filter of any setting, such as one of the user for a submodule only.
func TestNoFilters(t *testing.T) {
	lib, p := newRepo(t), newRepo(t)
	ran := filepath.Join(t.TempDir(), "ran")
	lib.write(".gitattributes", "* filter=x\n")
	lib.write("a.txt", "a\n")
	lib.commit("attributes")
	p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "sub")
	p.commit("submodule")
	p.write("sub/a.txt", "b\n")
	snapshot := func() (Snapshot, error) {
		r := &Repo{Top: p.dir, NoFilters: true}
		return r.linked(p.dir).Tree(p.dir, nothing).Snapshot(t.Context())
	}
	s, err := snapshot()
	require.NoError(t, err)
	assert.Contains(t, s.Files, "sub/a.txt")

	included := filepath.Join(t.TempDir(), "included")
	require.NoError(t, os.WriteFile(included, []byte("[filter \"x\"]\n\tclean = \": > '"+ran+"'; cat\"\n"), 0o600))
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "includeIf.gitdir:**/modules/sub.path")
	t.Setenv("GIT_CONFIG_VALUE_0", included)
	_, err = snapshot()
	_, is := errors.AsType[*Conflict](err)
	assert.True(t, is, "%v", err)
	assert.NoFileExists(t, ran)
	p.git("status", "--short")
	assert.FileExists(t, ran, "git itself runs it")
}
