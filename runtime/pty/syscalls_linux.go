package pty

// call is a kind of system call that a thread is blocked in. All except callRead wait for
// something other than a disk.
type call uint8

const (
	callRead   call = iota + 1 // fd first
	callSelect                 // timeout is the fifth argument
	callPoll                   // timeout in ms, third
	callPpoll                  // pointer to the timeout, third
	callEpoll                  // timeout in ms, fourth
	callEpoll2                 // pointer to the timeout, fourth
	callOther                  // waits for another thread, or for time
	callExit                   // the process is ending, which may take a while
)
