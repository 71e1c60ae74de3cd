package loop

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ripple/runtime/event"
	"ripple/runtime/internal/git"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// Exit codes of a loop.
const (
	ExitDone        = 0
	ExitFailed      = 1   // the loop itself could not go on
	ExitUsage       = 2   // a setting cannot be carried out
	ExitMissing     = 3   // the prompt, the agent or git
	ExitLimit       = 5   // a limit or budget was reached
	ExitOpen        = 6   // the circuit is open
	ExitUnverified  = 7   // done was claimed, not verified
	ExitBlocked     = 8   // the agent needs a person
	ExitInterrupted = 130 // 128 + SIGINT
)

// Reasons for which a loop stops, besides those of the exit gate.
const (
	ReasonCircuitOpen      = "circuit_open"
	ReasonPermissionDenied = "permission_denied"
	ReasonAuth             = "auth"
	ReasonVersion          = "version"
	ReasonUsage            = "usage"
	ReasonQuestion         = "question"
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
	ReasonError            = "error"
)

// Stop is why a loop ended.
type Stop struct {
	Reason   string
	ExitCode int
	Why      string // one sentence
	Next     string // one sentence: what to do
	Verified bool   // every command of --verify succeeded on the final tree
}

func (s *Stop) Error() string { return s.Why + " " + s.Next }

