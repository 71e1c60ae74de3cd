//go:build !unix

package proctree

import (
	"context"
	"syscall"
)

// Members returns nil: processes are unknown on this system.
func (t *Tree) Members() []Process { return nil }

// Signal returns ErrUnsupported on this system.
func (t *Tree) Signal(syscall.Signal) error { return ErrUnsupported }

// Wait returns ErrUnsupported on this system.
func (t *Tree) Wait(context.Context) error { return ErrUnsupported }
