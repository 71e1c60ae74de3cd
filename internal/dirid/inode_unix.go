//go:build unix

package dirid

import (
	"fmt"
	"os"
	"syscall"
)

func inode(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	stat, _ := info.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("inode %d", stat.Ino), nil
}
