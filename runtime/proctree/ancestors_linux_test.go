package proctree

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func pids(list []Process) (ids []int) {
	for _, p := range list {
		ids = append(ids, p.PID)
	}
	return ids
}

// A process that changed its session and whose parent has ended descends from the guarded process
// that started its parent.
func TestAncestorsOfAnOrphan(t *testing.T) {
	const orphaned = `exec 3<&0; (setsid sh -c 'until grep -q reaper /proc/$(cut -d " " -f 4 /proc/$$/stat)/comm; do :; done; echo $$; read x <&3' &); read x`
	cmd, inner, out := startGuarded(t, orphaned)
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	orphan, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	found := Ancestors(orphan)
	assert.Contains(t, pids(found), inner)
	assert.Contains(t, pids(found), cmd.Process.Pid)
	assert.Contains(t, pids(found), os.Getpid())
	assert.NotContains(t, pids(found), orphan)
	for _, p := range found {
		if p.PID == inner {
			value, ok := p.InitialEnv("GUARDED_SCRIPT")
			assert.True(t, ok)
			assert.Equal(t, orphaned, value)
			dir, err := os.Getwd()
			require.NoError(t, err)
			assert.Equal(t, dir, p.Directory())
		}
	}
	withoutLists(t)
	assert.Contains(t, pids(Ancestors(orphan)), inner, "without the kernel's lists of children")
	assert.NotContains(t, pids(Ancestors(os.Getpid())), inner, "a process does not descend from its children")
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // the signal
	reapAll(t)
}

// A process whose parent has ended, and which another process has adopted, is traced by the leader of its
// session.
func TestAncestorsByTheSession(t *testing.T) {
	d := duration(320)
	cmd, _ := leader(t, "(sleep "+d+" &); echo up; exec sleep "+d)
	t.Cleanup(func() { assert.NoError(t, killDescendants()); reapAll(t) })
	var orphan entry
	waitFor(t, func() bool {
		for pid, e := range first(scan()) {
			if e.sess == cmd.Process.Pid && pid != e.sess && e.parent != e.sess && e.Name == "sleep" {
				orphan = e
			}
		}
		return orphan.PID != 0
	})
	assert.Contains(t, pids(Ancestors(orphan.PID)), cmd.Process.Pid)
	assert.Empty(t, Ancestors(1<<30))
}

func TestALaterProcessWithTheSameIDIsAnother(t *testing.T) {
	self, ok := Find(os.Getpid())
	require.True(t, ok)
	_, ok = self.InitialEnv("PATH")
	assert.True(t, ok)
	self.Start++
	_, ok = self.InitialEnv("PATH")
	assert.False(t, ok)
	assert.Empty(t, self.Directory())
}
