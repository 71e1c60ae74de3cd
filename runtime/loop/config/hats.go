package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/schema"
)

// otherNames maps the keys of event_loop to the settings that they stand for.
var otherNames = []struct {
	key, setting, unit string // unit follows the number; "" if there is none
}{
	{"completion_promise", "COMPLETION_PROMISE", ""},
	{"max_iterations", "MAX_TURNS", ""},
	{"max_runtime_seconds", "MAX_RUNTIME", "s"},
	{"max_cost_usd", "MAX_COST", ""},
	{"max_consecutive_failures", "MAX_FAILURES", ""},
	{"idle_timeout_secs", "AGENT_IDLE_TIMEOUT_SECS", "s"},
}

// addEventLoop reads settings by their other names. Two names of one setting must have the same
// value.
func (l layer) addEventLoop(p *schema.Project) (errs []error) {
	for _, n := range otherNames {
		v, given := p.EventLoop[n.key]
		if !given {
			continue
		}
		this := Source{"event_loop." + n.key, strings.Join(v, ",") + n.unit, place(p, "event_loop", n.key)}
		if d, err := time.ParseDuration(this.Value); n.unit != "" && err == nil && d > longest {
			this.Value = longest.String()
		}
		other, both := l[n.setting]
		if both && !same(n.setting, this.Value, other.Value) {
			errs = append(errs, fmt.Errorf("%s: %s is %s, but %s (%s), another name of the same setting, is %s: remove one of them", this.From, this.Name, v[0], other.Name, other.From, other.Value))
		}
		l[n.setting] = this
	}
	return errs
}

// same reports whether two values of a setting have the same meaning.
func same(setting, one, two string) bool {
	s, _ := lookupSetting(setting)
	var a, b Config
	err := errors.Join(s.set(&a, one), s.set(&b, two))
	return err == nil && reflect.DeepEqual(a, b)
}

// addHats reads and checks the hats of ripple.yml.
func (c *Config) addHats(p *schema.Project) (notes []string, errs []error) {
	c.Hats = &hats.Rules{Promise: c.Promise}
	if p == nil {
		return nil, nil
	}
	c.Hats.Required = p.EventLoop["required_events"]
	c.Hats.Start = strings.Join(p.EventLoop["starting_event"], "")
	c.Prompt = strings.Join(p.EventLoop["prompt"], "")
	c.PromptFile = promptFile(p)
	for _, h := range p.Hats {
		c.Hats.Hats = append(c.Hats.Hats, hatOf(h))
		if strings.Contains(h.Instructions, "ralph emit") {
			notes = append(notes, place(p, "hats", h.Key, "instructions")+": the instructions of "+h.Key+" say `ralph emit`, which does not exist: use ripple's `emit`, or have a line <event topic=…> written")
		}
		c.hatPlaces[h.Key] = place(p, "hats", h.Key, "backend")
	}
	bounded := false
	for _, name := range []string{"MAX_TURNS", "MAX_RUNTIME", "MAX_COST", "MAX_TOKENS"} {
		bounded = bounded || c.IsSet(name)
	}
	for _, problem := range c.Hats.Check(bounded) {
		text := place(p, problem.Path...) + ": " + problem.Message
		if problem.Error {
			errs = append(errs, errors.New(text))
		} else {
			notes = append(notes, text)
		}
	}
	if len(p.Hats) == 0 && c.Hats.Start != "" {
		notes = append(notes, fmt.Sprintf("%s: event_loop.starting_event has no effect: there are no hats", place(p, "event_loop", "starting_event")))
	}
	return notes, errs
}

// promptFile returns the path of the task of a ripple.yml; "" for none.
func promptFile(p *schema.Project) string {
	file := strings.Join(p.EventLoop["prompt_file"], "")
	if file == "" || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(p.Source), file)
}

// TaskLine describes for a user where the task is read that a file of the project names, if not just at its path: through a link,
// or not at all. Otherwise it returns nothing.
func TaskLine(project, path string) []string {
	if path == "" {
		return nil
	}
	read, err := projectfile.Target(project, path)
	if refused, is := errors.AsType[*projectfile.RefusedError](err); is {
		return []string{"the task is not read: " + refused.Error()}
	}
	if top, dirErr := filepath.EvalSymlinks(project); dirErr == nil {
		if name, inside := projectfile.Relative(project, path); inside {
			path = filepath.Join(top, filepath.FromSlash(name))
		}
	}
	if err != nil || read == filepath.Clean(path) {
		return nil
	}
	return []string{"the task is read, through a link, from: " + read}
}

func hatOf(h schema.ProjectHat) hats.Hat {
	args := h.Args
	for _, more := range [][]string{h.BackendArgs, h.Backend.Args} {
		if more != nil {
			args = more
		}
	}
	return hats.Hat{
		Key: h.Key, Name: h.Name, Description: h.Description, Triggers: h.Triggers, Publishes: h.Publishes, Default: h.DefaultPublishes,
		Instructions:   strings.TrimSpace(strings.Join(append([]string{h.Instructions}, h.ExtraInstructions...), "\n\n")),
		MaxActivations: h.MaxActivations, MaxCost: h.MaxCost, Verify: h.Verify,
		Adapter: h.Backend.Type, Model: cmp.Or(h.Backend.Model, h.Model), Args: args,
		AllowedTools: h.AllowedTools, PermissionMode: h.PermissionMode, Session: cmp.Or(h.Session, hats.Own),
		Timeout: time.Duration(h.Timeout) * time.Second,
	}
}

// hatRuns returns the settings of a hat that need confirmation: all its texts, because each of them reaches the prompt of an agent,
// or says which agent and which commands run. Numbers and times are limits.
func hatRuns(h hats.Hat) (lines []string) {
	if h.Session == hats.Own {
		h.Session = ""
	}
	v := reflect.ValueOf(h)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		at := "hats." + h.Key + "." + cmp.Or(hatKeys[name], strings.ToLower(name)) + ": "
		switch value := v.Field(i).Interface().(type) {
		case string:
			if value != "" && name != "Key" {
				lines = append(lines, at+value)
			}
		case []string:
			switch {
			case name == "Verify":
				for _, command := range value {
					lines = append(lines, at+command)
				}
			case name == "Args" && value != nil:
				lines = append(lines, at+argWords(value))
			case value != nil:
				lines = append(lines, at+strings.Join(value, ","))
			}
		}
	}
	return lines
}

// argWords joins arguments; those that could look like several ones, or like none, are quoted.
func argWords(args []string) string {
	shown := make([]string, len(args))
	for i, a := range args {
		if shown[i] = a; a == "" || strings.ContainsAny(a, " \t\n\"") {
			shown[i] = strconv.Quote(a)
		}
	}
	return strings.Join(shown, " ")
}

// hatKeys are the keys in ripple.yml of the fields of a hat whose names differ from them.
var hatKeys = map[string]string{"Default": "default_publishes", "Adapter": "backend", "AllowedTools": "allowed_tools", "PermissionMode": "permission_mode"}

// HatPlace returns the location of a hat's backend in ripple.yml.
func (c *Config) HatPlace(hat string) string { return c.hatPlaces[hat] }
