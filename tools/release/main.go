// Command release creates the parts of a release that goreleaser does not; .goreleaser.yaml runs it.
//
//	release npm [flags] …        a package for npm
//	release sbom [flags] …       the modules of a binary
//	release notices [flags] OS…  the licenses of all modules in the binaries
//	release pack [flags] …       an archive of files that a binary has inside
//	release identity [flags]     writes tools/identity.yaml into the files that have its values
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"
)

var commands = map[string]func(args []string) error{
	"npm": npmCommand, "sbom": sbomCommand, "notices": noticesCommand, "identity": identityCommand, "pack": packCommand,
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	if len(args) > 0 && commands[args[0]] != nil {
		return commands[args[0]](args[1:])
	}
	return errors.New("name a command: npm, sbom, notices, pack or identity")
}

// stamp has the flags of a command that writes one file of a release.
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
		return fmt.Errorf("-version and -date are required")
	}
	return nil
}

func create(file string, write func(io.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
