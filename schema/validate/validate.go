// Package validate registers the libraries with which package schema reads files: the JSON
// Schema validator, and jq. Import it for that effect wherever files may be read,
//
//	import _ "example.org/ripple/schema/validate"
//
// as a program does that opens images of some format. Without it schema.Load and
// schema.Parse refuse every file and say so; schema.ParseValid needs no such import.
package validate

import (
	"errors"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"example.org/ripple/schema/internal/library"
)

func init() {
	library.Link(library.Set{Compile: compile, CheckProgram: checkProgram, IsURL: isURL})
}

func checkProgram(source string) error {
	_, err := Program(source)
	return err
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && u.Host != ""
}

// The schemas use only keywords that mean the same in draft 7, which compiles in half the time: most
// of it is spent on checking a schema against that of its draft.
var draft7 = strings.NewReplacer("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#")

func compile(name string, text []byte, formats map[string]func(string) error) (library.Validator, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	for name, check := range formats {
		c.Formats[name] = func(v any) bool {
			s, isText := v.(string)
			return !isText || check(s) == nil
		}
	}
	if err := c.AddResource(name, strings.NewReader(draft7.Replace(string(text)))); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(name)
	if err != nil {
		return nil, err
	}
	return func(value any) (*library.Violation, error) {
		err := compiled.Validate(value)
		if failed, is := errors.AsType[*jsonschema.ValidationError](err); is {
			v := violation(failed)
			return &v, nil
		}
		return nil, err
	}, nil
}

// violation is the library's in our form. It writes pointers into a URL's fragment.
func violation(e *jsonschema.ValidationError) library.Violation {
	v := library.Violation{Instance: e.InstanceLocation, Keyword: e.AbsoluteKeywordLocation, Message: e.Message}
	if plain, err := url.PathUnescape(v.Instance); err == nil {
		v.Instance = plain
	}
	for _, cause := range e.Causes {
		v.Causes = append(v.Causes, violation(cause))
	}
	return v
}
