//go:build !linux

package dirid

// Of returns the text of a directory: its inode number, because archives can set the time at which it was made. On Windows it is
// empty. Errors: those of the system.
func Of(dir string) (string, error) { return inode(dir) }
