package loop

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ripple/schema"
)

// ProjectFile is the name of the project's configuration.
const ProjectFile = "ripple.yml"

// layer is one source of values: a setting's name to its value and place.
type layer map[string]Source

// LoadConfig reads the configuration of a project: flags (by the setting's Flag)
// before the environment, ripple.yml, .ralph/.ralphrc, .ralphrc and defaults. Of
// two names for one setting the neutral one counts within a source. All errors of
// all files come at once, joined; notes are what is odd and does no harm.
func LoadConfig(project string, flags map[string]string, env func(string) string) (c *Config, notes []string, err error) {
	file, diags := schema.LoadProject(filepath.Join(project, ProjectFile))
	var errs []error
	for _, d := range diags {
		errs = append(errs, errors.New(d.Format()))
	}
	layers := []layer{flagLayer(flags), envLayer(env), projectLayer(file)}
	for _, path := range []string{filepath.Join(project, Dir, RCFile), filepath.Join(project, RCFile)} {
		l, n, rcErrs := rcLayer(path, env)
		layers, notes, errs = append(layers, l), append(notes, n...), append(errs, rcErrs...)
	}
	c = &Config{Mode: "autonomous", sources: map[string]Source{}, timeouts: map[string]ownTimeout{}}
	for _, s := range settings {
		errs = append(errs, c.choose(s, layers))
	}
	c.addProject(file)
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

// IsSet says whether anybody set a setting: its value is not the default.
func (c *Config) IsSet(name string) bool { return c.sources[name].From != "default" }

// idle notes what somebody set and ripple makes nothing of.
func (c *Config) idle(project string) (notes []string) {
	for _, s := range settings {
		if from := c.sources[s.Name]; s.Idle != "" && c.IsSet(s.Name) && !strings.EqualFold(from.Value, s.Default) {
			notes = append(notes, fmt.Sprintf("%s: %s has no effect in ripple: %s", from.From, from.Name, s.Idle))
		}
	}
	if c.Mode != "autonomous" {
		notes = append(notes, ProjectFile+": cli.default_mode: interactive has no effect in ripple: a loop runs without a person")
	}
	other := strings.TrimSuffix(ProjectFile, "yml") + "yaml"
	if _, err := os.Stat(filepath.Join(project, other)); err == nil {
		notes = append(notes, fmt.Sprintf("%s is not read; its name must be %s", other, ProjectFile))
	}
	return notes
}

// For returns the configuration for the adapter that was chosen: adapters.NAME of
// ripple.yml is before .ralphrc and after flags and the environment.
func (c *Config) For(adapter string) *Config {
	own := *c
	const name = "AGENT_TIMEOUT_MINUTES"
	from := c.sources[name].From
	if t, has := c.timeouts[adapter]; has && from != "environment" && !strings.HasPrefix(from, "--") {
		own.Timeout, own.sources = t.span, maps.Clone(c.sources)
		own.sources[name] = Source{"adapters." + adapter + ".timeout", t.span.String(), t.from}
	}
	return &own
}

func flagLayer(flags map[string]string) layer {
	l := layer{}
	for _, s := range settings {
		if v, given := flags[s.Flag]; given && s.Flag != "" {
			l[s.Name] = Source{s.Name, v, "--" + s.Flag}
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

func projectLayer(p *schema.Project) layer {
	l := layer{}
	if p == nil {
		return l
	}
	at := func(pos schema.Position) string { return placeIn(p, pos) }
	for _, s := range settings {
		if v, has := p.Loop[s.Key()]; has {
			separator := ","
			if s.Repeats {
				separator = "\n"
			}
			l[s.Name] = Source{"loop." + s.Key(), strings.Join(v.Values, separator), at(v.Pos)}
		}
	}
	if p.CLI.Backend != "" {
		l["PLATFORM_DRIVER"] = Source{"cli.backend", p.CLI.Backend, at(p.Position("cli", "backend"))}
	}
	if n := p.CLI.IdleTimeoutSecs; n > 0 {
		l["AGENT_IDLE_TIMEOUT_SECS"] = Source{"cli.idle_timeout_secs", strconv.Itoa(n), at(p.Position("cli", "idle_timeout_secs"))}
	}
	return l
}

func placeIn(p *schema.Project, pos schema.Position) string {
	return fmt.Sprintf("%s:%d:%d", p.Source, pos.Line, pos.Column)
}

// addProject takes what only ripple.yml can say.
func (c *Config) addProject(p *schema.Project) {
	if p == nil {
		return
	}
	c.Command, c.Args, c.PromptMode, c.PromptFlag = p.CLI.Command, p.CLI.Args, p.CLI.PromptMode, p.CLI.PromptFlag
	if p.CLI.DefaultMode != "" {
		c.Mode = p.CLI.DefaultMode
	}
	for name, a := range p.Adapters {
		if a.Enabled != nil && !*a.Enabled {
			c.Disabled = append(c.Disabled, name)
		}
		if a.Timeout > 0 {
			c.timeouts[name] = ownTimeout{time.Duration(a.Timeout) * time.Second, placeIn(p, p.Position("adapters", name))}
		}
	}
	slices.Sort(c.Disabled)
}

// rcLayer reads a .ralphrc. Names that mean nothing to ripple are noted: the
// file may serve other programs too.
func rcLayer(path string, env func(string) string) (l layer, notes []string, errs []error) {
	data, err := os.ReadFile(path)
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
