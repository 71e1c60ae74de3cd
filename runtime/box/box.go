// Package box runs a program and its child processes in separate Linux namespaces. The program
// sees a read-only system, one writable working tree, and a private home directory and /tmp.
// It sees no other processes, and its only network is a proxy to a list of allowed hosts.
//
// A [Policy] describes what is allowed. [Run] applies it with bubblewrap
// (https://github.com/containers/bubblewrap) or fails: a program never runs with less isolation
// than requested. [Open] does the same for several programs. [Check] reports whether this machine can
// run a box, and what is missing.
// Inside the box, a helper process that calls [Inside] forwards connections to the proxy.
// Package sandbox, in contrast, only restricts where a program may write.
package box

import (
	"errors"
	"fmt"
	"os"
)

// Policy describes what a program in a box may do. All paths are absolute.
type Policy struct {
	Dir   string   // the writable working tree; git's settings and hooks in it are read-only
	Cwd   string   // where the program starts: Dir or below it; empty: Dir
	Home  string   // the user's home directory; the program gets an empty one in its place
	Write []string // additional writable files and directories
	Read  []string // additional readable files and directories

	Hosts   []Host // the hosts that the proxy may connect to
	AnyHost bool   // the proxy may connect to every public address

	Env    []string // the program's complete environment, as NAME=VALUE; see Environment
	Limits Limits
	Nest   bool // the program may create namespaces, which other sandboxes need; an error for root, for whom the kernel does not map users in them
}

// Limits bound the resources of a program; 0 means no limit.
type Limits struct {
	Memory    int64 // bytes of data memory per process
	FileSize  int64 // bytes per written file
	Processes int64 // processes and threads of the user in the box; an error for root, whom the kernel does not limit
}

// Denial is a connection that the proxy refused.
type Denial struct {
	Host   string `json:"host"`
	Port   int    `json:"port,omitempty"`
	Reason string `json:"reason"`
}

// String returns a one-line description.
func (d Denial) String() string {
	if d.Port == 0 {
		return fmt.Sprintf("%q: %s", d.Host, d.Reason)
	}
	return fmt.Sprintf("%q port %d: %s", d.Host, d.Port, d.Reason)
}

// Command is a command line for [Run]. If this process has no controlling terminal, the program has a process group of its own,
// and Run sends SIGINT and SIGQUIT, which this process receives, to it.
type Command struct {
	Policy Policy
	Argv   []string // the program, found in the PATH of Policy.Env, and its arguments
	// Inside are the arguments with which the current executable calls Inside.
	Inside                []string
	Stdin, Stdout, Stderr *os.File
	// Denied, if not nil, is called once for each distinct denial; calls do not overlap.
	Denied func(Denial)
}

// Options configure [Open].
type Options struct {
	Policy Policy // Cwd and Env are those of each program, and so is Dir, except for Holds
	// Inside and Enter are the arguments with which the current executable calls the functions
	// of these names.
	Inside, Enter []string
	Env           []string // names of variables that all programs get
}

// ErrPolicy is wrapped by errors about a policy that cannot be applied.
var ErrPolicy = errors.New("invalid box")

// Missing is a requirement of boxes that the machine lacks.
type Missing struct {
	What string // a clause: "bubblewrap is not installed"
	Fix  string // a command or an instruction; empty if there is none
}

// Error implements error.
func (m *Missing) Error() string { return "this machine cannot run a box: " + m.What }
