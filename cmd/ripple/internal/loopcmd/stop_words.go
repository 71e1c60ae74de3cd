package loopcmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/record"
)

// ExitCode returns the exit code of `ripple run` and of other commands whose loop has stopped.
func ExitCode(s *loop.Stop) int {
	switch s.Reason {
	case loop.ReasonProjectComplete, loop.ReasonPlanComplete, loop.ReasonTestSaturation:
		return ui.ExitOK
	case loop.ReasonUsage, loop.ReasonBranch:
		return ui.ExitUsage
	case loop.ReasonPromptMissing, loop.ReasonAgentMissing, loop.ReasonVersion, loop.ReasonNoRun, loop.ReasonGitMissing, loop.ReasonNoRepository:
		return ui.ExitMissing
	case loop.ReasonMaxTurns, loop.ReasonMaxRuntime, loop.ReasonMaxCost, loop.ReasonMaxTokens, loop.ReasonHatExhausted, loop.ReasonMaxFailures, loop.ReasonProviderLimit, loop.ReasonOverloaded:
		return ui.ExitLimit
	case loop.ReasonCircuitOpen:
		return ExitOpen
	case loop.ReasonUnverified:
		return ExitUnverified
	case loop.ReasonBlocked, loop.ReasonPermissionDenied, loop.ReasonAuth, loop.ReasonQuestion, loop.ReasonUnanswered, loop.ReasonConflict:
		return ui.ExitBlocked
	case loop.ReasonInterrupted:
		return ui.ExitInterrupted
	}
	return ui.ExitFailed
}

// Exit codes specific to loops.
const (
	ExitOpen       = 6 // the circuit is open
	ExitUnverified = 7 // completion was claimed but not verified
)

const (
	promptPath = layout.Dir + "/" + layout.PromptFile
	logsPath   = layout.Dir + "/" + layout.LogsDir
)

// advice maps the reason of a stop to the next step. {do} is the stop's own advice, or else the
// entry of unknown; {then} resumes the run.
var advice = map[string]string{
	loop.ReasonPermissionDenied: "{do}{then}",
	loop.ReasonAuth:             "{do}{then}",
	loop.ReasonVersion:          "install the version that `ripple doctor` names{then}",
	loop.ReasonUsage:            "{do}",
	loop.ReasonQuestion:         "answer in " + promptPath + "{then}",
	loop.ReasonUnanswered:       "{do}{then}",
	loop.ReasonBlocked:          "answer it in " + promptPath + " or in the plan{then}",
	loop.ReasonMaxFailures:      "read the last file in " + logsPath + ", fix the cause{then}",
	loop.ReasonUnverified:       "run the failed command yourself, then fix the cause, or describe the fix in " + promptPath + "{then}",
	loop.ReasonProviderLimit:    "run `ripple run --resume` after that time, or with a higher --max-wait",
	loop.ReasonOverloaded:       "run `ripple run --resume` later, with a higher --max-wait, or with --fallback",
	loop.ReasonMaxTurns:         "continue with `ripple run --resume` and a higher --max-turns",
	loop.ReasonMaxRuntime:       "continue with `ripple run --resume` and a higher --max-runtime",
	loop.ReasonMaxCost:          "continue with `ripple run --resume` and a higher --max-cost",
	loop.ReasonMaxTokens:        "continue with `ripple run --resume` and a higher --max-tokens",
	loop.ReasonHatExhausted:     "raise the hat's limit in ripple.yml, or add a hat that its .exhausted topic triggers{then}",
	loop.ReasonInterrupted:      "continue with `ripple run --resume`",
	loop.ReasonConflict:         "{do}{then}",
	loop.ReasonLocked:           "wait for it; to end it: {do}",
	loop.ReasonPromptMissing:    "{do} with --prompt-file",
	loop.ReasonNoRun:            "to start one: `ripple run`, without --resume",
	loop.ReasonAgentMissing:     "{do}",
	loop.ReasonGitMissing:       "{do}, or leave --commit, --tag and --worktree out",
	loop.ReasonNoRepository:     "{do}, or leave --commit, --tag and --worktree out",
	loop.ReasonBranch:           "{do} with --worktree",
}

var unknown = map[string]string{
	loop.ReasonLocked:           "`ripple stop`",
	loop.ReasonAuth:             "log in with the agent's own command",
	loop.ReasonUnanswered:       "answer it with `ripple answer`",
	loop.ReasonPermissionDenied: "allow it in the agent's own settings",
	loop.ReasonUsage:            "to see its command line: `ripple run --dry-run`",
	loop.ReasonAgentMissing:     "to see the installed agents and what they lack: `ripple doctor`",
}

// whatNext returns the next step after a stop in one sentence.
func whatNext(s *loop.Stop) string {
	then := ", then run `ripple run --resume`"
	if s.CircuitOpen {
		then = ", then run `ripple reset circuit` and `ripple run --resume`"
	}
	switch {
	case s.Done():
		return sentence(afterDone(s))
	case s.Reason == loop.ReasonCircuitOpen:
		return sentence(afterOpen(s, then))
	case s.Reason == loop.ReasonPromptMissing && s.Fix == "":
		return "Write the task into this file, or let `ripple init` create one."
	case errors.Is(s.Err, syscall.ENOSPC), errors.Is(s.Err, syscall.EDQUOT):
		return sentence("free disk space" + then)
	case errors.Is(s.Err, syscall.EROFS):
		return sentence(ui.WritableHint + then)
	case s.Reason == loop.ReasonError:
		return sentence(afterError(s, then))
	}
	do := cmp.Or(s.Fix, unknown[s.Reason])
	if s.Question != nil {
		return sentence(orElse(s.Fix, answerFirst(*s.Question)) + then)
	}
	return sentence(strings.NewReplacer("{do}", do, "{then}", then).Replace(advice[s.Reason]))
}

func orElse(do, otherwise string) string {
	if do == "" {
		return otherwise
	}
	return do + ", or " + otherwise
}

// answerFirst explains how to answer a question.
func answerFirst(q record.Question) string {
	if q.Kind == event.AskPermission {
		return fmt.Sprintf("answer it with `ripple answer %s --allow` or `--deny`", q.ID)
	}
	return fmt.Sprintf("answer it with `ripple answer %s TEXT`", q.ID)
}

func afterDone(s *loop.Stop) string {
	switch {
	case !s.AgentRan:
		return "to let the loop do more: add a task (- [ ] ...) to that file, or remove the file, then run ripple again"
	case s.Verified:
		return "review the result and keep it"
	}
	return "review the result; to have such a claim verified: --verify COMMAND"
}

func afterOpen(s *loop.Stop, then string) string {
	if s.Fix != "" {
		return s.Fix + then
	}
	return fmt.Sprintf("read the newest file in %s; then run `ripple reset circuit` and `ripple run --resume`, or only `ripple run --resume` in %v", logsPath, s.Cooldown.Round(time.Second))
}

func afterError(s *loop.Stop, then string) string {
	switch {
	case s.RecordLost:
		return s.Fix + "; then, to start a new loop: `ripple run`"
	case s.Fix != "":
		return s.Fix + then
	case errors.Is(s.Err, fs.ErrPermission):
		return "run the loop as the owner of " + layout.Dir + " and the files in it, or in a directory that you may write"
	}
	return "nothing that was recorded is lost: fix the cause and continue with `ripple run --resume`"
}

// sentence capitalizes a text, unless it begins with a command, and adds a period.
func sentence(text string) string {
	if first, size := utf8.DecodeRuneInString(text); size > 0 {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".?!") {
		text += "."
	}
	return text
}
