package owner

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
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

// ListedHomes returns the home directories in the system's list of users: that of this process's user, whatever $HOME is, and, if
// that is root, that of the user who called sudo(8). Users who are not in the list have none.
func ListedHomes() (homes []string) {
	ids := []string{strconv.Itoa(os.Getuid())}
	if caller := os.Getenv("SUDO_UID"); caller != "" && os.Getuid() == 0 {
		ids = append(ids, caller)
	}
	for _, id := range ids {
		if u, err := user.LookupId(id); err == nil && filepath.IsAbs(u.HomeDir) {
			homes = append(homes, filepath.Clean(u.HomeDir))
		}
	}
	return homes
}
