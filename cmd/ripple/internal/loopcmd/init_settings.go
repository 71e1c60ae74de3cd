package loopcmd

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/loop/config"
)

// untouched begins the last line of the settings that init writes. A digest of what
// is above follows: while it is true, nobody changed the file, and init may renew it.
const untouched = "# Unchanged since ripple init wrote it, which renews it while this is true: "

// initSettings are all settings with their defaults, commented out; for --verify
// there is what the project's files say.
func initSettings(found project) string {
	var b strings.Builder
	b.WriteString("# Settings of ripple run: KEY=value, as in a shell, but nothing is executed.\n" +
		"# Flags, the environment and ripple.yml come first (in the environment, RIPPLE_ stands\n# before MAX_TURNS and what follows it); ripple run --dry-run shows each with its source.\n")
	for _, s := range config.Settings() {
		value := s.Default
		if s.Flag == "verify" {
			value = found.test
		}
		fmt.Fprintf(&b, "\n# %s\n#%s=%s\n", s.Help, s.Name, strings.TrimPrefix(ui.ShellQuote(value), "''"))
	}
	b.WriteString("\n")
	return b.String() + untouched + digest(b.String()) + "\n"
}

func digest(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16] }

// placeFile writes a file of init and says what became of it.
func placeFile(path, text string, settings bool) (what string, err error) {
	if err = ui.CreateFile(path, []byte(text)); !errors.Is(err, fs.ErrExist) {
		return "written", err
	}
	if !settings {
		return "is there, left as it is", nil
	}
	renewed, err := renew(path, text)
	if renewed {
		return "renewed: nobody had changed it", err
	}
	return "is there, left as it is", err
}

// renew writes a file of settings anew that nobody changed and that another version
// of ripple wrote. It says whether it did.
func renew(path, text string) (bool, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	body, mark, marked := strings.Cut(string(data), untouched)
	if !marked || mark != digest(body)+"\n" || string(data) == text {
		return false, nil
	}
	if err = ui.ReplaceFile(path, []byte(text)); err != nil {
		return false, err
	}
	return true, nil
}
