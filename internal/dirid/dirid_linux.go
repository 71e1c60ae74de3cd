package dirid

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Of returns the text of a directory: the time at which it was made, which no program can set, or its inode number where the file
// system does not know the time. Errors: those of the system.
func Of(dir string) (string, error) {
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_BTIME, &s); err == nil && s.Mask&unix.STATX_BTIME != 0 {
		return fmt.Sprintf("born %d.%09d", s.Btime.Sec, s.Btime.Nsec), nil
	}
	return inode(dir)
}
