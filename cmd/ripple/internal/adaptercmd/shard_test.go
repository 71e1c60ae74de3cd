package adaptercmd

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/registry"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]shard{"": {}, "1/1": {1, 1}, "2/3": {2, 3}} {
		got, err := parseShard(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"1", "0/2", "3/2", "a/2", "1/b", "-1/2", "1/2/3", "/", "1/"} {
		_, err := parseShard(text)
		assert.ErrorContains(t, err, "--shard must be I/N", text)
	}
}

// All shards together contain each adapter once, regardless of their number and the order of the
// adapters, and have about the same amount of work.
func TestShards(t *testing.T) {
	r, err := registry.Open(registry.DefaultSources(func(string) string { return "" }, ""))
	require.NoError(t, err)
	all := r.List()
	require.Greater(t, len(all), 40)
	for _, n := range []int{1, 2, 3, 7, len(all), len(all) + 3} {
		var together []*registry.Entry
		var tests []int
		reversed := slices.Clone(all)
		slices.Reverse(reversed)
		for i := range n {
			part := shard{i + 1, n}.part(all)
			assert.ElementsMatch(t, part, shard{i + 1, n}.part(reversed))
			together = append(together, part...)
			size := 0
			for _, e := range part {
				size += len(contract.ListTests(e.Adapter, contract.Options{}))
			}
			tests = append(tests, size)
		}
		assert.ElementsMatch(t, all, together)
		if n <= 7 {
			assert.LessOrEqual(t, slices.Max(tests)-slices.Min(tests), 40, "one adapter more or less")
		}
	}
	assert.Equal(t, all, shard{}.part(all))
	assert.Empty(t, shard{2, 3}.part(nil))
}
