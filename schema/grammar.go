package schema

import (
	"encoding/json"
	"fmt"
	"sync"

	"example.org/ripple/schema/internal/library"
)

// grammar is a kind of file: its JSON Schema and how messages speak of it.
type grammar struct {
	name      string // "adapter" or "project": the JSON Schema is NAME.schema.json
	what      string // "the adapter"
	one       string // "an adapter"
	text      []byte // its JSON Schema
	starts    string // how such a file begins; "" if it may be empty
	validator func() library.Validator
	root      func() jsonObject
}

func newGrammar(name, what, one, starts string, text []byte) *grammar {
	return &grammar{
		name, what, one, text, starts,
		sync.OnceValue(func() library.Validator { return compile(name, text) }),
		sync.OnceValue(func() jsonObject {
			var k jsonObject
			if err := json.Unmarshal(text, &k); err != nil {
				panic(fmt.Sprintf("schema: the embedded JSON Schema of the %s is broken: %v", name, err))
			}
			return k
		}),
	}
}

// readable reports whether the library that reads files is linked in.
func readable() bool { return library.Linked() != nil }

// compile makes the validator.
func compile(name string, text []byte) library.Validator {
	checks := map[string]func(string) error{}
	for name, f := range formats {
		checks[name] = f.check
	}
	v, err := library.Linked().Compile("ripple:"+name+".schema.json", text, checks)
	if err != nil {
		panic(fmt.Sprintf("schema: the embedded JSON Schema of the %s is broken: %v", name, err))
	}
	return v
}
