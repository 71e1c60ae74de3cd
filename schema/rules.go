package schema

import (
	"math"
	"slices"
	"unicode/utf8"
)

// violation is one thing that the JSON Schema refuses.
type violation struct {
	pointer string // to the value, or to the one whose name is at fault
	rule    keys   // the object of the JSON Schema that refuses it
	keyword string // and its keyword
	isName  bool   // under propertyNames
}

// rules goes through a value and the JSON Schema together. It knows the keywords
// of draft 2020-12 that our schemas use, `properties` and `$defs` aside those of
// keywords below, and is held against a whole implementation by tests. That one is
// not linked in: it compiles all meta-schemas when a process starts, which costs
// each command more than all else before its first line.
type rules struct{ broken []violation }

// violations lists all that the JSON Schema k refuses of a value.
func violations(k keys, v any) []violation {
	var r rules
	r.check(k, v, "")
	return r.broken
}

// keywords refuse a value of the right type.
var keywords = map[string]func(k keys, v any) bool{
	"const": func(k keys, v any) bool { return !same(v, k["const"]) },
	"enum":  func(k keys, v any) bool { return !oneOf(v, k["enum"]) },
	"format": func(k keys, v any) bool {
		s, is := v.(string)
		return is && formats[k["format"].(string)].check(s) != nil
	},
	"minimum": func(k keys, v any) bool { n, is := number(v); return is && n < k["minimum"].(float64) },
	"maximum": func(k keys, v any) bool { n, is := number(v); return is && n > k["maximum"].(float64) },
	"minLength": func(k keys, v any) bool {
		s, is := v.(string)
		return is && utf8.RuneCountInString(s) < k.count("minLength")
	},
	"minItems": func(k keys, v any) bool { l, is := v.([]any); return is && len(l) < k.count("minItems") },
	"maxItems": func(k keys, v any) bool { l, is := v.([]any); return is && len(l) > k.count("maxItems") },
	"required": func(k keys, v any) bool { m, is := v.(map[string]any); return is && missing(m, k.strings("required")) },
	"additionalProperties": func(k keys, v any) bool {
		m, is := v.(map[string]any)
		return is && k["additionalProperties"] == false && k.lacks(m)
	},
}

func (r *rules) check(k keys, v any, pointer string) {
	if k == nil {
		return // anything is allowed, or this key was refused
	}
	k = k.resolve()
	if types := k["type"]; types != nil && !hasType(v, types) {
		r.broken = append(r.broken, violation{pointer: pointer, rule: k, keyword: "type"})
		return
	}
	for word, refuses := range keywords {
		if k[word] != nil && refuses(k, v) {
			r.broken = append(r.broken, violation{pointer: pointer, rule: k, keyword: word})
		}
	}
	if condition := k.object("if"); condition != nil {
		branch := "then"
		if len(violations(condition, v)) > 0 {
			branch = "else"
		}
		r.check(k.object(branch), v, pointer)
	}
	switch v := v.(type) {
	case map[string]any:
		r.checkMembers(k, v, pointer)
	case []any:
		for i, item := range v {
			r.check(k.object("items"), item, indexed(pointer, i))
		}
	}
}

func (r *rules) checkMembers(k keys, m map[string]any, pointer string) {
	names := k.object("propertyNames")
	for name, v := range m {
		p := k.property(name)
		if p == nil {
			p = k.object("additionalProperties")
		}
		if p == nil && names == nil {
			continue
		}
		at := pointer + "/" + escape(name)
		r.check(p, v, at)
		for _, broken := range violations(names, name) {
			r.broken = append(r.broken, violation{at, broken.rule, broken.keyword, true})
		}
	}
}

// object is a keyword's value where that is a schema, else nil.
func (k keys) object(keyword string) keys {
	o, _ := k[keyword].(map[string]any)
	return o
}

// count is a keyword's value where that is a whole number.
func (k keys) count(keyword string) int { return int(k[keyword].(float64)) }

// lacks says that some key of a mapping is not among the properties.
func (k keys) lacks(m map[string]any) bool {
	for name := range m {
		if k.property(name) == nil {
			return true
		}
	}
	return false
}

// missing says that some name is not among the keys of a mapping.
func missing(m map[string]any, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, has := m[name]; return !has })
}

// hasType says whether a value has the type, or one of them.
func hasType(v, types any) bool {
	if several, is := types.([]any); is {
		return slices.ContainsFunc(several, func(t any) bool { return hasType(v, t) })
	}
	switch types {
	case "null":
		return v == nil
	case "boolean":
		_, is := v.(bool)
		return is
	case "string":
		_, is := v.(string)
		return is
	case "array":
		_, is := v.([]any)
		return is
	case "object":
		_, is := v.(map[string]any)
		return is
	}
	n, is := number(v)
	return is && (types == "number" || n == math.Trunc(n))
}

// oneOf says whether a value is in a list of the JSON Schema.
func oneOf(v, list any) bool {
	return slices.ContainsFunc(list.([]any), func(one any) bool { return same(v, one) })
}

// same compares a value with one of the JSON Schema, which is no list and no object.
func same(v, want any) bool {
	if a, is := number(v); is {
		b, are := number(want)
		return are && a == b
	}
	switch v.(type) {
	case []any, map[string]any:
		return false
	}
	return v == want
}

// number is what YAML and JSON read as one; to JSON Schema all are alike.
func number(v any) (n float64, is bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
