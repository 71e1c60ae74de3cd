// Package loop runs a coding agent turn after turn until its work is done, or a check or limit
// stops it.
//
// config.Load reads the settings from all their sources, New creates a loop from Options, and Run
// takes the turns; it returns the Stop that ended the loop. The loop uses an agent only through
// the interface Agent and prints nothing: an observer receives Notices, which include the written
// records. A Stop has the reason and the facts; flags, exit codes and next steps are left to the
// command.
//
// Related packages: config (settings and their sources), record (file contents), journal
// (their only writer and reader), internal/layout (file names) and internal/git.
//
// The parts of a loop share its run (run.go: settings, state, files, clock, notices), and each
// has its own state: workspace, team, judge, limits, checker, committer, backup. Loop.advance
// (loop.go) defines the order in which they act.
//
// One turn (turn.go): wait for the hourly limit, ask the circuit breaker (breaker.go) and the
// exit gate (gate.go, claim.go), take a snapshot of the tree (baseline.go), build the context
// (prompt.go), run the agent, analyze its output (analysis.go, status.go, signature.go), compare
// the tree, judge, record, commit (commit.go).
//
// The data that a run keeps between two turns is its state (record.State). It is written as a
// whole, in the line of events.jsonl that ends a turn; status.json, the breaker's file and the
// session's are derived from it. A run that was killed continues from the last such line: a turn
// that had started is repeated and compared with the tree before its first attempt; that attempt
// is in the record with its cost (cut.go). The run therefore ends as if it had not been
// interrupted.
//
// Files under .ralph have the names and the JSON of the Ralph reference; the lines of
// events.jsonl are ripple's.
package loop
