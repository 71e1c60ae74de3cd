// Package lazyregexp is for patterns that are package variables: each is compiled
// when it is first asked for, so that no command pays at its start for what it
// never uses.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that gives the compiled pattern. It panics, at its first
// call, when the pattern cannot be compiled; a test tries all of them.
func New(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
