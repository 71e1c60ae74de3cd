// Package loop drives a coding agent turn after turn until its work is done, or
// something says that it should not go on.
//
// config.Load reads the settings from all their sources, New makes a loop of
// Options and Run takes the turns; it returns the Stop with which it ended. The
// loop knows an agent by the interface Agent alone and prints nothing: an observer
// gets Notices, and with them the records that are written. A Stop has the reason and
// the facts; flags, exit codes and what to do next are the command's words.
//
// Beside it: config (settings and their sources), layout (which files), record (what
// they contain), journal (their one writer and reader), and internal/git.
//
// The parts of a loop share its run (run.go: settings, state, files, clock, notices)
// and have each a state of their own: workspace, team, judge, limits, checker,
// committer, backup. Loop.advance (loop.go) is the order in which they have their say.
//
// One turn (turn.go): wait for the hourly limit, ask the circuit breaker
// (breaker.go) and the exit gate (gate.go, claim.go), take a snapshot of the tree
// (baseline.go), build the context (prompt.go), have the agent work, read what it said
// (analysis.go, status.go, signature.go), compare the tree, judge, record, commit
// (commit.go).
//
// What a run knows between two turns is its state (record.State). It is written as a
// whole, in the line of events.jsonl with which a turn ends; status.json, the
// breaker's file and the session's are made from it. A run that was killed goes on
// from the last such line: a turn that had begun is taken again and is compared
// with the tree before its first try, and what the first try said is put aside in
// logs. So the run ends as if nothing had happened.
//
// Files under .ralph have the names and the JSON of the Ralph reference; the lines
// of events.jsonl are ripple's.
package loop
