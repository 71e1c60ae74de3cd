package owner

import (
	"fmt"
	"os/user"
	"path/filepath"
)

// Home returns the home directory of this process's user: $HOME if it is an absolute path, else the
// one in the system's list of users, as for a service that has no environment.
func Home(getenv func(string) string) (string, error) {
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return home, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("HOME is not an absolute path: %w", err)
	}
	if !filepath.IsAbs(u.HomeDir) {
		return "", fmt.Errorf("HOME is not an absolute path, and the user %s has no home directory", u.Username)
	}
	return u.HomeDir, nil
}
