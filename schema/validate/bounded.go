package validate

import (
	"github.com/itchyny/gojq"

	"example.org/ripple/internal/jsonsize"
)

// encoders are the functions of jq that encode a value of any size as JSON, with how many
// arguments they have.
var encoders = map[string]int{"tojson": 0, "tostring": 0, "format": 1, "_tohtml": 0, "_touri": 0, "_tourid": 0, "_tobase64": 0, "_tobase64d": 0}

// boundedName is not a name that a program can have.
const boundedName = "bounded value"

// bounded returns its value, or an error if the value's JSON is too long.
func bounded(v any, _ []any) any {
	if _, isText := v.(string); !isText && jsonsize.Of(v, jsonsize.Most) > jsonsize.Most {
		return jsonsize.TooLargeError{}
	}
	return v
}

// boundedFuncs are definitions that take the place of the encoders and check the size first.
// jq's own has a name that a program cannot have.
func boundedFuncs() (defs []*gojq.FuncDef) {
	for name, n := range encoders {
		var params []string
		var args []*gojq.Query
		if n == 1 {
			params, args = []string{"f"}, []*gojq.Query{call("f")}
		}
		own := "jq's " + name
		defs = append(defs,
			&gojq.FuncDef{Name: own, Args: params, Body: call(name, args...)},
			&gojq.FuncDef{Name: name, Args: params, Body: &gojq.Query{Left: call(boundedName), Op: gojq.OpPipe, Right: call(own, args...)}},
		)
	}
	return defs
}

func call(name string, args ...*gojq.Query) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name, Args: args}}}
}
