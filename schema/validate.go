package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"example.org/ripple/schema/internal/library"
)

// validation holds a document against its JSON Schema.
type validation struct{ *document }

// validate reports everything that the JSON Schema refuses. It returns the
// pointers of the values at fault, so that the rest can be checked further.
func (v validation) validate() map[string]bool {
	bad := map[string]bool{}
	failed, err := v.grammar.validator()(value(v.root))
	switch {
	case failed != nil:
		v.leaves(*failed, bad)
	case err != nil:
		v.errorAt(1, 1, KindSyntax, "cannot be validated: %v", err)
	}
	v.validateNumbers(bad)
	return bad
}

// validateNumbers checks numbers and booleans in places where text is expected: for the
// validator they are not text, and `expect: +5` is not a pattern.
func (v validation) validateNumbers(bad map[string]bool) {
	v.eachFormat(v.grammar.root(), v.root, "", func(pointer string, k jsonObject, n *yaml.Node) {
		if n.ShortTag() != "!!str" && !isNull(n) && !bad[pointer] {
			v.explainFormat(k, keyName(pointer), n)
		}
	})
}

// eachFormat calls f for every string of the file that has a form.
func (v validation) eachFormat(k jsonObject, n *yaml.Node, pointer string, f func(pointer string, k jsonObject, n *yaml.Node)) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if p := k.property(name); p != nil {
				v.eachFormat(p, n.Content[i+1], pointer+"/"+escape(name), f)
			}
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			v.eachFormat(k.items(), item, indexed(pointer, i), f)
		}
	case yaml.ScalarNode:
		if _, has := k["format"]; has && n.Line > 0 {
			f(pointer, k, n)
		}
	}
}

func (v validation) leaves(e library.Violation, bad map[string]bool) {
	for _, c := range e.Causes {
		v.leaves(c, bad)
	}
	if len(e.Causes) == 0 {
		v.explain(e, bad)
	}
}

// explain turns one failure of the validator into diagnostics in our words.
func (v validation) explain(e library.Violation, bad map[string]bool) {
	_, location, _ := strings.Cut(e.Keyword, "#")
	cut := strings.LastIndexByte(location, '/')
	rule, _ := v.grammar.root().at(location[:cut]).(map[string]any)
	k, keyword := jsonObject(rule), location[cut+1:]
	where := v.places[e.Instance]
	if where.value == nil {
		where.value = v.root
	}
	if strings.HasSuffix(location, "/propertyNames/"+keyword) {
		bad[e.Instance] = true
		section := parent(e.Instance)
		if empty := v.places[e.Instance+"/"].key; empty != nil { // the validator reports an empty key with the pointer of its section
			section, where.key = e.Instance, empty
		}
		v.explainFormat(k, v.sectionName(section), where.key)
		return
	}
	switch keyword {
	case "additionalProperties":
		v.unknownKeys(k, e.Instance, bad)
	case "required":
		v.missingKeys(k, where, e.Instance)
	default:
		bad[e.Instance] = true
		v.explainValue(k, keyword, e, where)
	}
}

func (v validation) explainValue(k jsonObject, keyword string, e library.Violation, where place) {
	n, name := where.value, keyName(e.Instance)
	switch keyword {
	case "type":
		v.errorNode(n, KindType, "%s must be %s, found %s%s", name, typeNames(k.strings("type")), describe(n), typeHint(k, n))
	case "enum":
		allowed := k.strings("enum")
		v.errorNode(n, KindEnum, "%s cannot be %s%s; one of %s", name, describe(n), Suggest(n.Value, allowed), strings.Join(allowed, ", "))
	case "const":
		v.errorNode(n, KindVersion, "schema version %s is not supported; this ripple supports schema %v", n.Value, k["const"])
	case "format":
		v.explainFormat(k, name, n)
	case "minimum", "maximum":
		v.errorNode(n, KindValue, "%s must lie between %.0f and %.0f, found %s", name, k["minimum"], k["maximum"], n.Value)
	case "minLength":
		v.errorNode(n, KindValue, "%s cannot be empty", name)
	case "minItems":
		v.errorNode(n, KindValue, "%s must have at least %.0f items, found %d", name, k["minItems"], len(n.Content))
	case "maxItems":
		v.errorNode(n, KindValue, "%s must have at most %.0f items, found %d", name, k["maxItems"], len(n.Content))
	default:
		v.errorNode(n, KindValue, "%s: %s", name, e.Message)
	}
}

