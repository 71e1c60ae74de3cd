package fault_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/internal/fault"
)

func TestCatch(t *testing.T) {
	ran := false
	assert.Nil(t, fault.Catch("adding", nil, func() { ran = true }))
	assert.True(t, ran)
	b := []byte("\x1b[1m")
	caught := fault.Catch("adding", b, func() { panic("broken") })
	require.NotNil(t, caught)
	b[0] = 'x'
	assert.Equal(t, "\x1b[1m", string(caught.Bytes))
	assert.Contains(t, caught.Stack, "TestCatch")
	assert.EqualError(t, caught, "internal error (panic) while adding: broken")
}

// The reports are private, and their number is bounded.
func TestReports(t *testing.T) {
	r := fault.Reports{Dir: t.TempDir()}
	f := *fault.Catch("adding", []byte("\x1b[1m"), func() { panic("broken") })
	for i := range 7 {
		notice := r.Keep(f, "a line is shown as it came")
		sentence, name, named := strings.Cut(notice, "; please report it with ")
		assert.Equal(t, "internal error (panic) while adding: a line is shown as it came", sentence)
		require.Equal(t, i < 5, named)
		if !named {
			continue
		}
		report, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Contains(t, string(report), `"\x1b[1m"`)
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	r = fault.Reports{Dir: filepath.Join(t.TempDir(), "none")}
	assert.Contains(t, r.Keep(f, "x"), "the report could not be written")
}

// A fault of code that handles typed keys has nothing of them.
func TestCatchTyped(t *testing.T) {
	assert.Nil(t, fault.CatchTyped("typing", func() {}))
	for name, fails := range map[string]func(string){
		"a value of type string":               func(secret string) { panic("cannot type " + secret) },
		"index out of range [9] with length 7": func(secret string) { _ = secret[len(secret)+2] },
	} {
		caught := fault.CatchTyped("typing", func() { fails("hunter2") })
		require.NotNil(t, caught)
		report := caught.Report()
		assert.Contains(t, report, name)
		assert.Contains(t, report, "TestCatchTyped")
		assert.NotContains(t, report, "hunter2")
		assert.NotContains(t, report, "(0x")
		assert.NotContains(t, report, "{0x")
	}
}
