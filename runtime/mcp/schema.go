package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// schemaOf returns the JSON schema of a tool's arguments, with the defaults and choices of their
// tags. Each argument has one type: some clients do not support "a list or null".
func schemaOf[A any]() *jsonschema.Schema {
	s, err := jsonschema.For[A](nil)
	if err != nil {
		panic(err) // the types are defined in this package
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[A]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		p := s.Properties[name]
		if p == nil {
			continue // an embedded struct
		}
		if len(p.Types) > 0 {
			p.Type, p.Types = p.Types[len(p.Types)-1], nil
		}
		if value := field.Tag.Get("default"); value != "" {
			p.Default = json.RawMessage(value)
			if p.Type == "string" {
				p.Default, _ = json.Marshal(value) // marshaling a string cannot fail
			}
		}
		if choices := field.Tag.Get("enum"); choices != "" {
			for _, c := range strings.Split(choices, ",") {
				p.Enum = append(p.Enum, c)
			}
		}
	}
	return s
}

// withoutNulls treats a null argument as absent, because some clients send null for omitted
// arguments.
func withoutNulls(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if call, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok && bytes.Contains(call.Arguments, []byte("null")) {
			var given map[string]json.RawMessage
			if json.Unmarshal(call.Arguments, &given) == nil { // otherwise the schema validation reports the error
				for name, value := range given {
					if string(value) == "null" {
						delete(given, name)
					}
				}
				call.Arguments, _ = json.Marshal(given) // it was decoded from JSON
			}
		}
		return next(ctx, method, req)
	}
}
