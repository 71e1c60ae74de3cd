package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"flag"
	"io"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func sbomCommand(args []string) error {
	var s stamp
	flags := flag.NewFlagSet("release sbom [flags] BINARY FILE", flag.ExitOnError)
	s.add(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return errors.New("release sbom: give the binary and the file to write")
	}
	return errors.Join(s.check(), sbom(s, flags.Arg(0), flags.Arg(1)))
}

// sbom writes the modules of a binary, according to its build information, in the CycloneDX format
// (https://cyclonedx.org/docs/1.6/json/).
func sbom(s stamp, binary, file string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	program := component(cdx.ComponentTypeApplication, "ripple", "v"+s.version)
	program.Licenses = &cdx.Licenses{{License: &cdx.License{ID: "MIT"}}}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: s.date.UTC().Format(time.RFC3339), Component: &program}
	std := component(cdx.ComponentTypeLibrary, "std", "v"+strings.TrimPrefix(info.GoVersion, "go"))
	if err := describe(&std, ""); err != nil {
		return err
	}
	parts := []cdx.Component{std}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component(cdx.ComponentTypeLibrary, m.Path, m.Version)
		if err := describe(&c, m.Sum); err != nil {
			return err
		}
		parts = append(parts, c)
	}
	names := make([]string, len(parts))
	for i, part := range parts {
		names[i] = part.BOMRef
	}
	bom.Components, bom.Dependencies = &parts, &[]cdx.Dependency{{Ref: program.BOMRef, Dependencies: &names}}
	return create(file, func(w io.Writer) error {
		return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	})
}

func component(kind cdx.ComponentType, module, version string) cdx.Component {
	at := "pkg:golang/" + module + "@" + version
	return cdx.Component{BOMRef: at, Type: kind, Name: module, Version: version, PackageURL: at}
}

// describe adds the license of a module and its hash, which go.sum has in another form
// (https://go.dev/ref/mod#go-sum-files).
func describe(c *cdx.Component, sum string) error {
	texts, err := licensesOf(part{c.Name, c.Version})
	if err != nil {
		return err
	}
	id := licenseID(texts)
	switch {
	case id == "":
		c.Licenses = &cdx.Licenses{{License: &cdx.License{Name: "see THIRD_PARTY_LICENSES"}}}
	case strings.Contains(id, " "):
		c.Licenses = &cdx.Licenses{{Expression: id}}
	default:
		c.Licenses = &cdx.Licenses{{License: &cdx.License{ID: id}}}
	}
	if encoded, is := strings.CutPrefix(sum, "h1:"); is {
		hash, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return err
		}
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(hash)}}
	}
	return nil
}
