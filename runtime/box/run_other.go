//go:build !linux

package box

import (
	"context"
	"errors"
	"io"
)

// Check returns an error: boxes need Linux.
func Check() error { return &Missing{What: "boxes need Linux and bubblewrap"} }

// HasRepository returns false.
func HasRepository(string) bool { return false }

// Run returns the error of Check.
func Run(context.Context, Command) (int, error) { return 0, Check() }

// Inside returns errors.ErrUnsupported.
func Inside([]string, io.Reader, io.Writer, io.Writer) (int, error) { return 0, errors.ErrUnsupported }

// Box starts several programs with one policy.
type Box struct{}

// Open returns the error of Check.
func Open(Options) (*Box, error) { return nil, Check() }

// Close does nothing.
func (*Box) Close() {}

// With returns the box.
func (b *Box) With(_, _ []string) *Box { return b }

// Denials returns nothing.
func (*Box) Denials() []Denial { return nil }

// Holds returns false.
func (*Box) Holds(string) bool { return false }

// Writable returns an empty string.
func (*Box) Writable(string) string { return "" }

// Environ returns nothing.
func (*Box) Environ([]string, ...string) []string { return nil }

// Wrap returns the error of Check.
func (*Box) Wrap(_, _ []string, _ string, _, _ []string) ([]string, error) { return nil, Check() }

// Enter returns errors.ErrUnsupported.
func Enter([]string) error { return errors.ErrUnsupported }
