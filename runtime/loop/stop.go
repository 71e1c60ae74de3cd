package loop

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/runtime/internal/git"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// Reasons for which a loop stops, in addition to those of the exit gate.
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
	ReasonHatExhausted     = "hat_exhausted" // a topic waits for a hat that has reached its limit, and no other hat takes over
	ReasonMaxFailures      = "max_failures"
	ReasonProviderLimit    = "provider_limit"
	ReasonOverloaded       = "provider_overloaded"
	ReasonInterrupted      = "interrupted"
	ReasonPromptMissing    = "prompt_missing"
	ReasonAgentMissing     = "agent_missing"
	ReasonConflict         = "conflict"
	ReasonLocked           = "locked"
	ReasonNoRun            = "run_missing"        // no run to resume
	ReasonGitMissing       = "git_missing"        // a setting needs it
	ReasonNoRepository     = "repository_missing" // or no commit, or no working tree
	ReasonBranch           = "branch"             // it cannot be used
	ReasonError            = "error"
)

// Stop describes why a loop ended: the event, in words that do not depend on the caller, and the
// facts that determine the next step.
type Stop struct {
	Reason      string
	Message     string           // one sentence
	Fix         string           // the fix, if the agent's adapter, git or the files provide one; no period
	Verified    bool             // every verify command succeeded on the final tree
	AgentRan    bool             // the agent took a turn in this run
	CircuitOpen bool             // no turn is taken before the cooldown ends or it is reset
	Cooldown    time.Duration    // time left until the cooldown ends
	RecordLost  bool             // the run cannot be resumed
	Question    *record.Question // an answer to it lets the loop continue
	Err         error            // an error in the loop itself
}

func (s *Stop) Error() string { return s.Message }
func (s *Stop) Unwrap() error { return s.Err }

// Done reports whether the loop ended because its work is done.
func (s *Stop) Done() bool {
	return s.Reason == ReasonProjectComplete || s.Reason == ReasonPlanComplete || s.Reason == ReasonTestSaturation
}

// stopFor converts an error in the loop itself to a stop.
func stopFor(err error) *Stop {
	if s, ok := errors.AsType[*Stop](err); ok {
		return s
	}
	if c, ok := errors.AsType[*git.Conflict](err); ok {
		return &Stop{Reason: ReasonConflict, Message: sentence(c.Why), Fix: c.Next, Err: err}
	}
	if l, ok := errors.AsType[*journal.LockedError](err); ok {
		return &Stop{Reason: ReasonLocked, Message: sentence(l.Error()), Err: err}
	}
	return &Stop{Reason: ReasonError, Message: sentence(err.Error()), Err: err}
}

// sentence capitalizes a text and adds a period.
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
	return &Stop{Reason: ReasonAgentMissing, Message: sentence("The agent cannot be started: " + err.Error()), Err: err}
}

// doneStop ends a loop whose work is done; plan is the path of the task list, p are its boxes, and commands are
// those that verified it.
func doneStop(reason, plan string, p record.Plan, state *record.State, commands int) *Stop {
	why := map[string]string{
		ReasonProjectComplete: (*gate)(&state.Gate).speaker() + " says that the project is complete",
		ReasonPlanComplete:    "Every task in " + plan + " is ticked",
		ReasonTestSaturation:  fmt.Sprintf("The last %d turns only tested and changed nothing else", testTurnsToFinish),
	}[reason]
	if reason == ReasonPlanComplete && state.Removed > 0 {
		why += fmt.Sprintf(", %s removed without being ticked,", plural(state.Removed, "other"))
	}
	s := &Stop{Reason: reason, Verified: commands > 0, AgentRan: state.Turn > 0}
	how := "not verified"
	if s.Verified {
		how = "verified by " + plural(commands, "command")
	}
	s.Message = fmt.Sprintf("%s after %s, %s", why, plural(state.Turn, "turn"), how)
	if p.Open > 0 {
		s.Message += fmt.Sprintf("; %d of %d tasks in %s are open", p.Open, p.Open+p.Ticked, plan)
	}
	s.Message = sentence(s.Message)
	if !s.AgentRan {
		s.Message = fmt.Sprintf("Every task in %s was already ticked, so no turn was taken; %s.", plan, how)
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// FormatUSD formats an amount in US dollars. An amount of less than a cent has more digits: 0.0042
// is $0.0042.
func FormatUSD(usd float64) string {
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
	return &Stop{Reason: ReasonBlocked, Message: sentence(fmt.Sprintf("The agent says that it is blocked, %d turns in a row: %s", s.Gate.Blocked, why))}
}

func interruptStop(inTurn, inCheck bool) *Stop {
	s := &Stop{Reason: ReasonInterrupted, Message: "Interrupted between two turns."}
	if inCheck {
		s.Message = "Interrupted during a check, which is repeated when the loop continues."
	}
	if inTurn {
		s.Message = "Interrupted during a turn, which is repeated when the loop continues."
	}
	return s
}
