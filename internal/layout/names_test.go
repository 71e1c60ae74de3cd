package layout

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNamesOfThePlan(t *testing.T) {
	for _, tt := range []struct {
		what  string
		in    string // the agent's directory, relative to the project
		files []string
		want  string
		two   bool
	}{
		{"none", "", nil, PlanFile, false},
		{"the one with the @", "", []string{PlanFile}, PlanFile, false},
		{"the one without", "", []string{BarePlanFile}, BarePlanFile, false},
		{"both", "", []string{PlanFile, BarePlanFile}, PlanFile, true},
		{"of a working tree, the one without", Worktree("w"), []string{PlanFile, "w-worktree/.ralph/" + BarePlanFile}, "w-worktree/.ralph/" + BarePlanFile, false},
		{"of a working tree, both", Worktree("w"), []string{"w-worktree/.ralph/" + PlanFile, "w-worktree/.ralph/" + BarePlanFile}, "w-worktree/.ralph/" + PlanFile, false},
		{"of the project, for a working tree", Worktree("w"), []string{BarePlanFile}, BarePlanFile, false},
	} {
		project := t.TempDir()
		for _, name := range tt.files {
			path := filepath.Join(project, Dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		}
		assert.Equal(t, tt.want, PlanIn(project, filepath.Join(project, tt.in)), tt.what)
		assert.Equal(t, tt.two, TwoPlans(Files(project)), tt.what)
	}
	assert.Equal(t, PromptFile, NameIn(Files(t.TempDir()), PromptFile))
}
