//go:build linux && (arm64 || loong64 || riscv64)

package birth

const prlimit64 = 261 // as on all newer architectures; syscall.SYS_PRLIMIT64
