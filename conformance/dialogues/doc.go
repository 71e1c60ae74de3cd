// Package dialogues tests the embedded adapters whose programs could not be run: the command line
// that would be started, and a session's interpretation of the output documented for the program. A
// stand-in replays that output on a terminal; testdata has a file for each adapter with `verified:
// false` that is not an agent.
package dialogues
