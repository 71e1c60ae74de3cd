package box

import (
	"bytes"
	"encoding/binary"
	"runtime"

	"golang.org/x/sys/unix"
)

// Constants that golang.org/x/sys/unix does not define on all architectures.
const (
	sysOpenat2   = 437 // the same on all architectures
	sysFchmodat2 = 452
	x32          = 0x40000000 // the bit that marks system calls of the x32 ABI
	setUserID    = 0o4000
)

// unavailable system calls fail with ENOSYS, so that programs fall back to others.
var unavailable = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, sysOpenat2}

// refused system calls act on state that namespaces do not isolate, or expose large parts of the
// kernel.
var refused = []uint32{
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
}

// nesting system calls create namespaces and change mounts.
var nesting = []uint32{
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
}

// families lists the socket families that a box allows. Others bypass the network namespace,
// such as the sockets between a virtual machine and its host.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// Offsets in struct seccomp_data on little-endian machines.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16
)

var (
	errorNow = filter(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM), 0, 0)
	absent   = filter(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS), 0, 0)
	allow    = filter(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW, 0, 0)
)

func filter(code uint16, k uint32, jt, jf uint8) unix.SockFilter {
	return unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k}
}

func load(offset uint32) unix.SockFilter {
	return filter(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0)
}

func equal(k uint32, jt, jf uint8) unix.SockFilter {
	return filter(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, jt, jf)
}

func anyBit(k uint32, jt, jf uint8) unix.SockFilter {
	return filter(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, k, jt, jf)
}

// seccomp returns the system call filter in the format that bubblewrap reads.
//
// Errors: *Missing on architectures without a filter.
func seccomp(nest bool) ([]byte, error) {
	arch, ok := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if !ok {
		return nil, &Missing{What: "there is no system call filter for the architecture " + runtime.GOARCH}
	}
	program := []unix.SockFilter{load(offsetArch), equal(arch, 1, 0), errorNow, load(offsetNumber)}
	if runtime.GOARCH == "amd64" {
		program = append(program, filter(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, x32, 0, 1), errorNow)
	}
	for _, n := range unavailable {
		if !nest || n != unix.SYS_CLONE3 {
			program = append(program, equal(n, 0, 1), absent)
		}
	}
	all := refused
	if !nest {
		all = append(all[:len(all):len(all)], nesting...)
		program = append(program, equal(unix.SYS_CLONE, 0, 4), load(offsetArgs), anyBit(namespaces, 0, 1), errorNow, load(offsetNumber))
	}
	for _, n := range all {
		program = append(program, equal(n, 0, 1), errorNow)
	}
	program = append(program,
		equal(unix.SYS_IOCTL, 0, 5), load(offsetArgs+8), equal(unix.TIOCSTI, 1, 0), equal(unix.TIOCLINUX, 0, 1), errorNow, load(offsetNumber))
	program = append(program, sockets()...)
	for _, m := range append(modes(), mode{unix.SYS_FCHMOD, 1, 0}, mode{unix.SYS_FCHMODAT, 2, 0}, mode{sysFchmodat2, 2, 0}, mode{unix.SYS_OPENAT, 3, 2}, mode{unix.SYS_MKNODAT, 2, 0}) {
		program = append(program, m.filter()...)
	}
	program = append(program, allow)
	var b bytes.Buffer
	err := binary.Write(&b, binary.LittleEndian, program)
	return b.Bytes(), err
}

// mode is a system call that takes a file's mode. The filter rejects modes with the set-user-ID
// bit: other users could run the file with this user's rights.
type mode struct {
	number, argument uint32
	flags            uint32 // the argument with the flags of open(2), which ignores the mode without O_CREAT; 0: none
}

func (m mode) filter() []unix.SockFilter {
	program := []unix.SockFilter{load(offsetArgs + 8*m.argument), anyBit(setUserID, 0, 1), errorNow}
	if m.flags != 0 {
		program = append([]unix.SockFilter{load(offsetArgs + 8*m.flags), anyBit(unix.O_CREAT|unix.O_TMPFILE&^unix.O_DIRECTORY, 0, uint8(len(program)))}, program...)
	}
	program = append(program, load(offsetNumber))
	return append([]unix.SockFilter{equal(m.number, 0, uint8(len(program)))}, program...)
}

// sockets allows only sockets of the listed families.
func sockets() []unix.SockFilter {
	program := []unix.SockFilter{load(offsetArgs)}
	for i, f := range families {
		program = append(program, equal(f, uint8(len(families)-i), 0))
	}
	program = append(program, errorNow, load(offsetNumber))
	return append([]unix.SockFilter{equal(unix.SYS_SOCKET, 0, uint8(len(program)))}, program...)
}
