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

// schemaOf is the schema of a tool's arguments, with the defaults and choices of their
// tags. Each has one type: some clients have no word for "a list or null".
func schemaOf[A any]() *jsonschema.Schema {
	s, err := jsonschema.For[A](nil)
	if err != nil {
		panic(err) // the types are of this package
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
				p.Default, _ = json.Marshal(value) // a string always can
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

// withoutNulls takes an argument that is null for one that is absent, as some clients
// write it.
func withoutNulls(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if call, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok && bytes.Contains(call.Arguments, []byte("null")) {
			var given map[string]json.RawMessage
			if json.Unmarshal(call.Arguments, &given) == nil { // else the schema says what is wrong
				for name, value := range given {
					if string(value) == "null" {
						delete(given, name)
					}
				}
				call.Arguments, _ = json.Marshal(given) // it was read from JSON
			}
		}
		return next(ctx, method, req)
	}
}
