package pty

// call is a kind of system call: what a thread that is blocked in it waits for. All but
// callRead wait for no disk.
type call uint8

const (
	callRead   call = iota + 1 // fd first
	callSelect                 // timeout is the fifth argument
	callPoll                   // timeout in ms, third
	callPpoll                  // pointer to the timeout, third
	callEpoll                  // timeout in ms, fourth
	callEpoll2                 // pointer to the timeout, fourth
	callOther                  // another thread, or time
	callExit                   // nothing: the process ends, which may take a while
)
