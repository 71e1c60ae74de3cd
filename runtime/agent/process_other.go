//go:build !unix

package agent

import (
	"os"
	"syscall"
)

func ownSession() *syscall.SysProcAttr { return nil }

func signalOf(*os.ProcessState) string { return "" }
