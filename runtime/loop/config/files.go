package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/schema"
)

// File is a file with settings of a project. It is read once.
type File struct {
	Path string
	Text []byte
	// Runs lists, one per line, the commands that the file runs, the agents that it uses and what it permits them.
	// It is empty for a file that only sets limits.
	Runs []string
	Err  error // the reason that it cannot be used, or nil
}

// Files returns the files from which the configuration was read.
func (c *Config) Files() []File { return c.files }

// Files reads the files that may contain settings of a project, without applying them.
func Files(project string) []File {
	read, _ := readFiles(Loader{Project: project, MayExpand: func(File) (bool, error) { return false, nil }}) // an error would be that of MayExpand
	return there(read)
}

// sourceFile is a file and its content.
type sourceFile struct {
	File
	there   bool
	project *schema.Project    // of a ripple.yml
	values  map[string]rcValue // of a .ralphrc
	errs    []error
	notes   []string
}

// readFiles reads ripple.yml, .ralph/.ralphrc and .ralphrc, each once. The error is that of MayExpand.
func readFiles(l Loader) ([]sourceFile, error) {
	path, notes := findProjectFile(l.Project)
	ofProject := readProject(filepath.Dir(path), path) // which may be above, up to the home directory
	ofProject.notes = notes
	inner, err := l.readRC(layout.Dir)
	if err != nil {
		return nil, err
	}
	outer, err := l.readRC(".")
	return []sourceFile{ofProject, inner, outer}, err
}

func there(all []sourceFile) (files []File) {
	for _, s := range all {
		if s.there {
			s.Err = errors.Join(s.errs...)
			files = append(files, s.File)
		}
	}
	return files
}

func readProject(project, path string) sourceFile {
	s := sourceFile{File: File{Path: path}}
	text, err := projectfile.ReadInside(project, path, projectfile.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		return s
	}
	s.there, s.Text = true, text
	if err != nil {
		s.errs = []error{err}
		return s
	}
	p, diags := schema.ParseProject(path, text)
	for _, d := range diags {
		s.errs = append(s.errs, errors.New(d.Format()))
	}
	if s.project = p; p != nil {
		s.Runs = append(projectRuns(p), TaskLine(project, promptFile(p))...)
	}
	return s
}

// readRC reads the .ralphrc in a directory of the project. The error is that of MayExpand.
func (l Loader) readRC(dir string) (s sourceFile, err error) {
	path := filepath.Join(l.Project, dir, layout.RCFile)
	data, err := projectfile.In(l.Project, dir).Read(layout.RCFile, maxRCFile)
	s = sourceFile{File: File{Path: path, Text: data}, there: !errors.Is(err, fs.ErrNotExist)}
	if err != nil {
		if s.there {
			s.errs = []error{err}
		}
		return s, nil
	}
	named := false
	s.values, named, s.errs = parseRC(path, string(data), nil)
	s.Runs = rcRuns(string(data), s.values)
	if !named || s.errs != nil {
		return s, nil
	}
	if l.MayExpand != nil {
		if may, err := l.MayExpand(s.File); err != nil || !may {
			return s, err
		}
	}
	s.values, _, s.errs = parseRC(path, string(data), l.Env)
	return s, nil
}

// limits lists the settings that neither run, choose nor allow anything: numbers and times.
// A project that sets only these needs no approval. Every other setting does, known or to
// come.
var limits = []string{
	"MAX_CALLS_PER_HOUR", "AGENT_TIMEOUT_MINUTES", "AGENT_IDLE_TIMEOUT_SECS", "AGENT_OUTPUT_FORMAT", "SESSION_CONTINUITY",
	"SESSION_EXPIRY_HOURS", "RALPH_VERBOSE", "CB_NO_PROGRESS_THRESHOLD", "CB_SAME_ERROR_THRESHOLD", "CB_PERMISSION_DENIAL_THRESHOLD",
	"CB_OUTPUT_DECLINE_THRESHOLD", "CB_COOLDOWN_MINUTES", "CB_AUTO_RESET", "TASK_SOURCES", "MAX_TURNS", "MAX_RUNTIME", "MAX_COST",
	"MAX_TOKENS", "MAX_FAILURES", "MAX_OUTPUT", "MAX_RECORD", "MAX_LOGS", "MAX_WAIT", "VERIFY_ATTEMPTS", "VERIFY_TIMEOUT", "WAIT_FOR_ANSWER", "QUESTION_TIMEOUT",
}

func isLimit(name string) bool {
	s, known := lookupSetting(name)
	return known && slices.Contains(limits, s.Name)
}

// rcRuns are the lines of a .ralphrc that count. A value may be made of others, and of the
// environment: with a $ in any of them all lines count.
func rcRuns(text string, values map[string]rcValue) (lines []string) {
	names := slices.Collect(maps.Keys(values))
	sort.Slice(names, func(i, j int) bool { return values[names[i]].line < values[names[j]].line })
	if slices.ContainsFunc(names, func(n string) bool { return strings.Contains(values[n].raw, "$") }) {
		return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
	}
	for _, name := range names {
		if _, known := lookupSetting(name); known && !isLimit(name) {
			lines = append(lines, values[name].raw)
		}
	}
	return lines
}

// projectRuns are what a ripple.yml has run, and more: all that it says but limits.
func projectRuns(p *schema.Project) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if c := p.CLI; c.Command != "" {
		add("cli: %s", strings.Join(slices.Concat([]string{c.Command}, c.Args, []string{c.PromptFlag}, c.Resume), " "))
	} else if !reflect.DeepEqual(c, schema.ProjectCLI{IdleTimeoutSecs: c.IdleTimeoutSecs}) {
		add("cli: backend %s %s", c.Backend, strings.Join(c.Args, " "))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Adapters)) {
		a := p.Adapters[name]
		if a.Enabled != nil {
			add("adapters.%s.enabled: %v", name, *a.Enabled)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.Loop)) {
		if !isLimit(strings.ToUpper(key)) {
			add("loop.%s: %s", key, strings.Join(p.Loop[key], "\n"))
		}
	}
	if p.Box != nil {
		add("box:")
	}
	for _, key := range slices.Sorted(maps.Keys(p.Box)) {
		add("box.%s: %s", key, strings.Join(p.Box[key], "\n"))
	}
	for _, key := range slices.Sorted(maps.Keys(p.EventLoop)) {
		limit := slices.ContainsFunc(otherNames, func(o struct{ key, setting, unit string }) bool { return o.key == key && isLimit(o.setting) })
		if !limit {
			add("event_loop.%s: %s", key, strings.Join(p.EventLoop[key], "\n"))
		}
	}
	for _, h := range p.Hats {
		lines = append(lines, hatRuns(hatOf(h))...)
	}
	return lines
}
