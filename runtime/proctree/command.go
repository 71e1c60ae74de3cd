package proctree

import (
	"context"
	"os/exec"
	"time"
)

// killing is how long Command's processes may take to die. They die at once unless the kernel holds one.
const killing = 2 * time.Second

// Command is exec.CommandContext for a program that is asked a short question: when ctx is done, the children that it
// has started are killed as well.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error {
		limit, cancel := context.WithTimeout(context.Background(), killing)
		defer cancel()
		if err := New(cmd.Process.Pid, "").Kill(limit); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	return cmd
}
