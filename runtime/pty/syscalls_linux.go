package pty

// call is a system call in which a program may wait for input, or for anything but a disk.
type call uint8

const (
	callRead   call = iota + 1 // fd first
	callSelect                 // timeout is the fifth argument
	callPoll                   // timeout in ms, third
	callPpoll                  // pointer to the timeout, third
	callEpoll                  // timeout in ms, fourth
	callEpoll2                 // pointer to the timeout, fourth
	callOther                  // for another thread, or for time
	callExit                   // the kernel may take its time to end a process
)
