package loop

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ripple/runtime/internal/git"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// Reasons for which a loop stops, besides those of the exit gate.
const (
	ReasonCircuitOpen      = "circuit_open"
	ReasonPermissionDenied = "permission_denied"
	ReasonAuth             = "auth"
	ReasonVersion          = "version"
	ReasonUsage            = "usage"
	ReasonQuestion         = "question"
	ReasonUnanswered       = "unanswered"
	ReasonUnverified       = "unverified"
	ReasonMaxTurns         = "max_turns"
	ReasonMaxRuntime       = "max_runtime"
	ReasonMaxCost          = "max_cost"
	ReasonMaxTokens        = "max_tokens"
	ReasonMaxFailures      = "max_failures"
	ReasonProviderLimit    = "provider_limit"
	ReasonInterrupted      = "interrupted"
	ReasonPromptMissing    = "prompt_missing"
	ReasonAgentMissing     = "agent_missing"
	ReasonConflict         = "conflict"
	ReasonLocked           = "locked"
	ReasonGitMissing       = "git_missing"        // a setting needs it
	ReasonNoRepository     = "repository_missing" // or no commit, or no working tree
	ReasonBranch           = "branch"             // it cannot be worked on
	ReasonError            = "error"
)

// Stop is why a loop ended: what happened, in words that hold whoever started it, and
// the facts that what to do depends on.
type Stop struct {
	Reason      string
	Why         string           // one sentence
	Do          string           // what mends it, where the agent's adapter, git or the files tell; no full stop
	Verified    bool             // every command that verifies succeeded on the final tree
	Asked       bool             // the agent took a turn in this run
	CircuitOpen bool             // no turn is taken before it cooled down or was reset
	CoolsDown   time.Duration    // after which it is tried again
	RecordLost  bool             // there is nothing to go on with
	Question    *record.Question // an answer to it lets the loop go on
	Err         error            // what went wrong in the loop itself
}

func (s *Stop) Error() string { return s.Why }
func (s *Stop) Unwrap() error { return s.Err }

// Done says that the loop ended because its work is done.
func (s *Stop) Done() bool {
	return s.Reason == ReasonProjectComplete || s.Reason == ReasonPlanComplete || s.Reason == ReasonTestSaturation
}

// stopFor makes a stop of what went wrong in the loop itself.
func stopFor(err error) *Stop {
	if s, ok := errors.AsType[*Stop](err); ok {
		return s
	}
	if c, ok := errors.AsType[*git.Conflict](err); ok {
		return &Stop{Reason: ReasonConflict, Why: sentence(c.Why), Do: c.Next, Err: err}
	}
	if l, ok := errors.AsType[*journal.LockedError](err); ok {
		return &Stop{Reason: ReasonLocked, Why: sentence(l.Error()), Err: err}
	}
	return &Stop{Reason: ReasonError, Why: sentence(err.Error()), Err: err}
}

// sentence gives a text a capital and a full stop.
func sentence(text string) string {
	if first, size := utf8.DecodeRuneInString(text); size > 0 {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".?!") {
		text += "."
	}
	return text
}

func agentStop(err error) *Stop {
	if s, ok := errors.AsType[*Stop](err); ok {
		return s
	}
	return &Stop{Reason: ReasonAgentMissing, Why: sentence("The agent cannot be started: " + err.Error()), Err: err}
}

// doneStop ends a loop whose work is done; verified tells how well that is known.
func doneStop(reason string, turns, removed, commands int) *Stop {
	why := map[string]string{
		ReasonProjectComplete: "The agent says that the project is complete",
		ReasonPlanComplete:    "Every task in " + layout.Dir + "/" + layout.PlanFile + " is ticked",
		ReasonTestSaturation:  fmt.Sprintf("The last %d turns only tested and changed nothing else", testTurnsToFinish),
	}[reason]
	if reason == ReasonPlanComplete && removed > 0 {
		why += fmt.Sprintf(", %s of it taken out and not ticked,", plural(removed, "other"))
	}
	s := &Stop{Reason: reason, Verified: commands > 0, Asked: turns > 0}
	how := "not verified"
	if s.Verified {
		how = "verified by " + plural(commands, "command")
	}
	s.Why = fmt.Sprintf("%s after %s, %s.", why, plural(turns, "turn"), how)
	if !s.Asked {
		s.Why = fmt.Sprintf("Every task in %s/%s was ticked already, and the agent was not asked; %s.", layout.Dir, layout.PlanFile, how)
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Dollars is an amount as people write it. Of less than a cent, what there is of it
// shows: 0.0042 is $0.0042.
func Dollars(usd float64) string {
	switch {
	case usd <= 0 || usd >= 0.01:
		return fmt.Sprintf("$%.2f", usd)
	case usd < 0.0001:
		return "less than $0.0001"
	}
	return fmt.Sprintf("$%.4f", usd)
}

func blockedStop(s *record.State) *Stop {
	why := cmp.Or(s.Recommended, "it gives no reason")
	return &Stop{Reason: ReasonBlocked, Why: sentence(fmt.Sprintf("The agent says that it is blocked, %d turns in a row: %s", s.Gate.Blocked, why))}
}

func interruptStop(inTurn, inCheck bool) *Stop {
	s := &Stop{Reason: ReasonInterrupted, Why: "Interrupted between two turns."}
	if inCheck {
		s.Why = "Interrupted in the middle of a check, which is made again when the loop goes on."
	}
	if inTurn {
		s.Why = "Interrupted in the middle of a turn, which is taken again when the loop goes on."
	}
	return s
}
