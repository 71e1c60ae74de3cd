//go:build unix

package workplace

// shell runs a line, as system(3) does.
var shell = []string{"/bin/sh", "-c"}
