// Package consoles contains tests for problems reported about similar tools, with the behavior that
// ripple's consoles must have instead. Each test drives the built program from outside, through
// `ripple console`, `ripple mcp`, or the wire protocol.
//
// Everything that a test starts carries its mark, so that leftovers are found: processes, sockets,
// locks, directories. Tests that race or kill take a sample; `make consoles` takes a hundred rounds of each.
package consoles
