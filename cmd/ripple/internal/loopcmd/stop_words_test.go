package loopcmd

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/record"
)

// Each reason has its exit code, and the next step depends on the facts.
func TestStopWords(t *testing.T) {
	const resume = ", then run `ripple run --resume`."
	tests := []struct {
		stop loop.Stop
		code int
		next string
	}{
		{loop.Stop{Reason: loop.ReasonProjectComplete, AgentRan: true}, 0, "Review the result; to have such a claim verified: --verify COMMAND."},
		{loop.Stop{Reason: loop.ReasonTestSaturation, AgentRan: true, Verified: true}, 0, "Review the result and keep it."},
		{loop.Stop{Reason: loop.ReasonPlanComplete}, 0, "To let the loop do more: add a task (- [ ] ...) to that file, or remove the file, then run ripple again."},
		{loop.Stop{Reason: loop.ReasonCircuitOpen, CircuitOpen: true, Cooldown: 30 * time.Minute}, 6, "Read the newest file in .ralph/logs; then run `ripple reset circuit` and `ripple run --resume`, or only `ripple run --resume` in 30m0s."},
		{loop.Stop{Reason: loop.ReasonCircuitOpen, CircuitOpen: true, Fix: "Allow Bash"}, 6, "Allow Bash, then run `ripple reset circuit` and `ripple run --resume`."},
		{loop.Stop{Reason: loop.ReasonPermissionDenied}, 8, "Allow it in the agent's own settings" + resume},
		{loop.Stop{Reason: loop.ReasonPermissionDenied, Fix: "Allow Bash in its settings"}, 8, "Allow Bash in its settings" + resume},
		{loop.Stop{Reason: loop.ReasonAuth, Fix: "add credits"}, 8, "Add credits, then run `ripple run --resume`."},
		{loop.Stop{Reason: loop.ReasonAuth, CircuitOpen: true}, 8, "Log in with the agent's own command, then run `ripple reset circuit` and `ripple run --resume`."},
		{loop.Stop{Reason: loop.ReasonVersion}, 3, "Install the version that `ripple doctor` names" + resume},
		{loop.Stop{Reason: loop.ReasonUsage}, 2, "To see its command line: `ripple run --dry-run`."},
		{loop.Stop{Reason: loop.ReasonUsage, Fix: "run it as a user"}, 2, "Run it as a user."},
		{loop.Stop{Reason: loop.ReasonQuestion}, 8, "Answer in .ralph/PROMPT.md" + resume},
		{loop.Stop{Reason: loop.ReasonBlocked}, 8, "Answer it in .ralph/PROMPT.md or in the plan" + resume},
		{loop.Stop{Reason: loop.ReasonBlocked, Question: &record.Question{Question: event.Question{ID: "q1", Kind: event.AskText}}}, 8, "Answer it with `ripple answer q1 TEXT`" + resume},
		{loop.Stop{Reason: loop.ReasonPermissionDenied, Question: &record.Question{Question: event.Question{ID: "q2", Kind: event.AskPermission}}}, 8, "Answer it with `ripple answer q2 --allow` or `--deny`" + resume},
		{loop.Stop{Reason: loop.ReasonUnanswered}, 8, "Answer it with `ripple answer`" + resume},
		{loop.Stop{Reason: loop.ReasonUnverified}, 7, "Run the failed command yourself, then fix the cause, or describe the fix in .ralph/PROMPT.md" + resume},
		{loop.Stop{Reason: loop.ReasonMaxTurns}, 5, "Continue with `ripple run --resume` and a higher --max-turns."},
		{loop.Stop{Reason: loop.ReasonMaxRuntime}, 5, "Continue with `ripple run --resume` and a higher --max-runtime."},
		{loop.Stop{Reason: loop.ReasonMaxCost}, 5, "Continue with `ripple run --resume` and a higher --max-cost."},
		{loop.Stop{Reason: loop.ReasonMaxTokens}, 5, "Continue with `ripple run --resume` and a higher --max-tokens."},
		{loop.Stop{Reason: loop.ReasonHatExhausted}, 5, "Raise the hat's limit in ripple.yml, or add a hat that its .exhausted topic triggers, then run `ripple run --resume`."},
		{loop.Stop{Reason: loop.ReasonMaxFailures, CircuitOpen: true}, 5, "Read the last file in .ralph/logs, fix the cause, then run `ripple reset circuit` and `ripple run --resume`."},
		{loop.Stop{Reason: loop.ReasonOverloaded}, 5, "Run `ripple run --resume` later, with a higher --max-wait, or with --fallback."},
		{loop.Stop{Reason: loop.ReasonProviderLimit}, 5, "Run `ripple run --resume` after that time, or with a higher --max-wait."},
		{loop.Stop{Reason: loop.ReasonInterrupted}, 130, "Continue with `ripple run --resume`."},
		{loop.Stop{Reason: loop.ReasonPromptMissing}, 3, "Write the task into this file, or let `ripple init` create one."},
		{loop.Stop{Reason: loop.ReasonPromptMissing, Fix: "write the task into it, or name another file"}, 3, "Write the task into it, or name another file with --prompt-file."},
		{loop.Stop{Reason: loop.ReasonAgentMissing}, 3, "To see the installed agents and what they lack: `ripple doctor`."},
		{loop.Stop{Reason: loop.ReasonAgentMissing, Err: &fs.PathError{Err: syscall.ENOSPC}}, 3, "Free disk space" + resume},
		{loop.Stop{Reason: loop.ReasonConflict, Fix: "end it with `git merge --abort`"}, 8, "End it with `git merge --abort`" + resume},
		{loop.Stop{Reason: loop.ReasonNoRun}, 3, "To start one: `ripple run`, without --resume."},
		{loop.Stop{Reason: loop.ReasonLocked}, 1, "Wait for it; to end it: `ripple stop`."},
		{loop.Stop{Reason: loop.ReasonGitMissing, Fix: "install git"}, 3, "Install git, or leave --commit, --tag and --worktree out."},
		{loop.Stop{Reason: loop.ReasonNoRepository, Fix: "make a first commit"}, 3, "Make a first commit, or leave --commit, --tag and --worktree out."},
		{loop.Stop{Reason: loop.ReasonBranch, Fix: "name another branch"}, 2, "Name another branch with --worktree."},
		{loop.Stop{Reason: loop.ReasonError, Err: errors.New("torn")}, 1, "Nothing that was recorded is lost: fix the cause and continue with `ripple run --resume`."},
		{loop.Stop{Reason: loop.ReasonError, Err: &fs.PathError{Err: syscall.EDQUOT}}, 1, "Free disk space" + resume},
		{loop.Stop{Reason: loop.ReasonError, Err: &fs.PathError{Err: syscall.EROFS}}, 1, "Make the file system writable, or work in a copy on another one" + resume},
		{loop.Stop{Reason: loop.ReasonError, Err: fs.ErrPermission}, 1, "Run the loop as the owner of .ralph and the files in it, or in a directory that you may write."},
		{loop.Stop{Reason: loop.ReasonError, RecordLost: true, Fix: "fix the cause"}, 1, "Fix the cause; then, to start a new loop: `ripple run`."},
		{loop.Stop{Reason: loop.ReasonError, Fix: "put the project's directory back"}, 1, "Put the project's directory back" + resume},
	}
	tried := map[string]bool{}
	for _, tt := range tests {
		assert.Equal(t, tt.code, ExitCode(&tt.stop), tt.stop.Reason)
		assert.Equal(t, tt.next, whatNext(&tt.stop), tt.stop.Reason)
		tried[tt.stop.Reason] = true
	}
	reasons := declared(t, "Reason", "stop.go", "gate.go")
	require.Greater(t, len(reasons), 20)
	for _, reason := range reasons {
		assert.True(t, tried[reason], "no row for %s", reason)
	}
}

