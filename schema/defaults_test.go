package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The defaults that are loaded are those of the JSON Schema.
func TestTheDefaultsAreTheSchemas(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The defaults of adapter.schema.json, written by go generate ./schema: a key and its default, as JSON.\n" +
		"# Where a key allows null as a value of its own, null follows the key.\n")
	eachKey("", rootKeys(), func(path string, k jsonObject) {
		value, has := k["default"]
		if !has {
			return
		}
		text, err := json.Marshal(value)
		require.NoError(t, err)
		if k["x-keep-null"] == true {
			path += " null"
		}
		fmt.Fprintf(&b, "%s %s\n", path, text)
	})
	golden(t, "adapter.defaults", b.String())
}
