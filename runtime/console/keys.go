package console

import "example.com/ripple/runtime/internal/keys"

// Key returns the bytes that xterm sends for a key. The name is a key name ("enter", "up", "f5") or
// one character, after any modifiers: "C-" or "ctrl+" (Control), "M-" or "alt+" (Alt), "S-" or
// "shift+" (Shift). Where xterm sends a key without its modifier, so does Key: "S-enter" is
// "enter", and "C-tab" is "tab".
//
// The error lists the names that exist.
func Key(name string) (string, error) { return keys.Sequence(name) }

// KeyNames returns the names of keys, sorted, without modifiers.
func KeyNames() []string { return keys.All() }
