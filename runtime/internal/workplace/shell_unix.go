//go:build unix

package workplace

// shell runs a line.
var shell = []string{"/bin/sh", "-c"}
