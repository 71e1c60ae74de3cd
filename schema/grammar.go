package schema

import (
	"encoding/json"
	"fmt"
	"sync"
)

// grammar is a kind of file: its JSON Schema and how messages speak of it.
type grammar struct {
	name   string // "adapter" or "project": the JSON Schema is NAME.schema.json
	what   string // "the adapter"
	one    string // "an adapter"
	starts string // how such a file begins; "" if it may be empty
	root   func() keys
}

func newGrammar(name, what, one, starts string, text []byte) *grammar {
	return &grammar{
		name, what, one, starts,
		sync.OnceValue(func() keys {
			var k keys
			if err := json.Unmarshal(text, &k); err != nil {
				panic(fmt.Sprintf("schema: the embedded JSON Schema of the %s is broken: %v", name, err))
			}
			return k
		}),
	}
}
