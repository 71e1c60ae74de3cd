// Package keeper executes this program again under a supervisor process, which ends the processes
// that it leaves behind: the outer half of proctree.Guard. It is used on Linux only.
//
// Early does so before the rest of the program is initialized, which the outer process never needs.
// Packages are initialized in the order of their import paths as soon as all their imports are (Go
// specification, "Program initialization"). Most packages of a program wait for unicode, strings or
// reflect: this one imports nothing that does, and so it is initialized before them; a test in
// package conformance checks that.
package keeper

// Mark is the environment variable that tells a process its role: "descriptor:inode" of the pipe to
// the outer process makes it the inner process, and ReaperRole followed by the same for a socket
// makes it the reaper. A value that does not name an open file is ignored.
const Mark = "PROCTREE_GUARD"

// ReaperRole precedes the file in the mark of a reaper.
const ReaperRole = "reaper:"
