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
)

// maxPath is the longest path of a socket that every system takes, in bytes;
// sun_path has room for 104 on macOS and for 108 on Linux.
const maxPath = 100

// Dir is the private directory of this user's consoles: "ripple" below
// XDG_RUNTIME_DIR, else below /run/user/UID where the system has made that, else
// /tmp/ripple-UID. It is made if it is missing. TMPDIR does not count, nor does it matter
// whether XDG_RUNTIME_DIR is told where it is as usual: AI clients start servers without them,
// and everybody has to come to the same place.
//
// Errors: one that is not a directory of this user's alone (0700) is refused.
func Dir(getenv func(string) string) (string, error) {
	dir := runtimeDir(getenv("XDG_RUNTIME_DIR"), "/run/user")
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("the directory of consoles: %w; set XDG_RUNTIME_DIR to a directory of your own", err)
	}
	return dir, Private(dir, "XDG_RUNTIME_DIR")
}

// runtimeDir is where consoles are if that is what XDG_RUNTIME_DIR is set to; the
// system makes directories for users in system.
func runtimeDir(set, system string) string {
	uid := strconv.Itoa(os.Getuid())
	switch own := filepath.Join(system, uid); {
	case filepath.IsAbs(set):
		return filepath.Join(set, "ripple")
	case Private(own, "") == nil:
		return filepath.Join(own, "ripple")
	}
	return filepath.Join("/tmp", "ripple-"+uid)
}

// Variables are the variables of an environment that lead to other consoles than
// those of a program which does not have them.
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

// Private refuses a directory that somebody else could write to or read; variable says
// what leads elsewhere.
func Private(dir, variable string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: remove it, or set %s to a directory of your own", dir, variable)
	case !ownedByUs(info):
		return fmt.Errorf("%s belongs to another user: set %s to a directory of your own", dir, variable)
	case info.Mode().Perm() != 0o700:
		return fmt.Errorf("%s is open to others (mode %04o): chmod 700 %s, after a look at what is in it", dir, info.Mode().Perm(), dir)
	}
	return nil
}

// nameBytes are what a name is made of.
const nameBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

// CheckName says what is wrong with a console's name.
func CheckName(name string) error {
	switch {
	case name == "" || name[0] == '-' || name[0] == '.' || strings.Trim(name, nameBytes) != "":
		return &NameError{fmt.Sprintf("%q is no name for a console: letters, digits and . _ - are, and not . or - first", name)}
	case len(name) > 200:
		return &NameError{fmt.Sprintf("the name of a console is at most 200 characters long, and this one is %d", len(name))}
	}
	return nil
}

// Files are where one console is found.
type Files struct {
	Socket string
	Lock   string
	Record string // directory of its results
}

// Of are the files of a console by its name; their directories are made and checked.
//
// Errors: ErrUnsupported, *NameError, those of Dir.
func Of(getenv func(string) string, name string) (Files, error) {
	if err := CheckName(name); err != nil {
		return Files{}, err
	}
	if !supported {
		return Files{}, ErrUnsupported
	}
	dir, err := Dir(getenv)
	if err != nil {
		return Files{}, err
	}
	state, err := State(getenv)
	if err != nil {
		return Files{}, err
	}
	return FilesOf(dir, state, name)
}

// ErrUnsupported is that of a system without what consoles need.
var ErrUnsupported = errors.New("consoles need a Unix system")

// NameError is what is wrong with the name of a console.
type NameError struct{ what string }

func (e *NameError) Error() string { return e.what }

// FilesOf are the files of a console by its name. Where its socket's path would be
// too long for the system, a hash stands for the name.
func FilesOf(dir, state, name string) (Files, error) {
	base := name
	if len(filepath.Join(dir, base+".sock")) > maxPath {
		sum := sha256.Sum256([]byte(name))
		base = "h-" + hex.EncodeToString(sum[:8])
	}
	f := Files{
		Socket: filepath.Join(dir, base+".sock"),
		Lock:   filepath.Join(dir, base+".lock"),
		Record: filepath.Join(state, name),
	}
	if len(f.Socket) > maxPath {
		return Files{}, fmt.Errorf("the path %s is too long for a socket (%d bytes, %d are possible): set XDG_RUNTIME_DIR to a shorter one", f.Socket, len(f.Socket), maxPath)
	}
	return f, nil
}

// State is where the consoles' results are kept: "ripple/consoles" below
// XDG_STATE_HOME, else below ~/.local/state.
func State(getenv func(string) string) (string, error) {
	base := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return "", errors.New("no directory for the consoles' results: neither XDG_STATE_HOME nor HOME is set to an absolute path")
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "ripple", "consoles"), nil
}
