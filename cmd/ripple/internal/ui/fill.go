package ui

import (
	"encoding/json"
	"fmt"
	"strings"

	"example.org/ripple/internal/lazyregexp"
)

// tag matches {{name}}, {{#name}}, {{^name}} or {{/name}}. The last three, alone on a line, include
// the line and its end.
var tag = lazyregexp.New(`(?m)^[ \t]*\{\{([#^/])([\w.]+)\}\}[ \t]*\n|\{\{([#^/]?)([\w.]+)\}\}`)

// Fill replaces the names in a template by values. Text between {{#name}} and {{/name}} is included
// if the value is not empty, text after {{^name}} if it is: the logic-less half of mustache
// (https://mustache.github.io/mustache.5.html), without lists. Values are inserted unchanged: the
// caller quotes values for a JSON template. An error is about the template: a name without a value,
// or an unclosed section.
//
// Go's own templates call methods by name. With them the linker keeps every method of every type,
// which is a seventh of the binary.
func Fill(template string, values map[string]string) (string, error) {
	var out strings.Builder
	_, err := fillTo(&out, template, "", true, values)
	return out.String(), err
}

// fillTo fills text up to the end of a section and returns the rest.
func fillTo(out *strings.Builder, text, section string, shown bool, values map[string]string) (rest string, err error) {
	say := func(s string) {
		if shown {
			out.WriteString(s)
		}
	}
	for {
		m := tag().FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		say(text[:m[0]])
		kind, name := matchedGroup(text, m, 1)+matchedGroup(text, m, 3), matchedGroup(text, m, 2)+matchedGroup(text, m, 4)
		text = text[m[1]:]
		value, known := values[name]
		switch {
		case kind == "/" && name == section:
			return text, nil
		case kind == "/" || !known:
			return text, fmt.Errorf("unexpected {{%s%s}} in the template", kind, name)
		case kind == "":
			say(value)
			continue
		}
		if text, err = fillTo(out, text, name, shown && (value != "") == (kind == "#"), values); err != nil {
			return text, err
		}
	}
	if section != "" {
		return "", fmt.Errorf("the template has no {{/%s}}", section)
	}
	say(text)
	return "", nil
}

// matchedGroup returns the match of a group, or "" if it did not participate.
func matchedGroup(text string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return text[m[2*n]:m[2*n+1]]
}

// MustQuoteJSON encodes a value, of a type whose encoding cannot fail, as JSON on one line, which is
// also valid YAML.
func MustQuoteJSON[T string | []string | map[string]string](v T) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
