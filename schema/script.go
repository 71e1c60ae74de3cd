package schema

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"example.org/ripple/internal/owner"
)

// maxScript bounds an integration script.
const maxScript = 1 << 20

// findScript resolves the integration script.
func (d *document) findScript(a *Adapter, dirs []fs.FS) {
	text, err := a.script(dirs)
	if err != nil {
		d.errorPointer("/init/script_resource", KindScript, "%v", err)
	}
	a.Script = text
}

// script is the text of the integration script, from whichever key declares it.
func (a *Adapter) script(dirs []fs.FS) (text string, err error) {
	switch {
	case a.Init.ScriptResource != "":
		text, err = readScript(a.Init.ScriptResource, dirs)
	case a.Init.Script != "":
		text = a.Init.Script
	default:
		text = a.IntegrationScript
	}
	return strings.ReplaceAll(text, "\r\n", "\n"), err
}

func readScript(name string, dirs []fs.FS) (string, error) {
	for _, dir := range dirs {
		info, err := fs.Stat(dir, name)
		if err == nil {
			err = regular(info)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("integration script %s: %w", name, reason(err))
		}
		f, err := dir.Open(name)
		if err != nil {
			return "", err
		}
		defer f.Close() // only read from: nothing to lose
		top, topErr := fs.Stat(dir, ".")
		if opened, err := f.Stat(); err == nil && topErr == nil && owner.Planted(top, opened) {
			continue
		}
		if info.Size() == 0 {
			return "", nil // as in readFile
		}
		data, err := io.ReadAll(io.LimitReader(f, maxScript+1))
		switch {
		case err != nil:
			return "", err
		case len(data) > maxScript:
			return "", errors.New("integration script " + name + " is larger than 1 MiB")
		}
		return string(data), nil
	}
	return "", errors.New("integration script " + name + " not found beside the adapter or among the built-in scripts")
}
