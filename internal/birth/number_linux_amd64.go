package birth

// PRLimit64 is the number of the system call prlimit64(2), which package syscall keeps
// to itself.
const PRLimit64 = 302
