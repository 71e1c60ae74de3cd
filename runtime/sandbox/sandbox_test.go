package sandbox

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The message lists only what this version of the kernel's interface has.
func TestEnforcedBy(t *testing.T) {
	for abi, refused := range map[int]int{3: 1, 4: 2, 5: 3, 6: 4, 7: 4, 8: 4, 9: 5, 10: 6} {
		e, err := enforcedBy(abi, "/w")
		require.NoError(t, err)
		assert.Len(t, e.Refused, refused, "ABI %d", abi)
		assert.Len(t, e.NotCovered, len(coverage)+len(never)-refused, "ABI %d", abi)
		assert.Equal(t, e.ABI, abi)
	}
	for _, abi := range []int{-1, 0, 1, 2} {
		_, err := enforcedBy(abi, "/w")
		assert.ErrorIs(t, err, ErrUnavailable, "files elsewhere could be emptied")
	}
	e, err := enforcedBy(4, "/w")
	require.NoError(t, err)
	assert.Equal(t, "writes only below /w and its own TMPDIR; refused: writing, making, renaming and removing files elsewhere, TCP; "+
		"not covered: ioctl on devices and other terminals, signals and abstract sockets to processes outside, Unix sockets of processes outside, UDP, "+
		"reading and running files, changing modes, owners and times of files, Multipath TCP (Landlock ABI 4)", e.String())
}
