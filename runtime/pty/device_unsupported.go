//go:build !linux && !darwin

package pty

import (
	"os"
	"syscall"
	"time"
)

// device has no implementation here: start never returns one.
type device struct{}

// Modes are what a terminal does with input and output.
type Modes struct{}

// Echoes is unknown here.
func (*Modes) Echoes() bool { return false }

// Canonical is unknown here.
func (*Modes) Canonical() bool { return false }

// Shown is the text itself.
func (*Modes) Shown(text []byte) []byte { return text }

// Line is what a terminal that edits lines has made of input.
type Line struct{}

// Bytes are none here.
func (*Line) Bytes() []byte { return nil }

// Drop does nothing.
func (*Line) Drop() {}

// Edit does nothing.
func (*Modes) Edit(*Line, []byte) {}

// Echo is nothing.
func (*Modes) Echo([]byte) []byte { return nil }

func start(Command) (*device, *os.Process, error) { return nil, nil, ErrUnsupported }

func (*device) read([]byte) (int, error)              { return 0, ErrUnsupported }
func (*device) write([]byte) (int, error)             { return 0, ErrUnsupported }
func (*device) waitWritable(time.Time) error          { return ErrUnsupported }
func (*device) setReadDeadline(time.Time) error       { return ErrUnsupported }
func (*device) resize(Size) error                     { return ErrUnsupported }
func (*device) size() Size                            { return Size{} }
func (*device) foreground() (int, error)              { return 0, ErrUnsupported }
func (*device) modes() (Modes, error)                 { return Modes{}, ErrUnsupported }
func (*device) cook() (func(), error)                 { return nil, ErrUnsupported }
func (*device) signalForeground(syscall.Signal) error { return ErrUnsupported }
func (*device) readable(int64) bool                   { return false }
func (*device) interrupts() bool                      { return false }
func (*device) close() error                          { return ErrUnsupported }
func (*device) path() string                          { return "" }

func (*PTY) readiness() Readiness { return Readiness{} }

func (*PTY) waitID() uint64 { return 0 }

func (*PTY) holds(int) bool { return true }

func (*PTY) has(int) bool { return true }

func awaitExit(int)                             {}
func killGroup(int, syscall.Signal) error       { return ErrUnsupported }
func exitStatus(*os.ProcessState) (int, string) { return -1, "" }
