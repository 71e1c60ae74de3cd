package pty

import "fmt"

// Process identifies a process.
type Process struct {
	PID  int    `json:"pid"`
	Name string `json:"name"` // name of its program as the kernel keeps it, at most 15 bytes of it
}

// String returns text such as "process 123, bash".
func (p Process) String() string { return fmt.Sprintf("process %d, %s", p.PID, p.Name) }
