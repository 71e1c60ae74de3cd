package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.org/ripple/internal/layout"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate"
)

// ProjectFile is the name of the project's configuration.
const ProjectFile = "ripple.yml"

// Load reads the configuration of a project; see [Loader.Load].
func Load(project string, flags map[string]string, env func(string) string) (c *Config, notes []string, err error) {
	return Loader{Project: project, Flags: flags, Env: env}.Load()
}

// Loader reads the configuration of a project.
type Loader struct {
	Project string
	Flags   map[string]string // by the settings' Flag
	Env     func(string) string

	// MayExpand reports whether the values of variables of the environment may be inserted into the values of a .ralphrc
	// file that names some: a stranger's file could make messages show them. If it may not, $NAME remains as it is
	// written. An error ends the loading. nil: each file may.
	MayExpand func(File) (bool, error)
}

// Load reads the configuration. The order of precedence is: flags, the environment, ripple.yml,
// .ralph/.ralphrc, .ralphrc, defaults. If a source has two names of one setting, the agent-neutral
// one counts. All errors of all files are joined; notes report oddities that do no harm.
func (l Loader) Load() (c *Config, notes []string, err error) { return l.load(nil) }

// Resume is like Load, for a run that continues. The run keeps the settings that it started
// with, began by name, except those that flags override; settings that had their default then
// have it now. Notes report changes of the environment and the files since, which have no
// effect. began is not trusted: an unknown setting or an invalid value is an error.
func (l Loader) Resume(began map[string]Source) (c *Config, notes []string, err error) {
	if began == nil {
		began = map[string]Source{}
	}
	for name, s := range began {
		if err := checkBegan(name, s); err != nil {
			return nil, nil, err
		}
	}
	return l.load(began)
}

// load takes the values from their layers; began is nil for a new run.
func (l Loader) load(began map[string]Source) (c *Config, notes []string, err error) {
	if err := layout.Check(l.Project); err != nil {
		return nil, nil, err
	}
	read, err := readFiles(l)
	if err != nil {
		return nil, nil, err
	}
	file := read[0].project
	errs := slices.Concat(read[0].errs, read[1].errs, read[2].errs)
	ofFile, fileErrs := projectLayer(file)
	errs = append(errs, fileErrs...)
	layers := []layer{flagLayer(l.Flags), envLayer(l.Env), ofFile}
	c = &Config{files: there(read), sources: map[string]Source{}, adapters: map[string]adapterSettings{}, hatPlaces: map[string]string{}, expanded: map[string]rcValue{}}
	notes = append(notes, read[0].notes...)
	for _, f := range read[1:] {
		of, n := rcLayer(f.Path, f.values)
		layers, notes = append(layers, of), append(notes, n...)
		for name, v := range f.values {
			if strings.Contains(v.raw, "$") {
				c.expanded[of[name].From] = v
			}
		}
	}
	for _, s := range allSettings {
		of := layers
		if began != nil && !s.Once {
			kept := keep(s, began)
			notes = append(notes, c.changedSince(s, kept[s.Name], layers)...)
			of = []layer{layers[0], kept}
		}
		errs = append(errs, c.choose(s, of))
	}
	hatNotes, hatErrs := c.addHats(file)
	errs = append(errs, hatErrs...)
	notes = append(append(notes, hatNotes...), c.addProject(file)...)
	notes = append(notes, c.idle(l.Project)...)
	if err := errors.Join(errs...); err != nil {
		return nil, notes, err
	}
	return c, notes, nil
}

// choose takes a setting's value from the first layer that has one.
func (c *Config) choose(s Setting, layers []layer) error {
	from := Source{s.Name, s.Default, "default"}
	for _, l := range layers {
		i := slices.IndexFunc(s.names(), func(n string) bool { _, has := l[n]; return has })
		if i >= 0 {
			from = l[s.names()[i]]
			break
		}
	}
	c.sources[s.Name] = from
	if err := s.set(c, from.Value); err != nil {
		if raw := c.raw(from); raw != "" {
			err = fmt.Errorf("%s has no valid value with its variables", raw)
		}
		return fmt.Errorf("%s: %s: %w", from.From, from.Name, err)
	}
	return nil
}

