package birth

const prlimit64 = 302 // the system call's number; syscall.SYS_PRLIMIT64
