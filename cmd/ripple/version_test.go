package main

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
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
