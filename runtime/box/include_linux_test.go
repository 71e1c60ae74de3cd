package box

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/internal/projectfile"
)

// Settings that cannot be read are an error, which has the reason, and not settings without includes.
func TestSettingsThatCannotBeRead(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	tree, file := filepath.Join(base, "tree"), filepath.Join(base, "config")
	require.NoError(t, os.Mkdir(tree, 0o755))
	require.NoError(t, unix.Mkfifo(filepath.Join(tree, "pipe"), 0o644))
	p := &Policy{Dir: tree, Home: base}
	many := ""
	for i := range maxSettings + 1 {
		name := fmt.Sprintf("f%d", i)
		require.NoError(t, os.WriteFile(filepath.Join(base, name), nil, 0o644))
		many += "[include]\npath = " + name + "\n"
	}
	t.Setenv("GIT_CONFIG_GLOBAL", file) // which git must not read for itself: it would wait for the pipe
	for text, want := range map[string]string{
		"[include]\npath = tree/pipe\n":            "pipe",
		"[include\n":                               "bad config line 1",
		"[include]\npath = ~nobody-of-this-name/x": "nobody-of-this-name",
		many: "more than 100 files",
		"#" + string(make([]byte, projectfile.MaxText)): "is larger than",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		err := layout{}.keepSettings(p, file)
		assert.ErrorIs(t, err, ErrPolicy)
		assert.ErrorContains(t, err, want)
	}
	require.NoError(t, os.WriteFile(file, []byte("[include]\npath = none\npath = ~/f0\n"), 0o644))
	for _, file := range []string{file, os.DevNull, filepath.Join(base, "none"), filepath.Join(file, "below")} {
		assert.NoError(t, layout{}.keepSettings(p, file))
	}
}

// A program that the box can write, or reaches through a link that it can replace, is not run outside of the box.
func TestFindSkipsWhatTheBoxCanWrite(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(base, name) }
	for _, dir := range []string{"tree/bin", "write", "other", "linked", "chain"} {
		require.NoError(t, os.MkdirAll(at(dir), 0o755))
	}
	for _, file := range []string{"tree/bin/git", "write/git", "other/git"} {
		require.NoError(t, os.WriteFile(at(file), nil, 0o755))
	}
	require.NoError(t, os.Symlink(at("tree/bin/git"), at("linked/git")))
	require.NoError(t, os.Symlink("../tree/git", at("chain/git")))
	require.NoError(t, os.Symlink("../other/git", at("tree/git")))
	p := Policy{Dir: at("tree"), Write: []string{at("write")}}
	assert.Empty(t, p.find("git", []string{"", ".", at("none"), at("tree/bin"), at("tree"), at("write"), at("linked"), at("chain")}))
	assert.Equal(t, at("other/git"), p.find("git", []string{at("tree/bin"), at("other")}))
}

// The user's settings are protected if the working tree has them, as that of a repository of dotfiles.
func TestUserSettingsInTheWorkingTree(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	tree := filepath.Join(base, "tree")
	p := &Policy{Dir: tree, Home: filepath.Join(base, "home")}
	for _, dir := range []string{tree + "/git", p.Home} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	for _, file := range []string{"a", "b", "git/config"} {
		require.NoError(t, os.WriteFile(filepath.Join(tree, file), nil, 0o644))
	}
	require.NoError(t, os.Symlink("a", tree+"/link"))
	for _, tt := range []struct{ variable, value, link, kept, refused string }{
		{link: "a", kept: "a"},
		{link: "link", refused: "is a symbolic link"},
		{link: "none", refused: "no such file"},
		{variable: "GIT_CONFIG_GLOBAL", value: tree + "/b", kept: "b"},
		{variable: "GIT_CONFIG_SYSTEM", value: tree + "/b", kept: "b"},
		{variable: "GIT_CONFIG_GLOBAL", value: tree + "/none", refused: "no such file"},
		{variable: "XDG_CONFIG_HOME", value: tree, kept: "git/config"},
	} {
		t.Run(tt.variable+tt.link, func(t *testing.T) {
			for _, name := range []string{"XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
				t.Setenv(name, "")
			}
			if tt.variable != "" {
				t.Setenv(tt.variable, tt.value)
			}
			os.Remove(p.Home + "/.gitconfig")
			if tt.link != "" {
				require.NoError(t, os.Symlink("../tree/"+tt.link, p.Home+"/.gitconfig"))
			}
			l := layout{}
			err := l.keepSettings(p, p.userSettings()...)
			if tt.refused != "" {
				assert.ErrorIs(t, err, ErrPolicy)
				assert.ErrorContains(t, err, tt.refused)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "ro-bind", l[filepath.Join(tree, tt.kept)].how)
		})
	}
}
