package testkit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

const (
	memory     = "/dev/shm"
	memoryMark = "rt"           // begins the names of directories in memory
	inUse      = ".ripple-test" // this file of such a directory is locked by the process that uses the directory

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
	if os.Getenv("TMPDIR") != "" || os.Getenv("GOTMPDIR") != "" || !hasRoom() { // T.TempDir prefers GOTMPDIR
		return func() {}
	}
	removeAbandoned(memory)
	// The path is short for the sake of sockets.
	dir := filepath.Join(memory, memoryMark+strconv.FormatUint(rand.Uint64N(36*36*36*36), 36))
	if os.Mkdir(dir, 0o700) != nil {
		return func() {} // it exists
	}
	lock := flock.New(filepath.Join(dir, inUse))
	locked, err := lock.TryLock()
	// Tests of other users pass through. Chmod fails if another process took the directory for an abandoned one.
	if err != nil || !locked || os.Chmod(dir, 0o755) != nil || os.Setenv("TMPDIR", dir) != nil {
		_ = lock.Close() // nothing was written
		return func() {}
	}
	return func() {
		removeMarked(dir)
		_ = lock.Close() // nothing was written
	}
}

// removeMarked removes a directory. The file inUse is removed last, and only if nothing else is left: otherwise a later
// process tries again.
func removeMarked(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be read stays
	for _, e := range entries {
		if e.Name() != inUse {
			_ = os.RemoveAll(filepath.Join(dir, e.Name())) // another user's files stay
		}
	}
	if left, err := os.ReadDir(dir); err == nil && len(left) == 1 {
		_ = os.RemoveAll(dir)
	}
}

// removeAbandoned removes the directories of processes that were killed. The file inUse, and not only its name, shows that
// a test made a directory.
func removeAbandoned(parent string) {
	files, _ := filepath.Glob(filepath.Join(parent, memoryMark+"*", inUse)) // the pattern is valid
	for _, file := range files {
		lock := flock.New(file)
		if locked, err := lock.TryLock(); err == nil && locked {
			removeMarked(filepath.Dir(file))
		}
		_ = lock.Close() // nothing was written
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
