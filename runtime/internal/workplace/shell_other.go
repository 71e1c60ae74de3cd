//go:build !unix

package workplace

import "os"

// shell runs a line, as system() does.
var shell = []string{os.Getenv("ComSpec"), "/C"}
