package loopcmd

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// projectRows map the files of a project to the commands that build and test it. The first
// row that fits and has a command gives it; the first that fits gives the kind. What
// a project itself calls its test comes first.
//
//go:embed init/projects.json
var projectRows []byte

type projectRow struct {
	File, With        string // globs in the project's directory; both must match
	Has, Lacks        string // patterns that a line of File must match, or must not match
	Kind, Build, Test string
}

// project has the commands by which a directory's project is built and tested; unknown ones are
// "".
type project struct{ kind, build, test string }

func readProjectRows() (rows []projectRow, err error) {
	d := json.NewDecoder(bytes.NewReader(projectRows))
	d.DisallowUnknownFields()
	if err := d.Decode(&rows); err != nil {
		return nil, fmt.Errorf("init/projects.json: %w", err)
	}
	return rows, nil
}

// detectProject examines the names in a directory, and the content of a few small files.
func detectProject(dir string) (p project, err error) {
	rows, err := readProjectRows()
	if err != nil {
		return p, err
	}
	for _, r := range rows {
		if !r.fits(dir) {
			continue
		}
		for _, part := range []struct {
			to   *string
			text string
		}{{&p.kind, r.Kind}, {&p.build, r.Build}, {&p.test, r.Test}} {
			if *part.to == "" {
				*part.to = part.text
			}
		}
	}
	return p, nil
}

func (r projectRow) fits(dir string) bool {
	matches, _ := filepath.Glob(filepath.Join(escapeGlob(dir), r.File)) // a test checks the patterns
	if len(matches) == 0 {
		return false
	}
	if with, _ := filepath.Glob(filepath.Join(escapeGlob(dir), r.With)); r.With != "" && len(with) == 0 {
		return false
	}
	if r.Has == "" && r.Lacks == "" {
		return true
	}
	text := smallFile(matches[0])
	has := func(pattern string) bool { return regexp.MustCompile("(?m)" + pattern).MatchString(text) }
	return has(r.Has) && (r.Lacks == "" || !has(r.Lacks))
}

func escapeGlob(dir string) string { return regexp.MustCompile(`[*?[\\]`).ReplaceAllString(dir, `\$0`) }

// smallFile returns the text of a regular file of at most a megabyte, else "".
func smallFile(path string) string {
	data, err := projectfile.Read(path, 1<<20)
	if err != nil {
		return ""
	}
	return string(data)
}

// notes returns the commands as text for the agent, or "" if none are known.
func (p project) notes() string {
	if p.build == "" && p.test == "" {
		return ""
	}
	of := func(command string) string {
		if command == "" {
			return "not known yet"
		}
		return "`" + command + "`"
	}
	return strings.Replace(strings.Replace(initAgent, "nothing to build yet.", of(p.build), 1), "`sh test.sh`", of(p.test), 1)
}