var commandsOfGit = regexp.MustCompile("`git [^`]*`")

// Every topic of the loop's notices has advice here, which names existing flags.
func TestNoticeWords(t *testing.T) {
	known := map[string]bool{"resume": true} // which is not a setting
	for _, s := range config.Settings() {
		known[s.Flag] = true
	}
	assert.ElementsMatch(t, declared(t, "Topic", "notice.go"), slices.Collect(maps.Keys(flagsOf)))
	for topic, words := range flagsOf {
		assert.Equal(t, "said"+words, withFlags(loop.Notice{Topic: topic, Text: "said"}).Text)
		named := regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(commandsOfGit.ReplaceAllString(words, ""), -1)
		assert.NotEmpty(t, named, topic)
		for _, flag := range named {
			assert.True(t, known[flag[1]], "%s: there is no --%s", topic, flag[1])
		}
	}
	assert.Equal(t, "said", withFlags(loop.Notice{Text: "said"}).Text)
}

// declared returns the constants of the library with a prefix.
func declared(t *testing.T, prefix string, files ...string) (list []string) {
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), "../../../../runtime/loop/"+file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			if v, is := n.(*ast.ValueSpec); is && strings.HasPrefix(v.Names[0].Name, prefix) {
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				require.NoError(t, err)
				list = append(list, text)
			}
			return true
		})
	}
	return list
}
