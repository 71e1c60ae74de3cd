package main

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strings"
)

// launcher starts the binary of the package for this machine.
//
//go:embed launcher.js
var launcher []byte

// npmNames are node's names (process.platform, process.arch) of Go's.
var npmNames = map[string]string{"amd64": "x64", "windows": "win32"}

func (p platform) npm() (system, cpu string) {
	system, cpu = p.os, p.arch
	if name, other := npmNames[system]; other {
		system = name
	}
	if name, other := npmNames[cpu]; other {
		cpu = name
	}
	return system, cpu
}

// npmPlatform is the package with the binary of one platform. npm installs, of those that
// the main one names as optional, the one whose os and cpu fit; no script runs for it.
func (r *release) npmPlatform(p platform, binary string) ([]string, error) {
	system, cpu := p.npm()
	name := "ripple-" + system + "-" + cpu
	return r.npm(name, map[string]any{
		"description": "The binary of ripple for " + system + " " + cpu, "os": []string{system}, "cpu": []string{cpu}, "preferUnplugged": true,
	}, entry{name: "bin/" + p.binary(), from: binary, mode: 0o755})
}

// npmMain is the package that people install.
func (r *release) npmMain(names []string) ([]string, error) {
	optional := map[string]string{}
	for _, name := range names {
		goos, arch, _ := strings.Cut(name, "-")
		system, cpu := platform{goos, arch}.npm()
		optional["ripple-"+system+"-"+cpu] = r.version
	}
	return r.npm("ripple", map[string]any{
		"description": "Drives any interactive program from one YAML file", "bin": map[string]string{"ripple": "bin/ripple.js"},
		"optionalDependencies": optional, "engines": map[string]string{"node": ">=18"},
	}, entry{name: "bin/ripple.js", content: launcher, mode: 0o755})
}

// npm writes a package as npm pack does: a tar with everything below package/.
func (r *release) npm(name string, manifest map[string]any, program entry) ([]string, error) {
	manifest["name"], manifest["version"], manifest["license"] = name, r.version, "MIT"
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(r.out, "npm-"+name+"-"+r.version+".tgz")
	return []string{file}, r.tar(file, "package/", []entry{
		program,
		{name: "package.json", content: append(text, '\n'), mode: 0o644},
		{name: "LICENSE", from: filepath.Join(r.repo, "LICENSE"), mode: 0o644},
	})
}
