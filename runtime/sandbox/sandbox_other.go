//go:build !linux

package sandbox

import "fmt"

// Check says that there is none.
func Check(string) (Enforced, error) {
	return Enforced{}, fmt.Errorf("%w: it needs Linux, with Landlock", ErrUnavailable)
}

// Exec says that there is none.
func Exec(_, _ string, _ []string) error {
	_, err := Check("")
	return err
}
