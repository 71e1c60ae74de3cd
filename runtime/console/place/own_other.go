//go:build !unix

package place

// supported reports whether this system has what consoles need: users, sessions and sockets that
// only one user can reach.
const supported = false

// answers returns false: nothing can listen.
func answers(string) bool { return false }
