package main

import (
	"debug/buildinfo"
	"io"
	"path/filepath"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// sbom writes what a binary is made of, as the binary itself says it, in the form of
// CycloneDX (https://cyclonedx.org/docs/1.6/json/).
func (r *release) sbom(p platform, binary string) ([]string, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	program := component(cdx.ComponentTypeApplication, "ripple", "v"+r.version)
	program.Licenses = &cdx.Licenses{{License: &cdx.License{ID: "MIT"}}}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: r.date.Format(time.RFC3339), Component: &program}
	parts := []cdx.Component{component(cdx.ComponentTypeLibrary, "std", "v"+strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, component(cdx.ComponentTypeLibrary, m.Path, m.Version))
	}
	names := make([]string, len(parts))
	for i, part := range parts {
		names[i] = part.BOMRef
	}
	bom.Components, bom.Dependencies = &parts, &[]cdx.Dependency{{Ref: program.BOMRef, Dependencies: &names}}
	file := filepath.Join(r.out, "ripple-"+r.version+"-"+p.String()+".cdx.json")
	return []string{file}, create(file, func(w io.Writer) error {
		return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	})
}

func component(kind cdx.ComponentType, module, version string) cdx.Component {
	at := "pkg:golang/" + module + "@" + version
	return cdx.Component{BOMRef: at, Type: kind, Name: module, Version: version, PackageURL: at}
}
