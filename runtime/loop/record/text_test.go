package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestShorten(t *testing.T) {
	for text, want := range map[string]string{"": "", "abc": "abc", "abcd": "ab…", "äöü": "äöü", "äöüß": "äö…"} {
		assert.Equal(t, want, Shorten(text, 3), text)
	}
}