func (v validation) explainFormat(k jsonObject, name string, n *yaml.Node) {
	f := formats[k.strings("format")[0]]
	err := f.check(n.Value)
	if err == nil {
		return
	}
	line, column := n.Line, n.Column
	if program, is := errors.AsType[*ProgramError](err); is && program.Offset >= 0 {
		line, column = v.inside(n, program.Offset)
	}
	var at *TemplateError
	if errors.As(err, &at) && v.verbatim(n) {
		column += at.Column - 1
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			column++
		}
	}
	message := err.Error()
	if f.kind == KindPattern {
		message = "bad pattern: " + message
	}
	v.errorAt(line, column, f.kind, "%s: %s", name, message)
}

// inside returns the position in the file of a byte of a scalar's value.
func (v validation) inside(n *yaml.Node, offset int) (line, column int) {
	before := n.Value[:min(offset, len(n.Value))]
	inLine := len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
	switch {
	case n.Style&yaml.LiteralStyle != 0 && n.Line < len(v.lines):
		first := v.lines[n.Line] // the line after the one with the "|"
		indent := len(first) - len(strings.TrimLeft(first, " "))
		return n.Line + 1 + strings.Count(before, "\n"), indent + 1 + inLine
	case v.verbatim(n):
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			inLine++
		}
		return n.Line, n.Column + inLine
	}
	return n.Line, n.Column
}

// verbatim reports whether a scalar is written in the file exactly as its value, so that
// an offset in its value is an offset in its line.
func (v validation) verbatim(n *yaml.Node) bool {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || n.Line > len(v.lines) {
		return false
	}
	line := []rune(v.lines[n.Line-1])
	return n.Column <= len(line) && strings.Contains(string(line[n.Column-1:]), n.Value)
}

func (v validation) unknownKeys(k jsonObject, pointer string, bad map[string]bool) {
	known := k.names()
	n := v.places[pointer].value
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if slices.Contains(known, key.Value) {
			continue
		}
		bad[pointer+"/"+escape(key.Value)] = true
		switch {
		case len(v.diags) > maxDiagnostics: // suggestions for a hostile file take time
		default:
			v.errorNode(key, KindUnknown, "unknown key %s in %s%s", quoted(key.Value), v.sectionName(pointer), knownKeys(key.Value, known))
		}
	}
}

// knownKeys suggests a key, or lists them all if they are few.
func knownKeys(word string, known []string) string {
	if hint := Suggest(word, known); hint != "" || len(known) > 12 {
		return hint
	}
	return "; one of " + strings.Join(known, ", ")
}

func (v validation) missingKeys(k jsonObject, where place, pointer string) {
	at := where.key
	if at == nil {
		at = where.value
	}
	for _, name := range k.strings("required") {
		// An author who writes the section agent has misspelled the family, and has not
		// forgotten the keys of a session.
		misspelt := pointer == "" && v.has("/agent") && (name == "init" || name == "prompt")
		if _, set := v.places[pointer+"/"+escape(name)]; !set && !misspelt {
			v.errorNode(at, KindMissing, "%s needs the key %q", v.sectionName(pointer), name)
		}
	}
}

// yamlBooleans are the booleans of YAML 1.1, which are strings today.
var yamlBooleans = map[string]string{"yes": "true", "on": "true", "no": "false", "off": "false"}

// typeHint says how to fix the usual slips.
func typeHint(k jsonObject, n *yaml.Node) string {
	types := k.strings("type")
	switch {
	case n.Kind != yaml.ScalarNode:
		return ""
	case k["format"] == "semver" && semver().MatchString(n.Value+".0"):
		return "; it has three parts: " + n.Value + ".0"
	case k["format"] == "semver" && semver().MatchString(n.Value+".0.0"):
		return "; it has three parts: " + n.Value + ".0.0"
	case slices.Contains(types, "string") && !isNull(n):
		return "; quote it: " + quoted(n.Value)
	case slices.Contains(types, "array"):
		return fmt.Sprintf("; write [%s]", shorten(n.Value))
	case slices.Contains(types, "boolean"):
		return Suggest(yamlBooleans[strings.ToLower(n.Value)], []string{"true", "false"})
	}
	return ""
}

var typeName = map[string]string{
	"string": "a string", "integer": "a whole number", "number": "a number",
	"boolean": "true or false", "array": "a list", "object": "a mapping",
}

func typeNames(types []string) string {
	var names []string
	for _, t := range types {
		names = append(names, typeName[t])
	}
	return strings.Join(names, " or ")
}

// keyName writes a pointer as people write a key: "tests[2].expect".
func keyName(pointer string) string {
	var b strings.Builder
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if token != "" && strings.Trim(token, "0123456789") == "" {
			fmt.Fprintf(&b, "[%s]", token)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(shorten(unescape(token)))
	}
	return b.String()
}

func parent(pointer string) string { return pointer[:strings.LastIndexByte(pointer, '/')] }

func (v validation) sectionName(pointer string) string {
	if pointer == "" {
		return v.grammar.what
	}
	return keyName(pointer)
}
