package owner

import (
	"os/user"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHome(t *testing.T) {
	u, err := user.Current()
	require.NoError(t, err)
	for home, want := range map[string]string{"/a/b": "/a/b", "": u.HomeDir, "relative": u.HomeDir} {
		got, err := Home(func(string) string { return home })
		require.NoError(t, err)
		assert.Equal(t, want, got, home)
	}
}
