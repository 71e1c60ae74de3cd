package contract

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program in its own session, and its child, are found while they live.
func TestProcesses(t *testing.T) {
	cmd := exec.Command("sh", "-c", "cat; :") // sh waits for cat, which waits for its input
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = in.Write([]byte("x")) // its echo shows that cat runs
	require.NoError(t, err)
	_, err = out.Read(make([]byte, 1))
	require.NoError(t, err)

	members := membersOf(cmd.Process.Pid)
	assert.Len(t, members, 2)
	assert.Len(t, stillThere(members, cmd.Process.Pid), 2)
	assert.Len(t, stillThere(nil, cmd.Process.Pid), 2, "new ones in its session")
	assert.Len(t, stillThere(members, 1<<30), 2, "members that left its session")

	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	assert.Empty(t, stillThere(members, cmd.Process.Pid))
}

func TestProcessWithABadName(t *testing.T) {
	self, ok := readProcess(os.Getpid())
	require.True(t, ok)
	assert.Equal(t, os.Getppid(), self.parent)
	_, ok = readProcess(0)
	assert.False(t, ok)
}

func TestOpenDescriptors(t *testing.T) {
	before := openDescriptors()
	f, err := os.Open("/dev/null")
	require.NoError(t, err)
	assert.Equal(t, before+1, openDescriptors())
	require.NoError(t, f.Close())
}

// A daemon is recognized by its environment, because its session is unknown.
func TestChildrenAreRecognizedByEnvironment(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("cat")
	cmd.Env = []string{"HOME=" + dir + "/home"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = in.Write([]byte("x")) // its echo shows that cat runs: until then the kernel may show no environment
	require.NoError(t, err)
	_, err = out.Read(make([]byte, 1))
	require.NoError(t, err)
	assert.Equal(t, 1, childrenWith(dir))
	assert.Zero(t, childrenWith(t.TempDir()), "those of others do not count")
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	assert.Zero(t, childrenWith(dir))
}
