package place

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A console may have the sizes to which it can be changed; 0 is the adapter's.
func TestCheckOfTheSize(t *testing.T) {
	home := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home, "XDG_RUNTIME_DIR": home}[name] }
	for _, s := range []Spec{{}, {Cols: 20}, {Rows: 5}, {Cols: 1000, Rows: 1000}} {
		s.Name = "a"
		assert.NoError(t, s.Check(getenv), s)
	}
	for _, s := range []Spec{{Cols: 19}, {Rows: 4}, {Cols: -1}, {Cols: 80, Rows: 1001}, {Cols: 70000}} {
		s.Name = "a"
		var size *SizeError
		require.ErrorAs(t, s.Check(getenv), &size, s)
		assert.Contains(t, size.Error(), "the minimum is 20 by 5, the maximum 1000 by 1000")
	}
}
