// Package sandbox restricts a program and its descendants to writing below one directory, using
// Landlock (https://docs.kernel.org/userspace-api/landlock.html).
//
// Check says what this system would enforce. Exec restricts the process that calls it
// and then becomes the program: it is called in a process of its own, so that
// nothing else is restricted.
package sandbox

import (
	"errors"
	"fmt"
	"strings"
)

// Enforced describes what the kernel denies a program, and what it does not.
type Enforced struct {
	ABI int `json:"landlock_abi"` // version of the kernel's interface
	// Dir is where the program may write, besides TMPDIR, a directory of its own.
	Dir        string   `json:"dir"`
	Refused    []string `json:"refused"`
	NotCovered []string `json:"not_covered"`
}

// String is one line for people and models.
func (e Enforced) String() string {
	return fmt.Sprintf("writes only below %s and its own TMPDIR; refused: %s; not covered: %s (Landlock ABI %d)",
		e.Dir, strings.Join(e.Refused, ", "), strings.Join(e.NotCovered, ", "), e.ABI)
}

// ErrUnavailable is a system that cannot enforce it.
var ErrUnavailable = errors.New("no sandbox is possible here")

// leastABI is the first that keeps truncate(2) from emptying files (Linux 6.2).
const leastABI = 3

// coverage is what the kernel refuses from a version of Landlock on.
var coverage = []struct {
	abi  int
	what string
}{
	{leastABI, "writing, making, renaming and removing files elsewhere"},
	{4, "TCP"},
	{5, "ioctl on devices and other terminals"},
	{6, "signals and abstract sockets to processes outside"},
	{9, "Unix sockets of processes outside"},
	{10, "UDP"},
}

// never is what no version refuses that Exec makes use of.
var never = []string{"reading and running files", "changing modes, owners and times of files", "Multipath TCP"}

// enforcedBy is what a version of Landlock enforces.
func enforcedBy(abi int, dir string) (Enforced, error) {
	if abi < leastABI {
		return Enforced{}, fmt.Errorf("%w: the kernel's Landlock has ABI %d, which cannot keep a program from truncating files; ABI %d can (Linux 6.2)", ErrUnavailable, abi, leastABI)
	}
	e := Enforced{ABI: abi, Dir: dir}
	for _, c := range coverage {
		if abi >= c.abi {
			e.Refused = append(e.Refused, c.what)
		} else {
			e.NotCovered = append(e.NotCovered, c.what)
		}
	}
	e.NotCovered = append(e.NotCovered, never...)
	return e, nil
}
