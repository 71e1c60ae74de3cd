package proctree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// killing is how long Command's processes may take to die. They die at once unless the kernel holds one.
const killing = 2 * time.Second

// Command is exec.CommandContext for a program that is asked a short question: when ctx is done, the children that it
// has started are killed as well.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(syscall.Signal(0)); errors.Is(err, os.ErrProcessDone) {
			return err // its number may be another process's
		}
		limit, cancel := context.WithTimeout(context.Background(), killing)
		defer cancel()
		_ = New(cmd.Process.Pid, "").Kill(limit) // where trees are not known, only the program is killed
		_ = cmd.Process.Kill()                   // it may have ended
		return nil
	}
	return cmd
}
