//go:build linux && !amd64

package pty

import "golang.org/x/sys/unix"

// calls lists the calls of all newer ports; the select, poll and epoll_wait of older ports are
// missing and lead to Unknown.
var calls = map[int]call{
	unix.SYS_READ: callRead, unix.SYS_READV: callRead,
	unix.SYS_PSELECT6: callSelect, unix.SYS_PPOLL: callPpoll,
	unix.SYS_EPOLL_PWAIT: callEpoll, unix.SYS_EPOLL_PWAIT2: callEpoll2,
	unix.SYS_FUTEX: callOther, unix.SYS_RT_SIGTIMEDWAIT: callOther, unix.SYS_NANOSLEEP: callOther, unix.SYS_CLOCK_NANOSLEEP: callOther,
	unix.SYS_EXIT: callExit, unix.SYS_EXIT_GROUP: callExit,
}
