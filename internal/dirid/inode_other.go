//go:build !unix

package dirid

func inode(string) (string, error) { return "", nil }
