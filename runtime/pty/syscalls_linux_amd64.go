package pty

import "golang.org/x/sys/unix"

var calls = map[int]call{
	unix.SYS_READ: callRead, unix.SYS_READV: callRead,
	3:               callRead, // read of a 32-bit program; for others it is close, and a thread that sleeps in close no longer has the descriptor
	unix.SYS_SELECT: callSelect, unix.SYS_PSELECT6: callSelect,
	unix.SYS_POLL: callPoll, unix.SYS_PPOLL: callPpoll,
	unix.SYS_EPOLL_WAIT: callEpoll, unix.SYS_EPOLL_PWAIT: callEpoll, unix.SYS_EPOLL_PWAIT2: callEpoll2,
	unix.SYS_FUTEX: callOther, unix.SYS_RT_SIGTIMEDWAIT: callOther, unix.SYS_NANOSLEEP: callOther, unix.SYS_CLOCK_NANOSLEEP: callOther,
	unix.SYS_EXIT: callExit, unix.SYS_EXIT_GROUP: callExit,
}
