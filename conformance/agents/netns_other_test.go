//go:build !linux

package agents

import (
	"errors"
	"os/exec"
)

func startIsolated(*exec.Cmd) error { return errors.ErrUnsupported }

func loopbackUp() error { return errors.ErrUnsupported }
