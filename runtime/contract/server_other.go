//go:build !unix

package contract

import (
	"errors"
	"syscall"
)

const askToEnd = syscall.SIGTERM

func serverProcess(bool) *syscall.SysProcAttr { return nil }

// ownDirectory: programs are not run on terminals here yet, so nothing needs a server.
func ownDirectory(string, bool) (string, error) { return "", errors.ErrUnsupported }
