package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The build information comes from the checkout, and otherwise from linker flags.
func TestBuildOf(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260102030405-0123456789ab"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"},
		{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"},
		{Key: "vcs.modified", Value: "true"},
	}}
	b := buildOf(info)
	assert.Equal(t, "v0.0.0-20260102030405-0123456789ab", b.Version)
	assert.Equal(t, "commit 0123456789abcdef with changes\ndate 2026-01-02T03:04:05Z\n", b.origin())

	b = buildOf(&debug.BuildInfo{})
	assert.Equal(t, "(devel)", b.Version)
	assert.Empty(t, b.origin(), "unknown values are omitted")

	releaseVersion, releaseCommit, releaseDate = "v1.2.3", "abc", "2026-05-06T07:08:09Z"
	t.Cleanup(func() { releaseVersion, releaseCommit, releaseDate = "", "", "" })
	b = buildOf(info)
	assert.Equal(t, "v1.2.3", b.Version)
	assert.Equal(t, "commit abc with changes\ndate 2026-05-06T07:08:09Z\n", b.origin())
}

// The linker ignores -X for a name that is not a string variable without a value. A release sets every
// variable that is meant for it.
func TestReleaseSetsVariables(t *testing.T) {
	const prefix = "release"
	config, err := os.ReadFile(filepath.Join("..", "..", ".goreleaser.yaml"))
	require.NoError(t, err)
	set := map[string]bool{}
	for _, m := range regexp.MustCompile(`-X ['"]?main\.(\w+)=`).FindAllStringSubmatch(string(config), -1) {
		set[m[1]] = true
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	declared := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				text, ok := v.Type.(*ast.Ident)
				for _, name := range v.Names {
					if ok && text.Name == "string" && len(v.Values) == 0 && strings.HasPrefix(name.Name, prefix) {
						declared[name.Name] = true
					}
				}
			}
		}
	}
	assert.NotEmpty(t, declared)
	assert.Equal(t, declared, set, "the variables of package main whose names begin with %s, and those that .goreleaser.yaml sets by -X", prefix)
}
