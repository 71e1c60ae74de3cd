package event

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsSessionID(t *testing.T) {
	for _, id := range []string{
		"3617d7ce-0000-4000-8000-000000000001", "T-5928a90d-d53b-488f-a829-4e36442142ee", "ses_2f1a0Bc", "20251127_1", "a", "a:b@c+d=e~f.g",
		strings.Repeat("a", 200),
	} {
		assert.True(t, IsSessionID(id), id)
	}
	for _, text := range []string{
		"", "-", "--dangerously-skip-permissions", "-c", "a\na", "a\n", "a b", "a\tb", "a\x00", "../x", "/etc/passwd", "a/b", `a"b`, "$(id)", "a;b", "é", "\x1b[2J",
		"\u202ea", strings.Repeat("a", 201),
	} {
		assert.False(t, IsSessionID(text), "%q", text)
	}
}
