//go:build linux && (arm64 || loong64 || riscv64)

package birth

// PRLimit64 is the number of the system call prlimit64(2), which package syscall keeps
// to itself; it is the same on all newer architectures.
const PRLimit64 = 261
