package mapping

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/jsonsize"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/schema"
	"example.org/ripple/schema/validate"
)

// Limit is what keeps an agent to a list of tools: arguments, environment and a
// file, whose path takes the place of {file} in Args.
type Limit struct {
	Args []string          `json:"args"`
	Env  map[string]string `json:"env"`
	File struct {
		Name string `json:"name"`
		Text string `json:"text"`
	} `json:"file"`
}

// limitInput is the input of the program in options.allowed_tools.limit.
type limitInput struct {
	Tools  []limitTool `json:"tools"`
	Others []string    `json:"others"`
}

type limitTool struct {
	Tool string  `json:"tool"`
	Name string  `json:"name"`
	Rule *string `json:"rule"`
}

// NewLimit runs the program options.allowed_tools.limit for a list of tools. Its
// error(…) is the error's text: the list cannot be kept.
func NewLimit(g *schema.Agent, tools []string) (Limit, error) {
	var l Limit
	code, err := validate.Program(g.Options.AllowedTools.Limit)
	if err != nil {
		return l, err // the loader refuses it
	}
	in, err := document(newLimitInput(g, tools))
	if err != nil {
		return l, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lineLimit)
	defer cancel()
	var got any
	var more bool
	if caught := fault.Catch("running agent.options.allowed_tools.limit", nil, func() { got, more = code.RunWithContext(ctx, in).Next() }); caught != nil {
		return l, caught
	}
	if err, failed := got.(error); failed {
		if e, is := errors.AsType[interface {
			error
			Value() any
		}](err); is {
			if text, is := e.Value().(string); is {
				return l, errors.New(text)
			}
		}
		return l, fmt.Errorf("agent.options.allowed_tools.limit fails: %w", harmless(err))
	}
	if !more {
		return l, errors.New("agent.options.allowed_tools.limit yields nothing")
	}
	if jsonsize.Of(got, jsonsize.Most) > jsonsize.Most {
		return l, fmt.Errorf("agent.options.allowed_tools.limit yields %w", jsonsize.TooLargeError{})
	}
	if err := decode(got, &l); err != nil {
		return l, fmt.Errorf("agent.options.allowed_tools.limit: {args, env, file} was expected: %w", err)
	}
	if l.File.Text != "" && filepath.Base(l.File.Name) != l.File.Name {
		return l, fmt.Errorf("agent.options.allowed_tools.limit: file.name %q must be a file name without a directory", l.File.Name)
	}
	return l, nil
}

func newLimitInput(g *schema.Agent, tools []string) limitInput {
	in := limitInput{Tools: []limitTool{}, Others: []string{}}
	var names []string
	for _, tool := range tools {
		t := limitTool{Tool: tool, Name: tool}
		if name, rule, has := strings.Cut(tool, "("); has {
			rule = strings.TrimSuffix(rule, ")")
			t.Name, t.Rule = name, &rule
		}
		in.Tools, names = append(in.Tools, t), append(names, t.Name)
	}
	for _, tool := range g.Tools.Valid {
		if !slices.Contains(names, tool) && !strings.HasSuffix(tool, "*") {
			in.Others = append(in.Others, tool)
		}
	}
	return in
}

// document is a value as a program takes it.
func document(v any) (doc any, err error) {
	err = decode(v, &doc)
	return doc, err
}

// decode makes one value of another by way of JSON.
func decode(from, to any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}
