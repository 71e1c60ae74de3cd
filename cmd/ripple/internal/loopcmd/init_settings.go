package loopcmd

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"example.org/ripple/internal/projectfile"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/loop/config"
)

// untouched is the beginning of the last line of settings that init writes. A digest of the
// preceding text follows: if it matches, the file was not edited, and init may update it.
const untouched = "# Unchanged since ripple init wrote it, which renews it while this is true: "

// initSettings returns all settings with their defaults, commented out; --verify has the commands
// detected in the project.
func initSettings(found project) string {
	var b strings.Builder
	b.WriteString("# Settings of ripple run: KEY=value, as in a shell, but nothing is executed.\n" +
		"# Flags, the environment and ripple.yml take precedence. In the environment, the settings\n# from MAX_TURNS on have the prefix RIPPLE_. ripple run --dry-run shows each with its source.\n")
	for _, s := range config.Settings() {
		value := s.Default
		if s.Flag == "verify" {
			value = found.test
		}
		fmt.Fprintf(&b, "\n# %s\n#%s=%s\n", s.Description(), s.Name, strings.TrimPrefix(quote.Shell(value), "''"))
	}
	b.WriteString("\n")
	return b.String() + untouched + digest(b.String()) + "\n"
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16] }

// placeFile writes a file of init and prints the result.
func placeFile(files projectfile.Dir, name, text string, settings bool) (what string, err error) {
	if err = files.CreateNew(name, []byte(text)); !errors.Is(err, fs.ErrExist) {
		return "written", err
	}
	if !settings {
		return "exists, unchanged", nil
	}
	renewed, err := renew(files, name, text)
	if renewed {
		return "updated: it had not been edited", err
	}
	return "exists, unchanged", err
}

// renew rewrites an unedited settings file of another version of ripple. It reports whether it
// did.
func renew(files projectfile.Dir, name, text string) (bool, error) {
	data, err := files.Read(name, projectfile.MaxText)
	if err != nil {
		return false, err
	}
	body, mark, marked := strings.Cut(string(data), untouched)
	if !marked || mark != digest(body)+"\n" || string(data) == text {
		return false, nil
	}
	if err = files.Replace(name, []byte(text)); err != nil {
		return false, err
	}
	return true, nil
}
