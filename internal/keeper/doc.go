// Package keeper starts this program once more, with a process between that keeps
// what the second one leaves: the outer half of proctree.Guard. It is of use on
// Linux only.
//
// Early does so before the rest of the program is initialised, which the outer
// process never needs. Packages are initialised in the order of their import paths
// as soon as all that they import is (Go specification, "Program initialization").
// Most of a program waits for package unicode, strings or reflect: this one imports
// nothing that does, and so it comes before them; conformance holds that.
package keeper

// Mark is the environment variable that tells a process of ours what it is:
// "descriptor:inode" of the pipe to the outer process makes it the inner one, the
// same of a socket behind UndertakerRole the undertaker. A value without that very
// file counts for nothing.
const Mark = "PROCTREE_GUARD"

// UndertakerRole is before the file's name in the mark of an undertaker.
const UndertakerRole = "undertaker:"
