// Package lazyregexp compiles patterns in package variables when they are first used, so
// that unused patterns do not slow down the start of a command.
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
