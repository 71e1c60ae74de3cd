package config

import (
	"fmt"
	"strings"
)

// Rule says of which uses of a tool somebody has decided: TOOL or TOOL(INPUT), where *
// stands for anything.
type Rule struct {
	text, tool string
	input      *string // nil: any
}

// ParseRule reads a rule.
func ParseRule(text string) (Rule, error) {
	r := Rule{text: text, tool: text}
	if tool, rest, has := strings.Cut(text, "("); has {
		input, closed := strings.CutSuffix(rest, ")")
		if !closed {
			return r, fmt.Errorf("%q has no ) at its end; write TOOL or TOOL(INPUT), with * for anything: Bash(git *)", text)
		}
		r.tool, r.input = tool, &input
	}
	if r.tool = strings.TrimSpace(r.tool); r.tool == "" {
		return r, fmt.Errorf("%q names no tool; write TOOL or TOOL(INPUT), with * for anything: Bash(git *)", text)
	}
	return r, nil
}

func (r Rule) String() string { return r.text }

// Tool says whether a tool has this name, in whatever case.
func (r Rule) Tool(name string) bool {
	return name != "" && glob(strings.ToLower(r.tool), strings.ToLower(name))
}

// Input says whether the rule is for what a tool is used on.
func (r Rule) Input(text string) bool { return r.input == nil || glob(*r.input, text) }

// Open says that the rule does not name the whole of what a tool is used on.
func (r Rule) Open() bool { return r.input != nil && strings.Contains(*r.input, "*") }

// glob matches a text with a pattern whose stars stand for any characters.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return true
}

// rules reads a list of rules, a line each.
func rules(field func(*Config) *[]Rule) func(*Config, string) error {
	return func(c *Config, v string) error {
		*field(c) = nil
		for _, line := range words(v, "\n") {
			r, err := ParseRule(line)
			if err != nil {
				return err
			}
			*field(c) = append(*field(c), r)
		}
		return nil
	}
}
