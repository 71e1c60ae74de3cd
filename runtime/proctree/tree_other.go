//go:build !unix

package proctree

import (
	"context"
	"syscall"
)

// Members is unknown here.
func (t *Tree) Members() []Process { return nil }

// Signal reaches nobody here.
func (t *Tree) Signal(syscall.Signal) error { return ErrUnsupported }

// Wait has nothing to wait for here.
func (t *Tree) Wait(context.Context) error { return ErrUnsupported }
