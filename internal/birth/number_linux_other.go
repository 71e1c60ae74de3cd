//go:build linux && !(amd64 || arm64 || loong64 || riscv64)

package birth

// PRLimit64 is the number of the system call prlimit64(2); 0: it is not asked for.
const PRLimit64 = 0
