//go:build !linux && !darwin

package pty

import (
	"os"
	"syscall"
	"time"
)

// device has no implementation on this system: Start never returns one.
type device struct{}

func (*device) dropInput() error { return os.ErrClosed }

func watchReads(string) (*ReadWatch, error) { return nil, ErrUnsupported }

func (*ReadWatch) seen() bool { return false }

func (*ReadWatch) close() error { return nil }

// Modes are a terminal's input and output modes.
type Modes struct{}

// Echoes returns false: modes are unknown on this system.
func (*Modes) Echoes() bool { return false }

func (*Modes) EchoesErasing() bool { return false }

// Signals returns false: modes are unknown on this system.
func (*Modes) Signals() bool { return false }

// Flow returns false: modes are unknown on this system.
func (*Modes) Flow(byte) bool { return false }

// Resumes returns false: modes are unknown on this system.
func (*Modes) Resumes(byte) bool { return false }

// Canonical returns false: modes are unknown on this system.
func (*Modes) Canonical() bool { return false }

// Acts returns false: modes are unknown on this system.
func (*Modes) Acts(byte) bool { return false }

// Shown returns text.
func (*Modes) Shown(text []byte) []byte { return text }

// Line is the result of input to a terminal that edits lines.
type Line struct{}

// Bytes returns nil on this system.
func (*Line) Bytes() []byte { return nil }

// Drop does nothing.
func (*Line) Drop() {}

// Edit does nothing.
func (*Modes) Edit(*Line, []byte) {}

// Echo returns nil on this system.
func (*Modes) Echo([]byte) []byte { return nil }

func startDevice(Command) (*device, *os.Process, error) { return nil, nil, ErrUnsupported }

func (*device) read([]byte) (int, error)              { return 0, ErrUnsupported }
func (*device) write([]byte) (int, error)             { return 0, ErrUnsupported }
func (*device) waitWritable(time.Time) error          { return ErrUnsupported }
func (*device) setReadDeadline(time.Time) error       { return ErrUnsupported }
func (*device) resize(Size) error                     { return ErrUnsupported }
func (*device) size() Size                            { return Size{} }
func (*device) foreground() (int, error)              { return 0, ErrUnsupported }
func (*device) modes() (Modes, error)                 { return Modes{}, ErrUnsupported }
func (*device) modesChanged() bool                    { return false }
func (*device) cook() (func(), error)                 { return nil, ErrUnsupported }
func (*device) restoreModes() error                   { return ErrUnsupported }
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
