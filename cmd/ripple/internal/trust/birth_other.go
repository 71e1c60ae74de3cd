//go:build !linux

package trust

// birth returns a text that only this directory has, and no copy of it: its inode number, because archives can set the time at
// which it was made. On Windows it is empty.
func birth(dir string) (string, error) { return inode(dir) }