// raw returns the text in a .ralphrc of a value that contains variables, with its name; "" for any other value. A variable of
// the environment may be a key, and the file a stranger's: messages show this text, and not the value.
func (c *Config) raw(s Source) string {
	if v := c.expanded[s.From]; v.text == s.Value { // a resumed run may have another value than the file
		return v.raw
	}
	return ""
}

// Shown returns the value of a setting for messages: as the file has it if it contains variables. Expanded reports that.
func (c *Config) Shown(name string) (text string, expanded bool) { return c.shown(c.sources[name]) }

func (c *Config) shown(s Source) (text string, expanded bool) {
	if _, text, expanded = strings.Cut(c.raw(s), "="); expanded {
		return text, true
	}
	return s.Value, false
}

// Source returns where the value of a setting comes from.
func (c *Config) Source(name string) Source { return c.sources[name] }

// Differs reports whether the value of a setting is not its default.
func (c *Config) Differs(name string) bool {
	s, known := lookupSetting(name)
	return known && c.sources[name].Value != s.Default
}

// Project returns the settings PROJECT_NAME and PROJECT_TYPE as "NAME (TYPE)", or "" if neither is set.
func (c *Config) Project() string {
	var words []string
	if c.IsSet("PROJECT_NAME") {
		words = append(words, c.ProjectName)
	}
	if c.IsSet("PROJECT_TYPE") {
		words = append(words, "("+c.ProjectType+")")
	}
	return strings.Join(words, " ")
}

// IsSet reports whether a setting was given anywhere, even with its default value.
func (c *Config) IsSet(name string) bool { return c.sources[name].From != "default" }

// Bound reports whether a setting was given for this loop, by a flag or in ripple.yml.
// The environment and .ralphrc may serve other programs, and other agents.
func (c *Config) Bound(name string) bool {
	s := c.sources[name]
	return strings.HasPrefix(s.From, "--") || strings.HasPrefix(s.Name, "loop.") || strings.HasPrefix(s.Name, "box")
}

// idle reports settings that have a value and no effect in ripple.
func (c *Config) idle(project string) (notes []string) {
	for _, s := range allSettings {
		if from := c.sources[s.Name]; s.Idle != "" && c.Differs(s.Name) {
			notes = append(notes, fmt.Sprintf("%s: %s has no effect in ripple: %s", from.From, from.Name, s.Idle))
		}
	}
	for _, other := range []string{strings.TrimSuffix(ProjectFile, "yml") + "yaml", "ralph.yml", "ralph.yaml"} {
		if layout.There(filepath.Join(project, other)) {
			notes = append(notes, fmt.Sprintf("%s is ignored; the name of the file must be %s", other, ProjectFile))
		}
	}
	return notes
}

// opposite returns the value of a setting whose flag means false.
func opposite(v string) string { return strconv.FormatBool(v == "false") }

// Misnamed reports variables of environ ("NAME=value") that are not read and whose names
// resemble that of a setting, or one of others, which begin with RIPPLE_. Other variables
// that begin with RIPPLE_ are not reported.
func Misnamed(environ []string, others ...string) (notes []string) {
	var reference, ours []string
	for i, s := range allSettings {
		if i > lastOfReference {
			ours = append(ours, s.names()...)
		} else {
			reference = append(reference, s.names()...)
		}
	}
	for _, name := range others {
		ours = append(ours, strings.TrimPrefix(name, "RIPPLE_"))
	}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		short, prefixed := strings.CutPrefix(name, "RIPPLE_")
		if !prefixed || slices.Contains(ours, short) {
			continue
		}
		meant := ""
		if near := schema.Nearest(short, ours); len(near) > 0 {
			meant = "RIPPLE_" + near[0]
		}
		if slices.Contains(reference, short) { // these have no prefix
			meant = short
		}
		if meant != "" {
			notes = append(notes, fmt.Sprintf("environment: %s is ignored; did you mean %s?", name, meant))
		}
	}
	slices.Sort(notes)
	return notes
}
