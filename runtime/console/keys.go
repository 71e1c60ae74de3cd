package console

import "example.org/ripple/runtime/internal/keys"

// KeyNames returns the names of keys, sorted, without modifiers.
func KeyNames() []string { return keys.All() }
