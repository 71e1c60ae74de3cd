//go:build !unix

package contract

import (
	"errors"
	"syscall"
)

const askToEnd = syscall.SIGTERM

func serverProcess(bool) *syscall.SysProcAttr { return nil }

// ownDirectory is not supported: programs do not run on terminals on this system, so nothing needs
// a server.
func ownDirectory(string, bool) (string, error) { return "", errors.ErrUnsupported }
