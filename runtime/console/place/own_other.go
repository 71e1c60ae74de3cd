//go:build !unix

package place

import "io/fs"

// supported says whether this system has what consoles need: users, sessions and
// sockets that only one user reaches.
const supported = false

// ownedByUs is not known there.
func ownedByUs(fs.FileInfo) bool { return false }

// answers is false: nobody can listen.
func answers(string) bool { return false }
