package loop

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// Kinds of notices.
const (
	NoticeNote        = "note"         // Text: something unexpected but harmless
	NoticeTurnStarted = "turn_started" // Turn, Agent, Branch, Task, Hat, Subject, Cost, Elapsed
	NoticeEvent       = "event"        // Event
	NoticeTurnEnded   = "turn_ended"   // Text: a one-line summary; Outcome, OK: it made progress; Topics, Cost, Elapsed
	NoticeWaiting     = "waiting"      // Text: the reason; Remaining; once per second
	NoticeVerifying   = "verifying"    // Text: the commands
	NoticeVerified    = "verified"     // Text: the result; OK
	NoticeCommitted   = "committed"    // Text: the commit
	NoticeStopped     = "stopped"      // Stop; Summary if the run took a turn
	NoticeAsked       = "asked"        // Question; Text: its text; OK: the loop waits for its answer
	NoticeAnswered    = "answered"     // Question, with its answer
	NoticeDecided     = "decided"      // Question, answered by a rule; OK: it was allowed
	NoticeGuided      = "guided"       // Text: a user's message to the agent
)

// Topics identify the subject of a notice for front ends that add instructions to it.
const (
	TopicCutOff      = "cut_off"     // the interrupted run could have been resumed
	TopicUncommitted = "uncommitted" // changes from before the loop, which are left alone
	TopicMixed       = "mixed"       // a file with changes both from before the turn and of the turn
	TopicCommitAll   = "commit_all"  // set, but turns are not committed
	TopicTag         = "tag"         // set, but turns are not committed
	TopicWorktree    = "worktree"    // set, but turns are not committed
	TopicHooks       = "hooks"       // git hooks of the project that the working tree lacks
	TopicSubmodules  = "submodules"  // submodules that have no files in the working tree
	TopicIgnored     = "ignored"     // files that git ignores, and the working tree therefore lacks
	TopicCost        = "cost"        // limited, but the agent does not report it
	TopicTokens      = "tokens"      // limited, but the agent does not report them
	TopicMaxRuntime  = "max_runtime" // shortens a wait
	TopicOnQuestion  = "on_question" // its command failed
)

// Notice is something to show to the user. Its fields are the union of those of all kinds.
type Notice struct {
	Kind      string
	Turn      int
	Text      string
	Topic     string // of a note or a wait; may be ""
	Event     *event.Event
	Remaining time.Duration
	OK        bool
	Stop      *Stop

	Summary *Summary
	Record  *journal.Record // its line in events.jsonl, or the line that a limit left out; nil: it is not recorded

	Agent   string // the agent of the turn
	Branch  string // branch of the worktree, if there is one
	Task    string // the first open task of the plan
	Hat     string // hat of the turn; "" for none
	Subject string // the topics of the turn
	Outcome string // Text without the agent's own words

	Question *record.Question

	Topics  []hats.Topic  // topics published by a completed turn
	Cost    float64       // cost of the run so far in US dollars, including earlier processes
	Elapsed time.Duration // time of the run so far
}

// notifier passes notices to the observer.
type notifier struct {
	observe func(Notice) // may be nil
	mu      sync.Mutex
	noted   map[string]bool // notes that were sent once
}

func (n *notifier) tell(notice Notice) {
	if n.observe == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.observe(notice)
}

// render formats an event for live.log and the log of a turn.
func render(e event.Event) string {
	switch e.Type {
	case event.Text:
		return event.Printable(strings.TrimRight(e.Text, "\n")) + "\n"
	case event.ToolUse:
		return fmt.Sprintf("[%s] %s\n", cmp.Or(e.Name, string(e.Tool)), record.OneLine(string(e.Input), 400))
	case event.ToolResult:
		mark := "ok"
		if e.IsError {
			mark = "error"
		}
		return fmt.Sprintf("[%s] %s\n", mark, record.OneLine(e.Content, 400))
	case event.RateLimited, event.Error:
		return fmt.Sprintf("[%s] %s\n", e.Type, record.OneLine(e.Message, 400))
	case event.PermissionDenied:
		return fmt.Sprintf("[%s] %s %s\n", e.Type, cmp.Or(e.Name, string(e.Tool)), record.OneLine(e.Detail, 400))
	case event.Unknown:
		return fmt.Sprintf("[%s] %s\n", e.Type, record.OneLine(e.Raw, 400))
	}
	return ""
}
