package ui

import "example.org/ripple/internal/owner"

// RefuseSudo refuses to write as root with plain sudo in another user's directory: the files that
// root would leave would block their owner from continuing.
func (a *App) RefuseSudo(dir string) error {
	if name, through := owner.ThroughSudo(dir, a.Getenv); through {
		return UsageError("run ripple without sudo; if the agent needs root for some commands, allow it to run these with sudo",
			"this directory belongs to %s, who could not use the files that root writes here", name)
	}
	return nil
}
