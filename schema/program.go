package schema

import "example.org/ripple/schema/internal/library"

// ProgramError is an error of a jq program; Offset counts bytes, -1 is unknown.
type ProgramError = library.ProgramError
