package prompt

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLines(t *testing.T) {
	for pattern, want := range map[string]int{
		`^> $`:                         1,
		`^\[dir \d+\]\n\$ $`:           2,
		`^\[dir \d+\]\s\$ $`:           2,
		"^one\n> $":                    2,
		`(?<=\?)\n\n$`:                 3,
		`\n+$`:                         manyLines,
		`^\s*> $`:                      manyLines,
		`^a\n{3}> $`:                   4,
		`^a\n{2,5}> $`:                 6,
		`^a\n{2,}> $`:                  manyLines,
		`^a\n?> $`:                     2,
		`^a\n{x}> $`:                   2,
		`^(?:a\n|b\n\n|c)> $`:          3,
		`^(?:a\n){2}> $`:               3,
		`^(?:a\n)*?> $`:                manyLines,
		`^(?<name>a)\n> $`:             2,
		`(?i)^a\n> $`:                  2,
		`(?#\n\n\n)^> $`:               1,
		`^[^>]*> $`:                    1,
		`^[^\s>]+> $`:                  1,
		`^[^\n]*\) \n> $`:              2,
		`^[]\n]> $`:                    2,
		`^[ \t\n]> $`:                  2,
		`^\D\W> $`:                     1,
		`^a\\n> $`:                     1,
		`^\x0a\u000A\cJ\012> $`:        5,
		`^(?=a\n)> $`:                  2,
		`^(?:(?:a\n){1000000}){10000}`: manyLines,
		`(`:                            1,
		`[`:                            1,
		`\`:                            1,
		`a{`:                           1,
		`(?`:                           1,
		`[\n`:                          1,
	} {
		assert.Equal(t, want, Lines(pattern), pattern)
	}
}

// No pattern makes it panic, and the number is one of lines.
func FuzzLines(f *testing.F) {
	f.Add(`^(?<a>[^]\n]{2,})|\s+$`)
	f.Fuzz(func(t *testing.T, pattern string) {
		n := Lines(pattern)
		assert.GreaterOrEqual(t, n, 1)
		assert.LessOrEqual(t, n, manyLines)
	})
}
