package launch

import (
	"strings"

	"ripple/schema"
)

// InstallLine is the first way to install a program, in one line; empty when the
// adapter (nil: it says nothing) knows none.
func InstallLine(i *schema.Install) string {
	switch {
	case i == nil:
		return ""
	case len(i.Debian) > 0:
		return "apt-get install " + strings.Join(i.Debian, " ")
	case len(i.NPM) > 0:
		return "npm install -g " + strings.Join(i.NPM, " ")
	case len(i.Go) > 0:
		return "go install " + strings.Join(i.Go, " ")
	case i.Hint != "":
		return i.Hint
	}
	return i.URL
}

// InstallAdvice is InstallLine with what to read about it.
func InstallAdvice(i *schema.Install) string {
	line := InstallLine(i)
	if i == nil || i.URL == "" || line == i.URL {
		return line
	}
	return line + "; see " + i.URL
}
