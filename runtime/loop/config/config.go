package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ripple/runtime/loop/layout"
	"ripple/schema"
)

// ProjectFile is the name of the project's configuration.
const ProjectFile = "ripple.yml"

// layer is one source of values: a setting's name to its value and place.
type layer map[string]Source

// Load reads the configuration of a project: flags (by the setting's Flag)
// before the environment, ripple.yml, .ralph/.ralphrc, .ralphrc and defaults. Of
// two names for one setting the neutral one counts within a source. All errors of
// all files come at once, joined; notes are what is odd and does no harm.
func Load(project string, flags map[string]string, env func(string) string) (c *Config, notes []string, err error) {
	if err := layout.Check(project); err != nil {
		return nil, nil, err
	}
	file, diags := schema.LoadProject(projectFile(project))
	var errs []error
	for _, d := range diags {
		errs = append(errs, errors.New(d.Format()))
	}
	ofFile, fileErrs := projectLayer(file)
	errs = append(errs, fileErrs...)
	layers := []layer{flagLayer(flags), envLayer(env), ofFile}
	for _, path := range []string{filepath.Join(project, layout.Dir, layout.RCFile), filepath.Join(project, layout.RCFile)} {
		l, n, rcErrs := rcLayer(path, env)
		layers, notes, errs = append(layers, l), append(notes, n...), append(errs, rcErrs...)
	}
	c = &Config{sources: map[string]Source{}, adapters: map[string]adapterSettings{}, hatPlaces: map[string]string{}}
	for _, s := range settings {
		errs = append(errs, c.choose(s, layers))
	}
	hatNotes, hatErrs := c.addHats(file)
	errs = append(errs, hatErrs...)
	notes = append(append(notes, hatNotes...), c.addProject(file)...)
	notes = append(notes, c.idle(project)...)
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
		return fmt.Errorf("%s: %s: %w", from.From, from.Name, err)
	}
	return nil
}

// Source says where the value of a setting comes from.
func (c *Config) Source(name string) Source { return c.sources[name] }

// Differs says whether a setting has another value than its default.
func (c *Config) Differs(name string) bool {
	s, known := lookupSetting(name)
	return known && c.sources[name].Value != s.Default
}

// Project is what somebody said of the project: "NAME (TYPE)", "" for nothing.
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

// IsSet says whether anybody set a setting: its value is not the default.
func (c *Config) IsSet(name string) bool { return c.sources[name].From != "default" }

// Bound says whether a setting was made for this loop: by a flag or in ripple.yml.
// The environment and .ralphrc may serve other programs, and other agents.
func (c *Config) Bound(name string) bool {
	s := c.sources[name]
	return strings.HasPrefix(s.From, "--") || strings.HasPrefix(s.Name, "loop.")
}

// idle notes what somebody set and ripple makes nothing of.
func (c *Config) idle(project string) (notes []string) {
	for _, s := range settings {
		if from := c.sources[s.Name]; s.Idle != "" && c.Differs(s.Name) {
			notes = append(notes, fmt.Sprintf("%s: %s has no effect in ripple: %s", from.From, from.Name, s.Idle))
		}
	}
	for _, other := range []string{strings.TrimSuffix(ProjectFile, "yml") + "yaml", "ralph.yml", "ralph.yaml"} {
		if layout.There(filepath.Join(project, other)) {
			notes = append(notes, fmt.Sprintf("%s is not read; its name must be %s", other, ProjectFile))
		}
	}
	return notes
}

// opposite is what a flag says that means false.
func opposite(v string) string { return strconv.FormatBool(v == "false") }

