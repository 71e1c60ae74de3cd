package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// grammar is a kind of file: its JSON Schema and how messages speak of it.
type grammar struct {
	name     string // "adapter" or "project": the JSON Schema is NAME.schema.json
	what     string // "the adapter"
	one      string // "an adapter"
	starts   string // how such a file begins; "" if it may be empty
	compiled func() *jsonschema.Schema
	root     func() keys
}

func newGrammar(name, what, one, starts string, text []byte) *grammar {
	return &grammar{
		name, what, one, starts,
		sync.OnceValue(func() *jsonschema.Schema { return compile(name, text) }),
		sync.OnceValue(func() keys {
			var k keys
			if err := json.Unmarshal(text, &k); err != nil {
				panic(fmt.Sprintf("schema: the embedded JSON Schema of the %s is broken: %v", name, err))
			}
			return k
		}),
	}
}

// compile makes the validator.
func compile(name string, text []byte) *jsonschema.Schema {
	url := "ripple:" + name + ".schema.json"
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	for name, f := range formats {
		c.Formats[name] = func(v any) bool {
			s, isText := v.(string)
			return !isText || f.check(s) == nil
		}
	}
	if err := c.AddResource(url, bytes.NewReader(text)); err != nil {
		panic(fmt.Sprintf("schema: the embedded JSON Schema of the %s is broken: %v", name, err))
	}
	return c.MustCompile(url)
}
