package prompt

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFilePath(t *testing.T) {
	for text, want := range map[string]string{
		"file://host/tmp":           "/tmp",
		"file:///tmp":               "/tmp",
		"file:/tmp":                 "/tmp",
		"FILE://host/tmp":           "/tmp",
		"file://host/a%20b%2Fc;%3b": "/a b/c;;",
		"file://host/a?b#c":         "/a",
		"file://host/%e2%82%ac":     "/€",
		"file://host":               "",
		"file:tmp":                  "",
		"http://host/tmp":           "",
		"/tmp":                      "",
		"":                          "",
		"file://host/%2":            "",
		"file://host/%zz":           "",
		"file://host/100%":          "",
	} {
		got, ok := filePath(text)
		assert.Equal(t, want, got, text)
		assert.Equal(t, want != "", ok, text)
	}
}

// Where the standard library reads a path, so do we; it refuses some hosts that have
// nothing to do with the path.
func FuzzFilePath(f *testing.F) {
	for _, seed := range []string{"file://h/a%20b", "file:/x", "FILE:///%41?q#f", "file://h", "file://[::1]/a", "file://u@h:1/b;c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "file" || !strings.HasPrefix(u.Path, "/") {
			return
		}
		got, ok := filePath(text)
		assert.True(t, ok)
		assert.Equal(t, u.Path, got)
	})
}
