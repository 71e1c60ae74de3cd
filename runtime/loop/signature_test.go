package loop

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestErrorLines(t *testing.T) {
	tests := []struct {
		line string
		want bool
	}{
		{"Error: cannot find module", true},
		{"ERROR: build failed", true},
		{"error: unknown option", true},
		{"  error: indented", true},
		{"main.c[3]: error in declaration", true},
		{"Link: error 5", true},
		{"An Error occurred while saving", true},
		{"the step failed with error 3", true},
		{"java.lang.NullPointerException at A.b", true},
		{"Fatal: no more space", true},
		{"FATAL could not open", true},
		{`"is_error": false`, false},
		{`"error": null, "ok": true`, false},
		{`{"is_error":false,"note":"Exception"}`, false},
		{"I handled the error: it is gone", false},
		{"no errors found", false},
		{"the error count is 0", false},
		{"", false},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, len(errorLines(tt.line)) == 1, "%q", tt.line)
	}
	assert.Equal(t, []string{"Error: a", "FATAL b"}, errorLines("x\r\nError: a\r\nfine\r\nFATAL b"))
}

func TestSignature(t *testing.T) {
	tests := []struct{ a, b, want string }{
		{"Error: line 12", "Error:   line 7", "Error: line <n>"},
		{"Error: open /tmp/a/b.go:3: no", "Error: open /home/u/x.go:12: no", "Error: open <path>: no"},
		{`Error: open C:\a\b.txt`, `Error: open D:\c`, "Error: open <path>"},
		{"Error: at 0x7ffc01", "Error: at 0xdead", "Error: at <hex>"},
		{"Error: id 9f1c2ab4", "Error: id 00ffee12ab", "Error: id <hex>"},
		{"Error: no such name 'x'", "Error: no such name 'yz'", "Error: no such name <quoted>"},
		{"Error: no `x`", "Error: no `it's`", "Error: no <quoted>"},
		{"2026-01-02T03:04:05Z Error: a", "2025-11-30 23:59:59.123 Error: a", "<time> Error: a"},
		{"08:09 Error: a", "23:10:11 Error: a", "<time> Error: a"},
		{"\x1b[31mError: a\x1b[0m", "Error: a", "Error: a"},
		{"Error: took 1.5s", "Error: took 20s", "Error: took <n>s"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, signature(tt.a), tt.a)
		assert.Equal(t, tt.want, signature(tt.b), tt.b)
	}
	assert.NotEqual(t, signature("Error: can't read"), signature("Error: can't write"), "an apostrophe quotes nothing")
	assert.Equal(t, maxSignature, utf8.RuneCountInString(signature(strings.Repeat("é", 1<<20))))
}

func TestSignaturesOfATurn(t *testing.T) {
	assert.Equal(t, []string{"Error: a <n>", "Error: b"}, signatures([]string{"Error: b\nError: a 2", "Error: a 1", ""}))
	assert.Empty(t, signatures(nil))
}

func TestRepeated(t *testing.T) {
	tests := []struct {
		name        string
		now, before string
		want        bool
	}{
		{"the same", "a b", "a b", true},
		{"fewer of the same", "a", "a b", true},
		{"one is new", "a c", "a b", false},
		{"none", "", "a", false},
		{"the first", "a", "", false},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, repeated(strings.Fields(tt.now), strings.Fields(tt.before)), tt.name)
	}
}
