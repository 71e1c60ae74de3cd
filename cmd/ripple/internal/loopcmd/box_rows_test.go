package loopcmd

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRowOfFilesToReview(t *testing.T) {
	const text = "these before you run anything here: a, b"
	assert.Equal(t, []row{{"review", text}}, boxRows(nil, []string{"a", "b"}, 0))
	assert.Equal(t, []row{{"review", text + ", and 3 more"}}, boxRows(nil, []string{"a", "b"}, 3))
}
