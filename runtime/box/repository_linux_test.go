package box

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ripple and git agree on which directories .git are repositories.
func TestHasRepository(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	base := t.TempDir()
	run := func(dir, script string) error {
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + base, "GIT_CEILING_DIRECTORIES=" + base, "git=" + git}
		return cmd.Run()
	}
	for _, script := range []string{
		":",
		"rm .git/HEAD",
		"mv .git/HEAD .git/H; ln -s H .git/HEAD",
		"mv .git/HEAD .git/H; ln -s ./refs/heads/main .git/HEAD",
		"rm .git/HEAD; ln -s refs/heads/main .git/HEAD",
		"rm .git/HEAD; ln -s refs/none .git/HEAD",
		`printf 'ref:\302\240refs/heads/main\n' >.git/HEAD`,
		`printf 'ref:\frefs/heads/main\n' >.git/HEAD`,
		`printf 'ref: \t\r\nrefs/heads/main' >.git/HEAD`,
		`printf ' ref: refs/heads/main' >.git/HEAD`,
		"printf 'ref:%260srefs/heads/main' '' >.git/HEAD",
		"printf 'ref:%200srefs/heads/main' '' >.git/HEAD",
		"printf 'ref: x/heads/main' >.git/HEAD",
		"printf '%040d' 1 >.git/HEAD",
		"printf ' %040d' 1 >.git/HEAD",
		"printf '%039dx' 1 >.git/HEAD",
		"printf '%040d x' 1 >.git/HEAD",
		"printf '%039d' 1 >.git/HEAD",
		": >.git/HEAD",
		"printf 'ref: refs/heads/main%5000s' >.git/HEAD",
		"printf '%040d%5000s' 1 >.git/HEAD",
		"chmod 000 .git/HEAD",
		"chmod 600 .git/objects",
		"chmod 600 .git/refs",
		"rm -r .git/objects",
		"rm -r .git/refs",
		"mv .git/refs .git/r; ln -s r .git/refs",
		"rm -r .git/refs; ln -s none .git/refs",
		"rm -r .git/refs; echo >.git/refs",
		"rm -r .git/refs; echo >.git/refs; chmod +x .git/refs",
		"rm -r .git/objects; echo >.git/objects; chmod +x .git/objects",
	} {
		dir := t.TempDir()
		require.NoError(t, run(dir, `"$git" init -q . && `+script), script)
		assert.Equal(t, run(dir, `"$git" rev-parse --git-dir`) == nil, HasRepository(dir), script)
		require.NoError(t, run(dir, "chmod -R u+rwx .git"))
	}
}