// stopFor makes a stop of what went wrong in the loop itself.
func stopFor(err error) *Stop {
	if s, ok := errors.AsType[*Stop](err); ok {
		return s
	}
	if c, ok := errors.AsType[*git.Conflict](err); ok {
		return &Stop{Reason: ReasonConflict, ExitCode: ExitBlocked, Why: sentence(c.Why), Next: sentence(c.Next + ", then run `ripple run --resume`")}
	}
	if l, ok := errors.AsType[*journal.LockedError](err); ok {
		return &Stop{
			Reason: ReasonLocked, ExitCode: ExitFailed, Why: sentence(l.Error()),
			Next: "Wait for it, or end it with `ripple stop`.",
		}
	}
	s := &Stop{
		Reason: ReasonError, ExitCode: ExitFailed, Why: sentence(err.Error()),
		Next: "Nothing that was recorded is lost: put the cause right and go on with `ripple run --resume`.",
	}
	if errors.Is(err, fs.ErrPermission) {
		s.Next = "A loop reads and writes in " + layout.Dir + ": run it as the owner of that directory, or where you may write."
	}
	return s
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
	return &Stop{
		Reason: ReasonAgentMissing, ExitCode: ExitMissing, Why: sentence("The agent cannot be started: " + err.Error()),
		Next: "`ripple doctor` shows which agents are here and what they lack.",
	}
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
	s := &Stop{Reason: reason, Verified: commands > 0}
	if turns == 0 {
		how := "not verified"
		if s.Verified {
			how = "verified by " + plural(commands, "command")
		}
		s.Why = fmt.Sprintf("Every task in %s/%s was ticked already, and the agent was not asked; %s.", layout.Dir, layout.PlanFile, how)
		s.Next = "For more work add a task (- [ ] ...) to that file or remove it, then run ripple again."
		return s
	}
	s.Why = fmt.Sprintf("%s after %s, not verified.", why, plural(turns, "turn"))
	s.Next = "Look at the result; with --verify CMD ripple checks it before it believes it."
	if s.Verified {
		s.Why = fmt.Sprintf("%s after %s, verified by %s.", why, plural(turns, "turn"), plural(commands, "command"))
		s.Next = "Look at the result and keep it."
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// cause is the stop for how the last turn went: no further turn mends it, or too
// many failed like it. It says more than that the circuit opened, and comes first.
func (l *Loop) cause() *Stop {
	s := &l.state
	switch {
	case s.Halted:
		return &Stop{
			Reason: ReasonPermissionDenied, ExitCode: ExitBlocked,
			Why:  "The agent was denied a permission, and PERMISSION_DENIAL_MODE is halt.",
			Next: cmp.Or(strings.TrimSuffix(record.OneLine(l.who.DenialHelp, 400), "."), "Allow it in the agent's own settings") + l.thenResume() + ".",
		}
	case s.Failed == event.Auth:
		return &Stop{
			Reason: ReasonAuth, ExitCode: ExitBlocked, Why: sentence("The agent is not logged in: " + s.Last),
			Next: "Log in with the agent's own command" + l.thenResume() + ".",
		}
	case s.Failed == event.Version:
		return &Stop{
			Reason: ReasonVersion, ExitCode: ExitMissing, Why: sentence("This version of the agent cannot be driven: " + s.Last),
			Next: "Install the version that `ripple doctor` names" + l.thenResume() + ".",
		}
	case s.Failed == event.BadUsage:
		return &Stop{
			Reason: ReasonUsage, ExitCode: ExitUsage, Why: sentence("The agent refuses how it is started: " + s.Last),
			Next: sentence(cmp.Or(s.Hint, "look at its command line with `ripple run --dry-run`")),
		}
	case s.Asked != "":
		return &Stop{
			Reason: ReasonQuestion, ExitCode: ExitBlocked, Why: sentence("The agent asks: " + s.Asked),
			Next: "Answer in " + layout.Dir + "/" + layout.PromptFile + l.thenResume() + ".",
		}
	case s.Failures >= l.o.Config.MaxFailures:
		return &Stop{
			Reason: ReasonMaxFailures, ExitCode: ExitLimit,
			Why:  sentence(fmt.Sprintf("%s failed in a row, the last with: %s", plural(s.Failures, "turn"), s.Last)),
			Next: "Read the last file in " + layout.Dir + "/" + layout.LogsDir + ", put the cause right" + l.thenResume() + ".",
		}
	}
	return nil
}

// thenResume ends a sentence on what to do.
func (l *Loop) thenResume() string {
	if l.state.Breaker.State == record.Open {
		return ", then run `ripple reset circuit` and `ripple run --resume`"
	}
	return ", then run `ripple run --resume`"
}

// counted are the tokens that --max-tokens counts: in and out, without what came from a
// cache or went there.
func counted(s *record.State) int64 { return s.Tokens.Input + s.Tokens.Output }

// budget is the stop for what a run may take: claims, turns, time, money.
func (l *Loop) budget(p record.Plan) *Stop {
	s, c := &l.state, l.o.Config
	limit := func(reason, why, next string) *Stop {
		return &Stop{Reason: reason, ExitCode: ExitLimit, Why: why, Next: next}
	}
	switch {
	case s.Claims >= c.VerifyAttempts && len(c.Verify) > 0:
		return &Stop{
			Reason: ReasonUnverified, ExitCode: ExitUnverified,
			Why:  sentence(fmt.Sprintf("Done was claimed %s and never verified: %s", plural(s.Claims, "time"), s.VerifyFailed)),
			Next: "Run the command yourself, put it right or tell the agent how in " + layout.Dir + "/" + layout.PromptFile + ", then run `ripple run --resume`.",
		}
	case s.Waited > c.MaxWait:
		return limit(ReasonProviderLimit, fmt.Sprintf("The provider's limit lasts until %s, longer than --max-wait %v.", s.NotBefore.Local().Format(time.DateTime), c.MaxWait),
			"Run `ripple run --resume` after that time.")
	case s.Turn >= c.MaxTurns:
		return limit(ReasonMaxTurns, fmt.Sprintf("%s taken, the limit of --max-turns is %d; %s.", plural(s.Turn, "turn"), c.MaxTurns, l.notDone(p)),
			"Go on with `ripple run --resume` and a higher --max-turns.")
	case c.MaxRuntime > 0 && l.elapsed() >= c.MaxRuntime:
		return limit(ReasonMaxRuntime, fmt.Sprintf("The loop ran for %v, the limit of --max-runtime is %v.", l.elapsed().Round(time.Second), c.MaxRuntime),
			"Go on with `ripple run --resume` and a higher --max-runtime.")
	case c.MaxCost > 0 && s.CostUSD >= c.MaxCost:
		return limit(ReasonMaxCost, fmt.Sprintf("The turns cost %s, the limit of --max-cost is %s.", Dollars(s.CostUSD), Dollars(c.MaxCost)),
			"Go on with `ripple run --resume` and a higher --max-cost.")
	case c.MaxTokens > 0 && counted(s) >= c.MaxTokens:
		return limit(ReasonMaxTokens, fmt.Sprintf("The turns took %d tokens, the limit of --max-tokens is %d.", counted(s), c.MaxTokens),
			"Go on with `ripple run --resume` and a higher --max-tokens.")
	}
	return nil
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

// notDone says why the work does not count as done.
func (l *Loop) notDone(p record.Plan) string {
	s := &l.state
	switch g := s.Gate; {
	case s.VerifyFailed != "":
		return "it is not done, the check failed: " + s.VerifyFailed
	case g.Claimed && g.Denied:
		return "the agent said that it is done, which does not count in a turn that was denied a permission"
	case g.Claimed && g.Failing:
		return "the agent said that it is done, and that its tests fail"
	case g.Claimed && s.Failed != "":
		return fmt.Sprintf("the agent said that it is done, which does not count in a turn that failed (%s)", s.Failed)
	case p.Open+p.Ticked > 0:
		return fmt.Sprintf("%d of %d tasks are open", p.Open, p.Open+p.Ticked)
	case g.Claimed:
		return fmt.Sprintf("the agent said that it is done, but not %d turns in a row and EXIT_SIGNAL: true in the last", indicatorsToFinish)
	}
	return "the agent did not say that it is done"
}

// openStop says that the breaker holds the loop up, and until when.
func (l *Loop) openStop(now time.Time) *Stop {
	b := l.state.Breaker
	left := l.thresholds().Cooldown
	if b.OpenedAt != nil && !now.Before(b.OpenedAt.Time) {
		left -= now.Sub(b.OpenedAt.Time)
	}
	next := fmt.Sprintf("Look into the last file in %s/%s; then `ripple reset circuit` and `ripple run --resume`, or try again in %v.", layout.Dir, layout.LogsDir, left.Round(time.Second))
	if l.state.Gate.Denied && l.who.DenialHelp != "" {
		next = strings.TrimSuffix(record.OneLine(l.who.DenialHelp, 400), ".") + l.thenResume() + "."
	}
	why := "The circuit breaker is open: " + cmp.Or(b.Reason, "no reason was noted")
	if l.state.Turn > 0 && l.state.Last != "" {
		why += "; the last turn: " + l.state.Last
	}
	if l.state.Said != "" {
		why = strings.TrimSuffix(why, ".") + "; the agent said last: “" + strings.TrimSuffix(l.state.Said, ".") + "”"
	}
	return &Stop{Reason: ReasonCircuitOpen, ExitCode: ExitOpen, Why: sentence(why), Next: next}
}

func blockedStop(s *record.State) *Stop {
	return &Stop{
		Reason: ReasonBlocked, ExitCode: ExitBlocked,
		Why:  sentence(fmt.Sprintf("The agent says that it is blocked, %d turns in a row: %s", s.Gate.Blocked, cmp.Or(s.Recommended, "it gives no reason"))),
		Next: "Answer it in " + layout.Dir + "/" + layout.PromptFile + " or " + layout.Dir + "/" + layout.PlanFile + ", then run `ripple run --resume`.",
	}
}

func interruptStop(inTurn, inCheck bool) *Stop {
	s := &Stop{
		Reason: ReasonInterrupted, ExitCode: ExitInterrupted, Why: "Interrupted between two turns.",
		Next: "Go on with `ripple run --resume`.",
	}
	if inCheck {
		s.Why = "Interrupted in the middle of a check, which is made again when the loop goes on."
	}
	if inTurn {
		s.Why = "Interrupted in the middle of a turn, which is taken again when the loop goes on."
	}
	return s
}
