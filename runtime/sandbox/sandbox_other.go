//go:build !linux

package sandbox

import "fmt"

// Check returns ErrUnavailable.
func Check(string) (Enforced, error) {
	return Enforced{}, fmt.Errorf("%w: it needs Linux, with Landlock", ErrUnavailable)
}

// Exec returns ErrUnavailable.
func Exec(_, _ string, _ []string) error {
	_, err := Check("")
	return err
}
