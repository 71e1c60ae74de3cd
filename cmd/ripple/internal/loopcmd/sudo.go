package loopcmd

import (
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/owner"
)

// refuseSudo refuses to write as root with plain sudo in another user's directory: the files that
// root would leave would block their owner from continuing.
func refuseSudo(getenv func(string) string) error {
	if name, through := owner.ThroughSudo(".", getenv); through {
		return ui.UsageError("run ripple without sudo; if the agent needs root for some commands, allow it to run these with sudo",
			"this directory belongs to %s, who could not use the files that root writes here", name)
	}
	return nil
}
