package event

import "example.org/ripple/internal/lazyregexp"

// sessionID matches the IDs of all agents: UUIDs, ULIDs, words with a prefix.
var sessionID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._:@+=~-]{0,199}$`)

// SessionIDForm describes the form of a session ID, for messages.
const SessionIDForm = "1 to 200 letters, digits and . _ : @ + = ~ -, the first a letter or a digit"

// IsSessionID reports whether s has the form of a session ID. Text of any other form may come from
// a file that another program wrote, and is never an argument of an agent.
func IsSessionID(s string) bool { return sessionID().MatchString(s) }
