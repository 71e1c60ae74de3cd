// Package dialogues tests the shipped adapters whose programs could not be run: what would be started, and what a
// session makes of the bytes that the program prints by its documentation. A stand-in replays those bytes on a
// terminal; testdata has a file for each adapter with `verified: false` that is no agent.
package dialogues
