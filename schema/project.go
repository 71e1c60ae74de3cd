package schema

import (
	"bytes"
	_ "embed"
	"strings"

	"gopkg.in/yaml.v3"
)

//go:embed project.schema.json
var projectText []byte

// ProjectJSON returns the JSON Schema (draft 2020-12) of ripple.yml, for editors.
func ProjectJSON() []byte { return bytes.Clone(projectText) }

var projectGrammar = newGrammar("project", "the file", "ripple.yml", "", projectText)

// Project is the content of a ripple.yml; keys that it does not set are zero or nil.
type Project struct {
	Source   string                    `yaml:"-"`
	CLI      ProjectCLI                `yaml:"cli"`
	Adapters map[string]ProjectAdapter `yaml:"adapters"`
	Hats     []ProjectHat              `yaml:"-"` // in the order of the file
	Loop     map[string][]string       `yaml:"-"` // by key of loop: one text or the items of a list

	Box        map[string][]string `yaml:"-"` // likewise; nil: the file has no such section
	EventLoop  map[string][]string `yaml:"-"` // likewise
	UnusedKeys []UnusedKey         `yaml:"-"` // keys that are set without effect

	places map[string]place // for Position
}

// ProjectCLI is the section cli.
type ProjectCLI struct {
	Backend         string   `yaml:"backend"`
	Command         string   `yaml:"command"`
	Args            []string `yaml:"args"`
	PromptMode      string   `yaml:"prompt_mode"` // arg, stdin
	PromptFlag      string   `yaml:"prompt_flag"`
	DefaultMode     string   `yaml:"default_mode"` // autonomous, interactive
	IdleTimeoutSecs int      `yaml:"idle_timeout_secs"`
	TTY             bool     `yaml:"tty"`
	Output          string   `yaml:"output"` // text, json
	Resume          []string `yaml:"resume"` // with {session_id}
}

// ProjectAdapter is an entry of the section adapters. Enabled is nil and Timeout, in seconds, is 0
// if it is not set.
type ProjectAdapter struct {
	Enabled *bool `yaml:"enabled"`
	Timeout int   `yaml:"timeout"`
}

// ParseProject reads a ripple.yml from memory; source is its name in messages. The project is nil
// if there is any error.
func ParseProject(source string, data []byte) (*Project, []Diagnostic) {
	d := parseDocumentAs(projectGrammar, source, data)
	if d.root != nil {
		validation{d}.validate()
	}
	if len(d.diags) > 0 {
		return nil, sortDiagnostics(d.diags)
	}
	p := &Project{Source: source, places: d.places}
	if d.root == nil { // nothing but comments
		return p, nil
	}
	if err := d.root.Decode(p); err != nil {
		d.errorAt(1, 1, KindType, "cannot be read: %v", err)
		return nil, d.diags
	}
	p.Loop, p.EventLoop = d.settings("/loop"), d.settings("/event_loop")
	if d.has("/box") {
		p.Box = d.settings("/box")
	}
	rules := projectRules{d}
	p.UnusedKeys = rules.idle()
	if err := rules.hats(p); err != nil {
		d.errorAt(1, 1, KindType, "cannot be read: %v", err)
		return nil, d.diags
	}
	rules.checkProject(p)
	if len(d.diags) > 0 {
		return nil, sortDiagnostics(d.diags)
	}
	return p, nil
}

// Position returns the position of a key or of the item of a list, such as "cli", "backend". If it
// does not exist, the position is that of the nearest enclosing one.
func (p *Project) Position(path ...string) Position {
	d := document{places: p.places}
	for ; len(path) > 0; path = path[:len(path)-1] {
		pointer := ""
		for _, key := range path {
			pointer += "/" + escape(key)
		}
		if _, there := p.places[pointer]; there {
			return d.position(pointer)
		}
	}
	return d.position("")
}

// settings are the scalars and lists of a section as text; null sets nothing.
func (d *document) settings(section string) map[string][]string {
	list := map[string][]string{}
	n := d.places[section].value
	if n == nil {
		return list
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		if v.Kind != yaml.SequenceNode {
			list[key.Value] = []string{v.Value}
			continue
		}
		list[key.Value] = nil
		for _, item := range v.Content {
			list[key.Value] = append(list[key.Value], item.Value)
		}
	}
	return list
}

// projectRules are those for what the keys of a project file mean together.
type projectRules struct{ *document }

func (r projectRules) checkProject(p *Project) {
	for _, h := range p.Hats {
		r.checkHat(h)
	}
	if r.has("/event_loop/prompt") && r.has("/event_loop/prompt_file") {
		r.errorPointer("/event_loop/prompt", KindConflict, "prompt and prompt_file cannot be combined")
	}
	c := p.CLI
	switch {
	case c.Backend == "custom":
		r.needs("/cli/backend", "backend: custom", "/cli/command")
		if c.PromptMode == "stdin" && c.TTY {
			r.errorPointer("/cli/tty", KindConflict, "a prompt on standard input cannot use a terminal, which has no end of input: remove tty, or set prompt_mode: arg")
		}
		if c.PromptMode == "stdin" && c.PromptFlag != "" {
			r.errorPointer("/cli/prompt_flag", KindConflict, "prompt_flag needs prompt_mode: arg")
		}
		if c.Resume != nil && c.Output != "json" {
			r.errorPointer("/cli/resume", KindConflict, "plain text reports no session to continue: resume needs output: json")
		}
		if c.Resume != nil && !strings.Contains(strings.Join(c.Resume, "\n"), "{session_id}") {
			r.errorPointer("/cli/resume", KindConflict, "resume does not name the session: one of its arguments must contain {session_id}")
		}
	default:
		if c.Backend == "" || c.Backend == "auto" {
			r.needsCustom("/cli/args", "%s needs backend: NAME, because arguments are for one agent")
		}
		for _, key := range []string{"/cli/command", "/cli/tty", "/cli/output", "/cli/resume"} {
			r.needsCustom(key, "%s needs backend: custom")
		}
	}
}

// needsCustom refuses a key that is there.
func (r projectRules) needsCustom(key, why string) {
	if r.has(key) {
		r.errorPointer(key, KindConflict, why, keyName(key))
	}
}
