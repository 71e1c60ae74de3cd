//go:build linux

package torture

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// programs is the contents of programs.yaml.
type programs struct {
	Groups   map[string][]string // ordered from the narrowest to the widest in Wider
	Wider    []string            // the groups in the order in which a spelling is looked up
	Programs []program
}

// program is a program with which cases are run.
type program struct {
	Name      string
	ExitCodes bool `yaml:"exit_codes"` // false: it reports none, and null is correct
	Say       map[string]string
	Probe     []step
}

// class is a file of cases.
type class struct {
	name  string
	Cases []tortureCase
}

// tortureCase is an abuse of a session, with all its expectations.
type tortureCase struct {
	Name    string
	Because string
	CI      []string          // the programs, or groups, with which it runs in CI
	Home    map[string]string // files of the home directory
	Work    map[string]string // files of the working directory
	Flags   []string
	Timeout time.Duration // for one command; default 10s
	Steps   []step
	Files   map[string]string // expected files of the working directory afterwards
	Matches map[string]string // patterns for the contents of files afterwards, which must not contain anything of ripple's
	Kept    []string          // files of Home that must be unchanged afterwards
	Writer  *writer
	Ends    *ending
	Again   bool // the next session removes the files that this one had to leave
}

// step is a command with its expected results, or a probe.
type step struct {
	Send   spelling
	Probe  string  // loud: the program's probe; mute: its output is redirected
	Await  string  // a file that must exist before the step
	Signal *signal // during the command; without Send, between two commands
	Says   string  // required standard error by then; nothing follows before
	Silent bool    // ripple is ended: a record is optional
	Ours   bool    // it prints what the shell knows, which may include ripple's own names

	Expect `yaml:",inline"`
	Except map[string]Expect // by program or group, instead of the above
}

// Expect is the expected record of a command.
type Expect struct {
	Output      *string
	Match       string    // a pattern instead of Output
	ExitCode    yaml.Node `yaml:"exit_code"`    // a number or null
	CompletedBy string    `yaml:"completed_by"` // default: marker or prompt
	Failure     string    // a pattern; by default no failure is allowed
	OutOfBand   *string   `yaml:"out_of_band"`
	Unknown     string    // reason why the result may be unknown: from here on, all of the above holds, or null with a reason
}

// signal is sent to ripple once a file exists.
type signal struct {
	Name string
	To   string // ripple, or group: all processes that were started with it
	When string
}

// writer prints numbered lines from the background, from 1 to Lines. Each must arrive once,
// complete and in order, in some output or between two.
type writer struct {
	Line  string // a pattern with one group, the number
	Lines int
}

// ending is the expected end of ripple itself.
type ending struct {
	Exit   int
	Stderr string // a pattern
}

// spelling is a text for every program, or one by program or group; or an idea of programs.yaml
// with its values.
type spelling struct {
	text  string
	by    map[string]*string // nil: not for this one
	given bool
}

func (s *spelling) UnmarshalYAML(n *yaml.Node) error {
	s.given = true
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&s.text)
	}
	return n.Decode(&s.by)
}

// lookup returns the value for a program by its name, or by a group that contains it.
func lookup[T any](p programs, by map[string]T, name string) (T, bool) {
	if v, ok := by[name]; ok {
		return v, true
	}
	for _, g := range p.Wider {
		if v, ok := by[g]; ok && slices.Contains(p.Groups[g], name) {
			return v, true
		}
	}
	var none T
	return none, false
}

// in returns the spelling for a program, or false if it has none.
func (s spelling) in(p programs, in program) (string, bool) {
	if s.by == nil {
		return s.text, s.given
	}
	if idea := s.by["do"]; idea != nil {
		text, ok := in.Say[*idea]
		for key, value := range s.by {
			text = strings.ReplaceAll(text, "{"+key+"}", *value)
		}
		return text, ok
	}
	text, ok := lookup(p, s.by, in.Name)
	if !ok || text == nil {
		return "", false
	}
	return *text, true
}

// applies reports whether every step of a case has a spelling for a program.
func (c tortureCase) applies(p programs, in program) bool {
	for _, s := range c.Steps {
		if s.Probe != "" {
			if len(in.Probe) == 0 {
				return false
			}
			continue
		}
		if _, ok := s.Send.in(p, in); !ok && s.Send.given {
			return false
		}
	}
	return true
}

// inCI reports whether a case is run with a program in CI.
func (c tortureCase) inCI(p programs, in program) bool {
	listed := map[string]bool{}
	for _, name := range c.CI {
		listed[name] = true
	}
	_, ok := lookup(p, listed, in.Name)
	return ok
}

// load reads all of the data.
func load() (programs, []class, error) {
	var p programs
	if err := decode("programs.yaml", &p); err != nil {
		return p, nil, err
	}
	files, err := filepath.Glob("cases/*.yaml")
	if err != nil {
		return p, nil, err
	}
	var classes []class
	for _, file := range files {
		c := class{name: strings.TrimSuffix(filepath.Base(file), ".yaml")}
		if err := decode(file, &c); err != nil {
			return p, nil, err
		}
		for i := range c.Cases {
			if err := c.Cases[i].check(p); err != nil {
				return p, nil, fmt.Errorf("%s: %s: %w", file, c.Cases[i].Name, err)
			}
		}
		classes = append(classes, c)
	}
	return p, classes, nil
}

func decode(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// check refuses a case without expectations.
func (c *tortureCase) check(p programs) error {
	if c.Because == "" || len(c.Steps) == 0 {
		return fmt.Errorf("it needs because and steps")
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	names := append(slices.Clone(c.CI), c.spelled()...)
	for _, name := range names {
		if !p.known(name) {
			return fmt.Errorf("%q is neither a program nor a group of programs.yaml", name)
		}
	}
	for i, s := range c.Steps {
		expects := append(slices.Collect(maps.Values(s.Except)), s.Expect)
		if s.Probe == "loud" || s.Probe == "mute" || s.Silent || !s.Send.given && s.Signal != nil {
			continue
		}
		for _, e := range expects {
			if err := e.check(); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// spelled returns the names of programs and groups that its steps mention.
func (c tortureCase) spelled() []string {
	var names []string
	for _, s := range c.Steps {
		if s.Send.by["do"] == nil {
			names = append(names, slices.Collect(maps.Keys(s.Send.by))...)
		}
		names = append(names, slices.Collect(maps.Keys(s.Except))...)
	}
	return names
}

// find returns the program with a name, or a zero one if there is none.
func (p programs) find(name string) program {
	if i := slices.IndexFunc(p.Programs, func(q program) bool { return q.Name == name }); i >= 0 {
		return p.Programs[i]
	}
	return program{}
}

func (p programs) known(name string) bool {
	_, group := p.Groups[name]
	return group || p.find(name).Name != ""
}

func (e Expect) check() error {
	for _, pattern := range []string{e.Match, e.Failure} {
		if _, err := regexp.Compile(pattern); err != nil {
			return err
		}
	}
	switch {
	case e.Output == nil && e.Match == "":
		return fmt.Errorf("it needs output or match")
	case e.ExitCode.Kind == 0:
		return fmt.Errorf("it needs exit_code, a number or null")
	}
	return nil
}
