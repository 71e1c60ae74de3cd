package loop

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"ripple/runtime/event"
	"ripple/runtime/loop/hats"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/record"
)

// Kinds of notices.
const (
	NoticeNote        = "note"         // Text: something odd that does no harm
	NoticeTurnStarted = "turn_started" // Turn, Agent, Branch, Task, Hat, Subject, Cost, Elapsed
	NoticeEvent       = "event"        // Event
	NoticeTurnEnded   = "turn_ended"   // Text: one line on the turn; Outcome, OK: it made progress; Topics, Cost, Elapsed
	NoticeWaiting     = "waiting"      // Text: for what; Left; each second
	NoticeVerifying   = "verifying"    // Text: the commands
	NoticeVerified    = "verified"     // Text: what became of them; OK
	NoticeCommitted   = "committed"    // Text: the commit
	NoticeStopped     = "stopped"      // Stop; Summary of a run that took a turn
	NoticeAsked       = "asked"        // Question; Text: it in words; OK: the loop waits for its answer
	NoticeAnswered    = "answered"     // Question, with its answer
	NoticeDecided     = "decided"      // Question, which a rule answered; OK: it allowed
	NoticeGuided      = "guided"       // Text: what a person says to the agent
)

// Topics are what a notice is about where a front end may want to add how its users
// change that.
const (
	TopicCutOff      = "cut_off"     // a run that could have been gone on with
	TopicUncommitted = "uncommitted" // changes from before the loop that are left alone
	TopicMixed       = "mixed"       // a file that has such changes and the turn's
	TopicCommitAll   = "commit_all"  // asked for without commits
	TopicTag         = "tag"         // asked for without commits
	TopicCost        = "cost"        // its limit has nothing to go by
	TopicTokens      = "tokens"      // likewise
	TopicMaxRuntime  = "max_runtime" // cuts a wait short
	TopicOnQuestion  = "on_question" // its command failed
)

// Notice is something that a person at a terminal wants to see. Its fields are those of
// all kinds.
type Notice struct {
	Kind  string
	Turn  int
	Text  string
	Topic string // of a note and of waiting; may be ""
	Event *event.Event
	Left  time.Duration
	OK    bool
	Stop  *Stop

	Summary *Summary
	Record  *journal.Record // as it is in events.jsonl; nil: nothing of it is there

	Agent   string // who takes the turn
	Branch  string // where, in a working tree of its own
	Task    string // the first open one of the plan
	Hat     string // whose role the turn is; "" for none
	Subject string // the topics that it has
	Outcome string // Text without what the agent said of itself

	Question *record.Question

	Topics  []hats.Topic  // what a turn that ended published
	Cost    float64       // US dollars of the run so far, resumed or not
	Elapsed time.Duration // of the run so far
}

// notifier hands notices to who observes the loop.
type notifier struct {
	observe func(Notice) // may be nil
	mu      sync.Mutex
	noted   map[string]bool // what was said once
}

func (n *notifier) tell(notice Notice) {
	if n.observe == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.observe(notice)
}

// render shows an event in live.log and in the log of a turn.
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
