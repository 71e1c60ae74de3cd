package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/schema"
)

// layer is one source of values: a setting's name to its value and place.
type layer map[string]Source

func flagLayer(flags map[string]string) layer {
	l := layer{}
	for _, s := range allSettings {
		if v, given := flags[s.Flag]; given && s.Flag != "" {
			l[s.Name] = Source{s.Name, v, "--" + s.Flag}
		}
		if v, given := flags[s.Off]; given && s.Off != "" {
			l[s.Name] = Source{s.Name, opposite(v), "--" + s.Off}
		}
	}
	return l
}

// envLayer takes names as they are. The short names of ripple's own settings
// would meet other programs' there and want RIPPLE_ before them.
func envLayer(env func(string) string) layer {
	l := layer{}
	for i, s := range allSettings {
		for _, n := range s.names() {
			name := n
			if i > lastOfReference {
				name = "RIPPLE_" + n
			}
			if v := env(name); v != "" {
				l[n] = Source{name, v, "environment"}
			}
		}
	}
	return l
}

var lastOfReference = slices.IndexFunc(allSettings, func(s Setting) bool { return s.Name == "COMPLETION_PROMISE" })

func projectLayer(p *schema.Project) (layer, []error) {
	l := layer{}
	if p == nil {
		return l, nil
	}
	for _, s := range allSettings {
		section := s.section()
		if v, has := keysOf(p, section)[s.Key()]; has {
			separator := ","
			if s.Repeats {
				separator = "\n"
			}
			l[s.Name] = Source{section + "." + s.Key(), strings.Join(v, separator), place(p, section, s.Key())}
		}
	}
	if _, set := p.Box["enabled"]; p.Box != nil && !set { // the section itself asks for a box
		l["BOX"] = Source{"box", "true", place(p, "box")}
	}
	if p.CLI.Backend != "" {
		l["PLATFORM_DRIVER"] = Source{"cli.backend", p.CLI.Backend, place(p, "cli", "backend")}
	}
	if n := p.CLI.IdleTimeoutSecs; n > 0 {
		l["AGENT_IDLE_TIMEOUT_SECS"] = Source{"cli.idle_timeout_secs", strconv.Itoa(n), place(p, "cli", "idle_timeout_secs")}
	}
	return l, l.addEventLoop(p)
}

func keysOf(p *schema.Project, section string) map[string][]string {
	if section == "box" {
		return p.Box
	}
	return p.Loop
}

// addProject takes what only ripple.yml can say.
func (c *Config) addProject(p *schema.Project) (notes []string) {
	if p == nil {
		return nil
	}
	c.Command, c.Args, c.PromptMode, c.PromptFlag = p.CLI.Command, p.CLI.Args, p.CLI.PromptMode, p.CLI.PromptFlag
	if p.CLI.Backend != "custom" && c.Backend == p.CLI.Backend {
		c.Args, c.ExtraArgs = nil, p.CLI.Args
	}
	c.TTY, c.JSON, c.ResumeArgs = p.CLI.TTY, p.CLI.Output == "json", p.CLI.Resume
	for name, a := range p.Adapters {
		c.adapters[name] = adapterSettings{
			at: place(p, "adapters", name), disabled: a.Enabled != nil && !*a.Enabled, timeout: time.Duration(a.Timeout) * time.Second,
		}
	}
	for _, i := range p.UnusedKeys {
		notes = append(notes, strings.TrimSuffix(fmt.Sprintf("%s:%d:%d: %s has no effect in ripple: %s", p.Source, i.Line, i.Column, i.Key, i.Reason), ": "))
	}
	for key, given := range map[string]bool{"prompt_flag": p.CLI.PromptFlag != "", "prompt_mode": p.CLI.PromptMode != ""} {
		if given && p.CLI.Backend != "custom" {
			notes = append(notes, fmt.Sprintf("%s: cli.%s has no effect in ripple: the adapter says how its agent gets a prompt", place(p, "cli", key), key))
		}
	}
	slices.Sort(notes)
	if p.CLI.DefaultMode == "interactive" {
		notes = append(notes, place(p, "cli", "default_mode")+": cli.default_mode has no effect in ripple: a loop runs without a user")
	}
	return notes
}

// place is where a key of ripple.yml stands.
func place(p *schema.Project, path ...string) string {
	pos := p.Position(path...)
	return fmt.Sprintf("%s:%d:%d", p.Source, pos.Line, pos.Column)
}

// findProjectFile returns where the ripple.yml for dir is, or would be: in dir or above it, up to the top of the repository.
// Beyond that, or without one, a file may be anybody's, and it names a program to run. Above dir, it and the repository must belong
// to this user; notes report others.
func findProjectFile(dir string) (path string, notes []string) {
	own := filepath.Join(dir, ProjectFile)
	top, ours := projectfile.RepositoryOf(dir)
	if top == "" || layout.There(own) {
		return own, nil
	}
	for at := dir; at != top; {
		at = filepath.Dir(at)
		path := filepath.Join(at, ProjectFile)
		info, err := os.Lstat(path)
		switch {
		case err != nil:
		case ours && owner.IsCaller(info):
			return path, notes
		default:
			notes = append(notes, fmt.Sprintf("%s is not used in %s, because it or its repository belongs to another user", path, dir))
		}
	}
	return own, notes
}

// maxUnknown limits the notes about unknown names in a .ralphrc.
const maxUnknown = 20

// rcLayer takes what a .ralphrc sets. Names that mean nothing to ripple are noted: the
// file may serve other programs too.
func rcLayer(path string, values map[string]rcValue) (l layer, notes []string) {
	l = layer{}
	var unknown []string
	for name, v := range values {
		if _, known := lookupSetting(name); !known {
			unknown = append(unknown, name)
			continue
		}
		l[name] = Source{name, v.text, fmt.Sprintf("%s:%d", path, v.line)}
	}
	slices.SortFunc(unknown, func(a, b string) int { return cmp.Compare(values[a].line, values[b].line) })
	for i, name := range unknown {
		if i == maxUnknown {
			notes = append(notes, fmt.Sprintf("%s: %d more names are not settings of ripple", path, len(unknown)-i))
			break
		}
		notes = append(notes, fmt.Sprintf("%s:%d: %s is not a setting of ripple%s", path, values[name].line, name, meant(name)))
	}
	return l, notes
}

func meant(name string) string {
	var names []string
	for _, s := range allSettings {
		names = append(names, s.names()...)
	}
	if near := schema.Nearest(name, names); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}
