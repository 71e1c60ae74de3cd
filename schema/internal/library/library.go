// Package library holds the libraries that package schema needs only for reading a file.
// Package schema/validate puts them here when it is linked in, so that programs that only
// read files known to be valid need not wait for them: their initialization takes
// milliseconds.
package library

import "sync/atomic"

// A Violation is what a JSON Schema refuses, and what it refuses because of.
type Violation struct {
	Instance string // JSON pointer to the value, RFC 6901
	Keyword  string // absolute URL of the keyword in the JSON Schema
	Message  string
	Causes   []Violation
}

// Validator holds a value, as package json would decode it, against a JSON Schema; nil:
// it is valid. The error is that it could not be done.
type Validator func(value any) (*Violation, error)

// ProgramError is an error of a jq program; Offset counts bytes, -1 is unknown.
type ProgramError struct {
	Offset  int
	Message string
}

func (e *ProgramError) Error() string { return e.Message }

// Set holds the functions that package schema/validate provides.
type Set struct {
	// Compile makes the validator of a JSON Schema. formats holds the check of each format that
	// the schema names and JSON Schema does not define.
	Compile func(url string, text []byte, formats map[string]func(string) error) (Validator, error)
	// CheckProgram returns a *ProgramError if source is not a valid jq program.
	CheckProgram func(source string) error
	// IsURL reports whether s is an absolute URL with a host.
	IsURL func(s string) bool
}

var current atomic.Pointer[Set] // packages that were initialized earlier may be at work

// Link makes the set known.
func Link(s Set) { current.Store(&s) }

// Linked is the set; nil where schema/validate is not linked in, or not yet initialized.
func Linked() *Set { return current.Load() }
