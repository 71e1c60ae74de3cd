package jsonsize

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	for _, v := range []any{
		nil, true, false, 1, -1.5e-300, math.MaxFloat64, "", "a\"b\\c\x00<&>", "grüße", json.Number("12"), new(big.Int).Lsh(big.NewInt(1), 500),
		[]any{},
		[]any{1, "x", nil},
		map[string]any{"<": []any{map[string]any{}}, "b": 2},
	} {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		n := Of(v, Most)
		assert.GreaterOrEqual(t, n, len(data), "%s", data)
		assert.LessOrEqual(t, n, 6*len(data)+25, "%s", data)
	}
}

// A value that has itself twice, and so on, has 2^60 numbers.
func TestOfSharedValue(t *testing.T) {
	var v any = 1
	for range 60 {
		v = []any{v, v}
	}
	assert.Equal(t, Most+1, Of(v, Most))
	object := any(1)
	for range 60 {
		object = map[string]any{"a": object, "b": object}
	}
	assert.Equal(t, Most+1, Of(object, Most))
}
