package proctree

import "golang.org/x/sys/unix"

// Ancestors lists the living processes from which a process descends, nearest first, itself excluded:
// its parents, and the leaders of the sessions of all of them, because a process whose parent has
// ended keeps its session. A process that has left its session and whose parent has ended cannot be
// traced: launchd has adopted it.
func Ancestors(pid int) []Process {
	var list []Process
	known := map[int]bool{pid: true, 0: true}
	for todo := []int{pid}; len(todo) > 0; todo = todo[1:] {
		info, err := unix.SysctlKinfoProc("kern.proc.pid", todo[0])
		if err != nil {
			continue
		}
		if todo[0] != pid {
			list = append(list, Process{PID: todo[0], Name: unix.ByteSliceToString(info.Proc.P_comm[:])})
		}
		next := []int{int(info.Eproc.Ppid)}
		if leader, err := unix.Getsid(todo[0]); err == nil {
			next = append(next, leader)
		}
		for _, p := range next {
			if !known[p] {
				known[p] = true
				todo = append(todo, p)
			}
		}
	}
	return list
}
