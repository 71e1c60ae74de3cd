package validate

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keywords lists what the schemas may use: these have the same meaning in drafts 2020-12, which the files name, and 7, with
// which compile reads them. $defs is a place to which $ref points, and x-keep-null is our own.
var keywords = []string{
	"$schema", "$id", "$ref", "$defs", "title", "description", "type", "required", "if", "then", "else", "properties", "const", "additionalProperties",
	"format", "minLength", "enum", "items", "default", "propertyNames", "examples", "minItems", "exclusiveMinimum", "minimum", "maximum", "maxItems", "x-keep-null",
}

// Compiled as draft 7, the schemas mean what they mean in draft 2020-12.
func TestTheSchemasMeanTheSameInDraft7(t *testing.T) {
	files, err := filepath.Glob("../*.schema.json")
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(data), `"$schema": "https://json-schema.org/draft/2020-12/schema"`)
		var root map[string]any
		require.NoError(t, json.Unmarshal(data, &root))
		checkSchema(t, file+"#", root)
	}
}

func checkSchema(t *testing.T, at string, s map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		assert.Contains(t, keywords, key, at)
		switch value := s[key].(type) {
		case map[string]any:
			switch key {
			case "properties", "$defs":
				for name, inner := range value {
					if inner, is := inner.(map[string]any); is {
						checkSchema(t, at+"/"+key+"/"+name, inner)
					}
				}
			case "default", "const":
			default:
				checkSchema(t, at+"/"+key, value)
			}
		case []any:
			assert.NotEqual(t, "items", key, "%s: a list of schemas has another meaning", at)
		}
	}
	if _, refers := s["$ref"]; refers {
		assert.Len(t, s, 1, "%s: draft 7 ignores what is beside $ref", at)
	}
}
