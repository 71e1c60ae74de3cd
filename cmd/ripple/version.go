package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// Set by builds outside of a checkout with -ldflags "-X main.releaseVersion=v1.2.3"; otherwise the
// build information is used.
var releaseVersion, releaseCommit, releaseDate string

// build describes this binary.
type build struct {
	Version  string `json:"version"`          // a tag, or Go's pseudo-version of the commit
	Commit   string `json:"commit,omitempty"` // the full hash
	Date     string `json:"date,omitempty"`   // date of the commit, RFC 3339
	Modified bool   `json:"modified"`         // the checkout had uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"` // OS/architecture
}

// version returns the module's version or the commit, from the build information.
func version() string {
	b := thisBuild()
	return fmt.Sprintf("%s %s %s", b.Version, b.Go, b.Platform)
}

func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) build {
	b := build{
		Version: cmp.Or(releaseVersion, info.Main.Version, "(devel)"), Commit: releaseCommit, Date: releaseDate,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = cmp.Or(b.Commit, s.Value)
		case "vcs.time":
			b.Date = cmp.Or(b.Date, s.Value)
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func newVersion(a *ui.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and the commit",
		Long: `Print the version, the commit and its date.

A release checks at most once a day, while a command runs on a terminal, for a newer version,
and reports it after the command. It does not check if CI or RIPPLE_NO_UPDATE_NOTICE is set.
Your own builds never check, nor do packages of operating systems and npm, which a package
manager updates.`,
		Args: ui.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if asJSON {
				return a.PrintJSON(b)
			}
			a.Printf("ripple %s\n%s", version(), b.origin())
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// origin returns the commit and its date, one per line, if known.
func (b build) origin() (lines string) {
	if b.Commit != "" {
		lines = "commit " + b.Commit
		if b.Modified {
			lines += " with changes"
		}
		lines += "\n"
	}
	if b.Date != "" {
		lines += "date " + b.Date + "\n"
	}
	return lines
}