// Misnamed notes variables of the environment ("NAME=value") that nobody reads and
// that look like a setting's, or like one of others, which begin with RIPPLE_. What
// else begins so is left alone.
func Misnamed(environ []string, others ...string) (notes []string) {
	var seeds, ours []string
	for i, s := range settings {
		if i > lastOfSeed {
			ours = append(ours, s.names()...)
		} else {
			seeds = append(seeds, s.names()...)
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
		if slices.Contains(seeds, short) { // these have no prefix
			meant = short
		}
		if meant != "" {
			notes = append(notes, fmt.Sprintf("environment: %s is not read; did you mean %s?", name, meant))
		}
	}
	slices.Sort(notes)
	return notes
}

func flagLayer(flags map[string]string) layer {
	l := layer{}
	for _, s := range settings {
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
	for i, s := range settings {
		for _, n := range s.names() {
			name := n
			if i > lastOfSeed {
				name = "RIPPLE_" + n
			}
			if v := env(name); v != "" {
				l[n] = Source{name, v, "environment"}
			}
		}
	}
	return l
}

var lastOfSeed = slices.IndexFunc(settings, func(s Setting) bool { return s.Name == "COMPLETION_PROMISE" })

func projectLayer(p *schema.Project) (layer, []error) {
	l := layer{}
	if p == nil {
		return l, nil
	}
	for _, s := range settings {
		if v, has := p.Loop[s.Key()]; has {
			separator := ","
			if s.Repeats {
				separator = "\n"
			}
			l[s.Name] = Source{"loop." + s.Key(), strings.Join(v, separator), place(p, "loop", s.Key())}
		}
	}
	if p.CLI.Backend != "" {
		l["PLATFORM_DRIVER"] = Source{"cli.backend", p.CLI.Backend, place(p, "cli", "backend")}
	}
	if n := p.CLI.IdleTimeoutSecs; n > 0 {
		l["AGENT_IDLE_TIMEOUT_SECS"] = Source{"cli.idle_timeout_secs", strconv.Itoa(n), place(p, "cli", "idle_timeout_secs")}
	}
	return l, l.addEventLoop(p)
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
	for _, i := range p.Idle {
		notes = append(notes, strings.TrimSuffix(fmt.Sprintf("%s:%d:%d: %s has no effect in ripple: %s", p.Source, i.Line, i.Column, i.Key, i.Why), ": "))
	}
	for key, given := range map[string]bool{"prompt_flag": p.CLI.PromptFlag != "", "prompt_mode": p.CLI.PromptMode != ""} {
		if given && p.CLI.Backend != "custom" {
			notes = append(notes, fmt.Sprintf("%s: cli.%s has no effect in ripple: the adapter says how its agent gets a prompt", place(p, "cli", key), key))
		}
	}
	slices.Sort(notes)
	if p.CLI.DefaultMode == "interactive" {
		notes = append(notes, place(p, "cli", "default_mode")+": cli.default_mode has no effect in ripple: a loop runs without a person")
	}
	return notes
}

// place is where a key of ripple.yml stands.
func place(p *schema.Project, path ...string) string {
	pos := p.Position(path...)
	return fmt.Sprintf("%s:%d:%d", p.Source, pos.Line, pos.Column)
}

// projectFile is where the ripple.yml that goes for dir is, or would be: in dir or
// above it, up to the top of the repository. Beyond that, or without one, a file
// may be anybody's, and it names a program to run.
func projectFile(dir string) string {
	own := filepath.Join(dir, ProjectFile)
	found := ""
	for {
		if path := filepath.Join(dir, ProjectFile); found == "" && layout.There(path) {
			found = path
		}
		if layout.There(filepath.Join(dir, ".git")) {
			return cmp.Or(found, own)
		}
		above := filepath.Dir(dir)
		if above == dir {
			return own
		}
		dir = above
	}
}

// rcLayer reads a .ralphrc. Names that mean nothing to ripple are noted: the
// file may serve other programs too.
func rcLayer(path string, env func(string) string) (l layer, notes []string, errs []error) {
	data, err := layout.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, []error{err}
	}
	values, errs := parseRC(path, string(data), env)
	l = layer{}
	for name, v := range values {
		at := fmt.Sprintf("%s:%d", path, v.line)
		if _, known := lookupSetting(name); !known {
			notes = append(notes, fmt.Sprintf("%s: %s is not a setting of ripple%s", at, name, meant(name)))
			continue
		}
		l[name] = Source{name, v.text, at}
	}
	slices.Sort(notes)
	return l, notes, errs
}

func meant(name string) string {
	var names []string
	for _, s := range settings {
		names = append(names, s.names()...)
	}
	if near := schema.Nearest(name, names); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}
