// Package consoles holds what went wrong with consoles elsewhere, and how each of it
// has to end with ripple's: a test for each complaint, done from outside to the built
// program, by `ripple console`, by `ripple mcp`, and by its wire.
//
// Whatever a test starts carries its mark, so that what is left behind is found:
// processes, sockets, locks, directories. Tests that race or kill take -rounds rounds;
// `make consoles` takes a hundred.
package consoles
