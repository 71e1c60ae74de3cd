package schema

import (
	"bytes"
	"compress/flate"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The binary contains the JSON Schemas that people read and change.
func TestTheSchemasArePacked(t *testing.T) {
	for name, has := range map[string]func() []byte{"adapter": adapterText, "project": projectText, "scenario": scenarioText} {
		text, err := os.ReadFile(name + ".schema.json")
		require.NoError(t, err)
		if !*update {
			assert.Equal(t, string(text), string(has()), "the packed %s.schema.json is another one: go generate ./schema", name)
			continue
		}
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.BestCompression)
		require.NoError(t, err)
		_, err = w.Write(text)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, os.WriteFile(name+".schema.deflate", b.Bytes(), 0o666))
	}
}
