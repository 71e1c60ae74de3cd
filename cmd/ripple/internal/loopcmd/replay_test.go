package loopcmd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
)

// A log of very many lines that no loop has written (a million with RIPPLE_THOROUGH) is replayed with a few words, in little
// memory.
func TestManyBadLinesAreCounted(t *testing.T) {
	lines := testkit.Times(t, 100_000, 1_000_000)
	path := filepath.Join(t.TempDir(), "events.jsonl")
	long := `{"type":"turn_started","time":"` + strings.Repeat("x", 1<<20) + `"}` + "\n"
	text := `{"type":"text","text":"before"}` + "\n" + long + strings.Repeat("nonsense\n", lines) + `{"type":"text","text":"after"}` + "\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	for _, args := range [][]string{{path}, {path, "--turn", "1"}, {path, "--html", path + ".html"}} {
		var out, errs bytes.Buffer
		cmd := newReplay(ui.NewApp(strings.NewReader(""), &out, &errs, func(error) {}))
		cmd.SetArgs(args)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := cmd.ExecuteContext(t.Context())
		runtime.ReadMemStats(&after)
		if len(args) == 1 || args[1] != "--turn" {
			require.NoError(t, err)
		}
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20+lines*1000))
		assert.Contains(t, errs.String(), path+":2: skipped a line that is not an event of a loop: parsing time")
		assert.Contains(t, errs.String(), fmt.Sprintf("%s: skipped %d more lines that are not events of a loop\n", path, lines+1-mostSkipped))
		assert.Equal(t, mostSkipped+1, strings.Count(errs.String(), "\n"))
		assert.Less(t, errs.Len(), 4<<10)
		if len(args) == 1 {
			assert.Equal(t, "before\nafter\n", out.String())
		}
	}
}

// A turn that a record does not have is refused with those that it has.
func TestReplayNamesTheTurns(t *testing.T) {
	for _, tt := range []struct {
		name   string
		turns  []int
		turn   string
		err    string
		hinted string
	}{
		{"zero", []int{1, 2, 3}, "0", "--turn must be the number of a turn, at least 1, not 0", "has the turns 1 to 3\n"},
		{"negative", []int{1, 2, 3}, "-2", "at least 1, not -2", "has the turns 1 to 3\n"},
		{"too high", []int{4, 5}, "6", "has no turn 6", "has the turns 4 to 5\n"},
		{"removed", []int{4, 5}, "3", "has no turn 3", "has the turns 4 to 5\n"},
		{"one", []int{1}, "2", "has no turn 2", "has turn 1 only"},
		{"none", nil, "1", "has no turn 1", "has no turn"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "events.jsonl")
			text := `{"turn":0,"type":"run_started"}` + "\n"
			for _, n := range tt.turns {
				text += fmt.Sprintf(`{"turn":%d,"type":"turn_started"}`+"\n", n)
			}
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			var out, errs bytes.Buffer
			cmd := newReplay(ui.NewApp(strings.NewReader(""), &out, &errs, func(error) {}))
			cmd.SetArgs([]string{path, "--turn", tt.turn})
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(t.Context())
			require.ErrorContains(t, err, tt.err)
			e, is := errors.AsType[*ui.ExitError](err)
			require.True(t, is)
			assert.Equal(t, ui.ExitUsage, e.Code)
			assert.Contains(t, e.Hint, tt.hinted)
			assert.Empty(t, out.String())
		})
	}
}
