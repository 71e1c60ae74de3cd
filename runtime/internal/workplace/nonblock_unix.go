//go:build unix

package workplace

import "syscall"

const nonBlock = syscall.O_NONBLOCK
