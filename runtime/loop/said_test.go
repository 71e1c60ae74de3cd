package loop

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The user sees the agent's last sentence, not its markup.
func TestLastSentence(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"I am at it.", "I am at it."},
		{"First this. Then I could not write a.txt.\n", "Then I could not write a.txt."},
		{"No end", "No end"},
		{"Really? Yes! I wait", "I wait"},
		{"I may not.\n\n" + complete + "\n", "I may not."},
		{"I may not.\n```\n" + complete + "\n```\n", "I may not."},
		{"One.\n" + complete + "\nTwo.\n", "Two."},
		{"v1.2.3 is out", "v1.2.3 is out"},
		{"a\x1b[31mb", "a[31mb"},
	} {
		assert.Equal(t, tt.want, lastSentence(tt.text), tt.text)
	}
}
