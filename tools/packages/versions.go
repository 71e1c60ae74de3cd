package main

import (
	"fmt"
	"os"
	"strings"
)

// versions has the tested version of each package, by manager and package: "npm deno".
type versions map[string]string

// readVersions reads lines of a purpose, a manager, a package and a version; # begins a comment.
func readVersions(path string) (versions, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pinned := versions{}
	for i, line := range strings.Split(string(data), "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case len(words) != 4:
			return nil, fmt.Errorf("%s:%d: want a purpose, a manager, a package and a version, got %q", path, i+1, line)
		default:
			pinned[words[1]+" "+words[2]] = words[3]
		}
	}
	return pinned, nil
}

// separators has the text between a package and its version, by manager.
var separators = map[string]string{"npm": "@", "go": "@", "pypi": "=="}

// pin adds the version to a line of a manager and a package; it replaces a tag such as @latest.
func (v versions) pin(line string) string {
	manager, name, _ := strings.Cut(line, " ")
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	version := v[manager+" "+name]
	if version == "" || separators[manager] == "" {
		return line
	}
	return manager + " " + name + separators[manager] + version
}
