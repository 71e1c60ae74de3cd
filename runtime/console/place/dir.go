// Package place finds the files of a user's consoles, and claims the name of one to start.
package place

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"example.org/ripple/internal/owner"
)

// maxPath is the longest socket path that every system accepts, in bytes; sun_path has room for 104
// on macOS and for 108 on Linux.
const maxPath = 100

// dir returns the private directory of this user's consoles and creates it if it is missing. It is
// "ripple" in XDG_RUNTIME_DIR, else in /run/user/UID if the system has created that, else
// /tmp/ripple-UID, and if another user has created that, a directory next to that of State. An
// XDG_RUNTIME_DIR that is missing or belongs to another user, as su and sudo leave it, is ignored.
// TMPDIR is ignored, and whether XDG_RUNTIME_DIR is set to its usual value does not matter: AI
// clients start servers without these variables, and all processes have to find the same place.
//
// Errors: a directory that is not private to this user (0700) is refused.
func dir(getenv func(string) string) (string, error) {
	dir := runtimeDir(getenv("XDG_RUNTIME_DIR"), "/run/user")
	if base := stateBase(getenv); base != "" && ownedByOthers(dir) {
		dir = filepath.Join(base, "ripple", "run")
	}
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("the directory of consoles: %w; set XDG_RUNTIME_DIR to a directory of your own", err)
	}
	return dir, Private(dir, "XDG_RUNTIME_DIR")
}

// runtimeDir returns the directory of consoles for the value set of XDG_RUNTIME_DIR; system is
// where the system creates the users' directories.
func runtimeDir(set, system string) string {
	uid := strconv.Itoa(os.Getuid())
	info, err := os.Stat(set)
	switch own := filepath.Join(system, uid); {
	case filepath.IsAbs(set) && err == nil && owner.IsUs(info):
		return filepath.Join(set, "ripple")
	case Private(own, "") == nil:
		return filepath.Join(own, "ripple")
	}
	return filepath.Join("/tmp", "ripple-"+uid)
}

// ownedByOthers reports whether a path belongs to another user.
func ownedByOthers(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !owner.IsUs(info)
}

// Variables returns the environment variables that lead to other consoles than those of a program
// without them.
func Variables(getenv func(string) string) map[string]string {
	found := map[string]string{}
	if set := getenv("XDG_RUNTIME_DIR"); runtimeDir(set, "/run/user") != runtimeDir("", "/run/user") {
		found["XDG_RUNTIME_DIR"] = set
	}
	if set := getenv("XDG_STATE_HOME"); filepath.IsAbs(set) {
		found["XDG_STATE_HOME"] = set
	}
	return found
}

// Private refuses a directory that other users can read or write; variable is the environment
// variable that selects another one.
func Private(dir, variable string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: remove it, or set %s to a directory of your own", dir, variable)
	case !owner.IsUs(info):
		return fmt.Errorf("%s belongs to another user: set %s to a directory of your own", dir, variable)
	case info.Mode().Perm() != 0o700:
		return fmt.Errorf("%s is accessible to other users (mode %04o): check its contents, then chmod 700 %s", dir, info.Mode().Perm(), dir)
	}
	return nil
}

// nameBytes are the characters allowed in a name.
const nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

// CheckName returns an error that describes what is wrong with a console's name.
func CheckName(name string) error {
	switch {
	case name == "" || name[0] == '-' || name[0] == '.' || strings.Trim(name, nameBytes) != "":
		return &NameError{fmt.Sprintf("invalid console name %q: use letters, digits, '.', '_' and '-'; the first character must not be '.' or '-'", name)}
	case len(name) > 200:
		return &NameError{fmt.Sprintf("invalid console name: %d characters, the maximum is 200", len(name))}
	}
	return nil
}

// Files are the paths of one console.
type Files struct {
	Socket string
	Lock   string
	Record string // directory of its results
}

// Of returns the files of a console by its name; their directories are created and checked.
//
// Errors: ErrUnsupported, *NameError, those of Dir.
func Of(getenv func(string) string, name string) (Files, error) {
	if err := CheckName(name); err != nil {
		return Files{}, err
	}
	if !supported {
		return Files{}, ErrUnsupported
	}
	dir, err := dir(getenv)
	if err != nil {
		return Files{}, err
	}
	state, err := State(getenv)
	if err != nil {
		return Files{}, err
	}
	return filesOf(dir, state, name)
}

// ErrUnsupported reports that the system lacks features that consoles need.
var ErrUnsupported = errors.New("consoles need a Unix system")

// NameError describes an invalid name of a console.
type NameError struct{ what string }

func (e *NameError) Error() string { return e.what }

// filesOf returns the files of a console by its name. If its socket's path would be too long for
// the system, a hash replaces the name.
func filesOf(dir, state, name string) (Files, error) {
	base := name
	if len(filepath.Join(dir, base+".sock")) > maxPath {
		base = socketName(name)
	}
	f := Files{
		Socket: filepath.Join(dir, base+".sock"),
		Lock:   filepath.Join(dir, base+".lock"),
		Record: filepath.Join(state, name),
	}
	if len(f.Socket) > maxPath {
		return Files{}, fmt.Errorf("the path %s is too long for a socket (%d bytes, the limit is %d): set XDG_RUNTIME_DIR to a shorter one", f.Socket, len(f.Socket), maxPath)
	}
	return f, nil
}

// socketName returns the name of a socket, without its suffix, for a text that may be too long.
func socketName(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "h-" + hex.EncodeToString(sum[:8])
}

// State returns the directory of the consoles' results: "ripple/consoles" in XDG_STATE_HOME, else
// in ~/.local/state. If that belongs to another user, as with sudo -E, or is not writable, it is in
// the directory of the consoles, which belongs to this user.
func State(getenv func(string) string) (string, error) {
	if base := stateBase(getenv); base != "" {
		return filepath.Join(base, "ripple", "consoles"), nil
	}
	dir, err := dir(getenv)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "state", "consoles"), nil
}

// stateBase returns the directory in which this user's programs keep their state; "" if there is
// none.
func stateBase(getenv func(string) string) string {
	base := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		home, err := owner.Home(getenv)
		if err != nil {
			return ""
		}
		base = filepath.Join(home, ".local", "state")
	}
	if !owner.Ours(filepath.Join(base, "ripple", "consoles")) {
		return ""
	}
	return base
}
