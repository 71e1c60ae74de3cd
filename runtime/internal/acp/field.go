package acp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/ripple/runtime/event"
)

// field is one of a form, with its schema
// (https://agentclientprotocol.com/protocol/v1/schema#elicitationpropertyschema).
type field struct {
	name     string
	required bool

	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Enum        []string        `json:"enum"`
	OneOf       []titled        `json:"oneOf"`
	Items       struct {
		Enum  []string `json:"enum"`
		AnyOf []titled `json:"anyOf"`
	} `json:"items"`
	Minimum   *float64 `json:"minimum"`
	Maximum   *float64 `json:"maximum"`
	MinLength *int     `json:"minLength"`
	MaxLength *int     `json:"maxLength"`
	MinItems  *int     `json:"minItems"`
	MaxItems  *int     `json:"maxItems"`
	Pattern   string   `json:"pattern"`
	Format    string   `json:"format"`
}

// titled is a value and its name for people.
type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

func (f field) hasDefault() bool { return has(f.Default) || string(f.Default) == "false" }

// choices are the values that the field has, nil where it has any.
func (f field) choices() (list []titled) {
	if f.Type == "boolean" {
		return []titled{{"true", "Yes"}, {"false", "No"}}
	}
	for _, v := range append(slices.Clone(f.Enum), f.Items.Enum...) {
		list = append(list, titled{v, v})
	}
	return append(append(list, f.OneOf...), f.Items.AnyOf...)
}

// question asks for the field.
func (f field) question(message string) event.Question {
	text := message + "\n" + cmp.Or(f.Title, f.name)
	if f.Description != "" {
		text += ": " + f.Description
	}
	q := event.Question{Kind: event.AskText, Text: strings.TrimSpace(text)}
	switch list := f.choices(); {
	case f.Type == "array":
		var names []string
		for _, c := range list {
			names = append(names, cmp.Or(c.Title, c.Const))
		}
		q.Text += "\nSeveral of these, with commas: " + strings.Join(names, ", ")
	case len(list) > 0:
		q.Kind = event.AskChoice
		for _, c := range list {
			q.Options = append(q.Options, event.Option{ID: c.Const, Name: cmp.Or(c.Title, c.Const)})
		}
	}
	switch {
	case f.hasDefault():
		q.Options = append(q.Options, event.Option{ID: leftOpen, Name: "(the default: " + strings.Trim(string(f.Default), `"`) + ")"})
	case !f.required:
		q.Options = append(q.Options, event.Option{ID: leftOpen, Name: "(leave it open)"})
	}
	return q
}

// value is an answer as the field has it, or why it is none.
func (f field) value(a event.Answer) (v any, why string) {
	text := cmp.Or(a.Option, strings.TrimSpace(a.Text))
	switch f.Type {
	case "boolean":
		c, known := f.choice(text)
		if !known {
			return nil, fmt.Sprintf("%q is neither yes nor no.", text)
		}
		return c == "true", ""
	case "integer":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Sprintf("%q is not a whole number.", text)
		}
		return n, f.outOfRange(float64(n))
	case "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, fmt.Sprintf("%q is not a number.", text)
		}
		return n, f.outOfRange(n)
	case "array":
		return f.several(text)
	}
	if len(f.choices()) > 0 {
		c, known := f.choice(text)
		if !known {
			return nil, fmt.Sprintf("%q is not one of the values.", text)
		}
		return c, ""
	}
	return a.Text, f.wrongText(a.Text)
}

// choice finds a value by itself or its name.
func (f field) choice(text string) (value string, known bool) {
	for _, c := range f.choices() {
		if text == c.Const || strings.EqualFold(text, c.Title) {
			return c.Const, true
		}
	}
	return "", false
}

func (f field) several(text string) (v any, why string) {
	list := []string{}
	for word := range strings.SplitSeq(text, ",") {
		c, known := f.choice(strings.TrimSpace(word))
		if !known {
			return nil, fmt.Sprintf("%q is not one of the values.", strings.TrimSpace(word))
		}
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	if f.MinItems != nil && len(list) < *f.MinItems || f.MaxItems != nil && len(list) > *f.MaxItems {
		return nil, fmt.Sprintf("You gave %d values; the agent expects %s.", len(list), between(f.MinItems, f.MaxItems))
	}
	return list, ""
}

func (f field) outOfRange(n float64) string {
	if f.Minimum != nil && n < *f.Minimum || f.Maximum != nil && n > *f.Maximum {
		return fmt.Sprintf("%v is out of range; the agent expects %s.", n, between(f.Minimum, f.Maximum))
	}
	return ""
}

func between[N int | float64](least, most *N) string {
	switch {
	case most == nil:
		return fmt.Sprintf("%v or more", *least)
	case least == nil:
		return fmt.Sprintf("%v or less", *most)
	}
	return fmt.Sprintf("%v to %v", *least, *most)
}

// wrongText is why a text is none that the field takes. A pattern that Go does not know
// is left to the agent.
func (f field) wrongText(text string) string {
	if n := utf8.RuneCountInString(text); f.MinLength != nil && n < *f.MinLength || f.MaxLength != nil && n > *f.MaxLength {
		return fmt.Sprintf("The text has %d characters; the agent expects %s.", n, between(f.MinLength, f.MaxLength))
	}
	if p, err := regexp.Compile(f.Pattern); err == nil && !p.MatchString(text) {
		return fmt.Sprintf("%q does not match %s.", text, f.Pattern)
	}
	var err error
	wrong := false
	switch f.Format {
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	case "email":
		name, host, _ := strings.Cut(text, "@")
		wrong = name == "" || host == ""
	case "uri":
		var u *url.URL
		u, err = url.Parse(text)
		wrong = err == nil && u.Scheme == ""
	}
	if wrong || err != nil {
		return fmt.Sprintf("%q is not a valid %s.", text, f.Format)
	}
	return ""
}
