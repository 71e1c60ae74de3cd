package testkit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	memory     = "/dev/shm"
	memoryMark = "ripple-" // begins the names of directories in memory

	neededRoom = 4 << 30 // bytes; in containers /dev/shm is often limited to 64 MB
	neededFree = 8 << 30 // bytes of the machine's memory
)

// inMemory creates a directory in memory for the temporary files of this process and its children, and returns a function
// that removes it. It does nothing if the environment names a directory, or memory is short.
//
// Tests make and remove some 100,000 files, mostly of git repositories. For each, ext4 searches the inodes for one that was
// not removed within the last five seconds, and git waits for the disk: in memory the tests of runtime/loop take half of
// the CPU time.
func inMemory() (remove func()) {
	nothing := func() {}
	if os.Getenv("TMPDIR") != "" || os.Getenv("GOTMPDIR") != "" || !hasRoom() { // T.TempDir prefers GOTMPDIR
		return nothing
	}
	removeAbandoned(memory)
	// The path is short for the sake of sockets.
	dir := filepath.Join(memory, memoryMark+strconv.FormatUint(rand.Uint64N(36*36*36*36), 36))
	if os.Mkdir(dir, 0o700) != nil {
		return nothing // it exists
	}
	lock, err := locked(dir, syscall.LOCK_EX)
	if err != nil {
		return nothing // another process took it for an abandoned one
	}
	if os.Chmod(dir, 0o755) != nil || os.Setenv("TMPDIR", dir) != nil { // tests of other users pass through
		_ = os.Remove(dir) // it is empty
		_ = lock.Close()   // nothing was written
		return nothing
	}
	return func() {
		_ = os.RemoveAll(dir) // a later process removes the rest
		_ = lock.Close()      // nothing was written
	}
}

// hasRoom reports whether memory has room for the files of tests, and programs may be started there.
func hasRoom() bool {
	const noExec = 8 // ST_NOEXEC of statvfs(3)
	var fs syscall.Statfs_t
	if syscall.Statfs(memory, &fs) != nil || fs.Flags&noExec != 0 || fs.Bavail*uint64(fs.Bsize) < neededRoom {
		return false
	}
	machine, _ := os.ReadFile("/proc/meminfo") // without it there is no room
	_, available, _ := strings.Cut(string(machine), "\nMemAvailable:")
	var kilobytes int
	_, err := fmt.Sscan(available, &kilobytes)
	return err == nil && kilobytes > neededFree>>10
}

// removeAbandoned removes the directories of processes that were killed.
func removeAbandoned(parent string) {
	dirs, _ := filepath.Glob(filepath.Join(parent, memoryMark+"*")) // the pattern is valid
	for _, dir := range dirs {
		if lock, err := locked(dir, syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			_ = os.RemoveAll(dir) // another user's remains
			_ = lock.Close()      // nothing was written
		}
	}
}

// locked opens and locks a directory, and returns an error if it was removed meanwhile.
func locked(dir string, how int) (lock *os.File, err error) {
	lock, err = os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(lock.Fd()), how)
	if err == nil {
		_, err = os.Stat(dir)
	}
	if err != nil {
		_ = lock.Close() // nothing was written
		return nil, err
	}
	return lock, nil
}
