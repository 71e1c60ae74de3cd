package ui

import (
	"encoding/json"
	"fmt"
	"strings"

	"ripple/internal/lazyregexp"
)

// tag is {{name}}, {{#name}}, {{^name}} or {{/name}}. The last three, alone on a line,
// are of the line with its end.
var tag = lazyregexp.New(`(?m)^[ \t]*\{\{([#^/])([\w.]+)\}\}[ \t]*\n|\{\{([#^/]?)([\w.]+)\}\}`)

// Fill puts values where a template names them. What stands from {{#name}} to {{/name}}
// is there where the value is not empty, from {{^name}} where it is: the logic-less
// half of mustache (https://mustache.github.io/mustache.5.html), without lists. Values
// are put in as they are: who fills a template of JSON gives quoted ones. An error is
// of the template: a name without a value, a section that is not closed.
//
// Go's own templates call methods by their names. With them in the binary the linker
// keeps every method of every type, which is a seventh of it.
func Fill(template string, values map[string]string) (string, error) {
	var out strings.Builder
	_, err := fillTo(&out, template, "", true, values)
	return out.String(), err
}

// fillTo fills up to the end of a section, and gives what follows it.
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
		kind, name := group(text, m, 1)+group(text, m, 3), group(text, m, 2)+group(text, m, 4)
		text = text[m[1]:]
		value, known := values[name]
		switch {
		case kind == "/" && name == section:
			return text, nil
		case kind == "/" || !known:
			return text, fmt.Errorf("the template has {{%s%s}}, which means nothing there", kind, name)
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

// group is what a group has matched, "" when it took no part.
func group(text string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return text[m[2*n]:m[2*n+1]]
}

// QuoteJSON writes a value as JSON on one line, which YAML reads too.
func QuoteJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// MustQuoteJSON is for strings and lists of them, which have no value that JSON has not.
func MustQuoteJSON[T string | []string | map[string]string](v T) string {
	text, err := QuoteJSON(v)
	if err != nil {
		panic(err)
	}
	return text
}
