// Command release makes what .goreleaser.yaml says that people get: the binary for each
// platform, archives of it, packages for Debian, Red Hat and Alpine, packages for npm, manifests
// for Homebrew and Scoop, what the binaries are made of, and the checksums of all that.
//
// goreleaser does the same and publishes it, but takes minutes to build. The same commit gives
// the same bytes, from either: times are those of the commit, paths are left out.
//
//	release [flags]              everything, into a directory
//	release npm [flags] …        a package for npm
//	release sbom [flags] …       what a binary is made of
//	release notices [flags] OS…  the licenses of all that is in the binaries
//	release identity [flags]     writes tools/identity.yaml into the files that it concerns
//
// The last four are run by what the file says, so that goreleaser runs them too.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "npm":
			return npmCommand(args[1:])
		case "sbom":
			return sbomCommand(args[1:])
		case "notices":
			return noticesCommand(args[1:])
		case "identity":
			return identityCommand(args[1:])
		}
	}
	flags := flag.NewFlagSet("release", flag.ExitOnError)
	repo := flags.String("repo", ".", "the checkout")
	out := flags.String("o", "dist", "directory for what is made")
	version := flags.String("version", "", "the version, such as 1.2.3 (default: a snapshot of the commit)")
	only := flags.String("platforms", "", "make those alone, such as `linux-amd64,darwin-arm64` (default: all that the file names)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r, err := newRelease(*repo, *out, *version)
	if err != nil {
		return err
	}
	if *only != "" {
		r.only = strings.Split(*only, ",")
	}
	return r.make()
}

// stamp are the flags of a command that writes one file of a release.
type stamp struct {
	version string
	date    time.Time
}

func (s *stamp) add(flags *flag.FlagSet) {
	flags.StringVar(&s.version, "version", "", "the version")
	flags.Func("date", "the `TIME` of the commit", func(text string) (err error) {
		s.date, err = time.Parse(time.RFC3339, text)
		return err
	})
}

func (s *stamp) check() error {
	if s.version == "" || s.date.IsZero() {
		return fmt.Errorf("-version and -date must be there")
	}
	return nil
}
