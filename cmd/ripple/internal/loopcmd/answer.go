package loopcmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// byPerson marks answers given with this command.
const byPerson = "a user"

// reply is the parsed command line of ripple answer.
type reply struct {
	id          string // "": the only open question
	text        string
	allow, deny bool
}

// newAnswer returns the answer command.
func newAnswer(shared *ui.App) *cobra.Command {
	a := &app{shared}
	var r reply
	cmd := &cobra.Command{
		Use:   "answer [ID] {TEXT | - | --allow | --deny [TEXT]}",
		Short: "Answer an agent's question",
		Long: `Answer an agent's question, given by its ID, such as q1; without an ID, the only open
question. A waiting loop continues with the answer; a stopped one uses it with the next
"ripple run --resume". The agent gets it once: in the turn that waits for it, or in the
prompt of the next turn.

A question with options is answered with one of them, by name or number; a request for a
permission with --allow or --deny and an optional message to the agent. "ripple
status" shows the open questions.

Only a user and the commands that --on-question starts can answer; other processes that a loop
started are refused.`,
		Example: "  ripple answer 'Use Postgres 16.'\n  ripple answer q2 --allow\n  ripple answer q2 --deny 'use make clean'",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && questionID(args[0]) && (len(args) == 2 || r.allow || r.deny) {
				r.id, args = args[0], args[1:]
			}
			if len(args) == 1 && r.id == "" && questionID(args[0]) {
				return missingAnswer(cmd, args[0])
			}
			if len(args) > 1 {
				return ui.UsageError("quote an answer of several words", "%s takes an ID and a text, but %q is not an ID such as q1", cmd.CommandPath(), args[0])
			}
			if len(args) == 1 {
				r.text = args[0]
			}
			return a.answer(cmd, r)
		},
	}
	cmd.Flags().BoolVar(&r.allow, "allow", false, "grant the permission")
	cmd.Flags().BoolVar(&r.deny, "deny", false, "deny the permission")
	return cmd
}

// questionID reports whether a word is the ID of a question.
func questionID(word string) bool {
	digits, is := strings.CutPrefix(word, "q")
	return is && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func (a *app) answer(cmd *cobra.Command, r reply) error {
	if err := writesForUser(a, cmd.CommandPath()); err != nil {
		return err
	}
	var err error
	if r.text, err = a.words(r.text); err != nil {
		return err
	}
	if r.allow && r.deny {
		return ui.UsageError("give one of them", "--allow and --deny cannot be combined")
	}
	if !r.allow && !r.deny && strings.TrimSpace(r.text) == "" {
		return missingAnswer(cmd, r.id)
	}
	var chosen record.Question
	var open []record.Question
	err = journal.Answer(loopDir(), time.Now().Round(0).UTC(), func(now []record.Question) (string, event.Answer, error) {
		open = now
		if chosen, err = r.choose(open); err != nil {
			return "", event.Answer{}, err
		}
		answer, err := r.answerTo(chosen)
		answer.From = caller(a)
		return chosen.ID, answer, err
	})
	answered, is := errors.AsType[*journal.AnsweredError](err)
	_, worded := errors.AsType[*ui.ExitError](err)
	switch {
	case worded:
		return err
	case is:
		return ui.FailWith(ui.ExitFailed, answered, "to send the agent another message: ripple guide TEXT")
	case errors.Is(err, journal.ErrNoLoop):
		return ui.FailWith(ui.ExitFailed, errors.New("no question is open: no loop has run in this directory"), "run ripple answer in the directory of the loop")
	case errors.Is(err, journal.ErrNoQuestion) && len(open) > 0:
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("no question %s is open here", r.id), lines(open))
	case errors.Is(err, journal.ErrNoQuestion):
		return ui.FailWith(ui.ExitFailed, errors.New("no question is open here"), "to see the state of the loop: ripple status; to send its agent a message: ripple guide TEXT")
	case err != nil:
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("the answer was not delivered: %w", err), ownersHint(err))
	}
	if _, runs, err := journal.NewStore(loopDir(), nil).Locked(); err == nil && !runs {
		a.Note("%s is answered; to continue with the answer: %s", chosen.ID, commandIn(loopDir(), "ripple run --resume"))
		return nil
	}
	a.Note("%s is answered", chosen.ID)
	return nil
}

// missingAnswer returns the error for a command line without an answer to the question with an ID, or, if that is "", to any
// question. It names the open ones.
func missingAnswer(cmd *cobra.Command, id string) error {
	open, _ := journal.OpenQuestions(loopDir()) // if they cannot be read, none is named
	if id != "" {
		open = slices.DeleteFunc(open, func(q record.Question) bool { return q.ID != id })
	}
	switch {
	case len(open) == 1:
		return ui.UsageError(ways(open[0]), "the answer to %s is missing: %s", open[0].ID, loop.FormatQuestion(open[0]))
	case len(open) > 1:
		return ui.UsageError(lines(open), "the answer is missing, and %d questions are open: give the ID of one and a text, --allow or --deny", len(open))
	case id != "":
		return ui.UsageError(cmd.CommandPath()+" "+id+" TEXT; for a permission --allow or --deny", "%s is a question: its answer is missing", id)
	}
	return ui.UsageError(ui.SeeHelp(cmd), "the answer is missing: give a text, --allow or --deny")
}

// byPeople rejects a command that acts for the user if a loop or an agent has started it, directly or
// not. The command that the user has set for questions is excepted, and what it starts.
func byPeople(a *app, command string) error {
	o := a.Trust.Origin()
	switch {
	case o.MayActForUser(a.Getenv):
		return nil
	case o.Hidden:
		return ui.FailWith(ui.ExitUsage, fmt.Errorf("%s cannot determine who started it: process %d, which runs the loop in %s, cannot be seen from here", command, o.Loop.PID, ui.Quote(o.Loop.Project)),
			"run it where the loop runs")
	default:
		return ui.FailWith(ui.ExitUsage, fmt.Errorf("%s must be run by a user, not from %s", command, o),
			"run it in a terminal that no loop and no agent has started")
	}
}

// writesForUser is byPeople for a command that also writes files of the loop.
func writesForUser(a *app, command string) error {
	if err := byPeople(a, command); err != nil {
		return err
	}
	return a.RefuseSudo(loopDir())
}

// caller describes this process.
func caller(a *app) *event.Caller {
	c := &event.Caller{PID: os.Getpid(), Parent: os.Getppid(), UID: os.Getuid(), TTY: ui.TerminalName(a.In, a.Err)}
	if o := a.Trust.Origin(); o != nil {
		c.Loop = o.Loop
	}
	return c
}

// words returns a text of the command line; "-" stands for standard input.
func (a *app) words(text string) (string, error) {
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(a.In, journal.MaxReply+1))
		if err != nil {
			return "", ui.FailWith(ui.ExitFailed, fmt.Errorf("standard input: %w", err), "")
		}
		text = string(data)
	}
	if len(text) > journal.MaxReply {
		return "", ui.UsageError("write the text into a file, and give the name of the file instead", "the text has more than %d bytes", journal.MaxReply)
	}
	return strings.ToValidUTF8(text, "�"), nil
}

// choose selects the question to answer.
func (r reply) choose(open []record.Question) (record.Question, error) {
	if r.id == "" && len(open) > 1 {
		return record.Question{}, ui.UsageError(lines(open), "%d questions are open: give the ID of one", len(open))
	}
	for _, q := range open {
		if r.id == "" || q.ID == r.id {
			return q, nil
		}
	}
	if r.id == "" {
		return record.Question{}, journal.ErrNoQuestion
	}
	return record.Question{Question: event.Question{ID: r.id}}, nil // the journal has its state
}

// lines lists the open questions, one per line.
func lines(open []record.Question) string {
	var all []string
	for _, q := range open {
		all = append(all, q.ID+": "+loop.FormatQuestion(q))
	}
	return strings.Join(all, "\n")
}

// answerTo returns an answer that fits the question.
func (r reply) answerTo(q record.Question) (event.Answer, error) {
	answer := event.Answer{Text: r.text, By: byPerson}
	switch {
	case q.Kind == event.AskPermission:
		kinds := []event.OptionKind{event.RejectOnce, event.RejectAlways}
		if r.allow {
			kinds = []event.OptionKind{event.AllowOnce, event.AllowAlways}
		}
		if !r.allow && !r.deny {
			o, is := option(q, r.text)
			if !is {
				return answer, ui.UsageError(ways(q), "%s asks for a permission: %s", q.ID, loop.FormatQuestion(q))
			}
			return event.Answer{Option: o.ID, By: byPerson}, nil
		}
		chosen, has := q.Choose(byPerson, kinds...)
		if !has && r.allow {
			return answer, ui.UsageError(ways(q), "%s cannot be allowed", q.ID)
		}
		chosen.By, chosen.Text = byPerson, r.text
		return chosen, nil
	case q.Kind == "": // it is not open
	case r.allow || r.deny:
		kinds := []event.OptionKind{event.RejectOnce}
		if r.allow {
			kinds = []event.OptionKind{event.AllowOnce}
		}
		if chosen, has := q.Choose(byPerson, kinds...); has {
			return chosen, nil
		}
		return answer, ui.UsageError("ripple answer "+q.ID+" TEXT", "%s does not ask for permission: %s", q.ID, loop.FormatQuestion(q))
	case q.Kind == event.AskChoice:
		o, is := option(q, r.text)
		if !is {
			return answer, ui.UsageError(ways(q), "%q is not an option of %s", r.text, q.ID)
		}
		return event.Answer{Option: o.ID, By: byPerson}, nil
	}
	for _, o := range q.Options {
		if o.Kind == "" && strings.EqualFold(strings.TrimSpace(r.text), o.Name) {
			return event.Answer{Option: o.ID, By: byPerson}, nil
		}
	}
	return answer, nil
}

// option finds an option by its ID, name or number, counted from 1.
func option(q record.Question, text string) (event.Option, bool) {
	text = strings.TrimSpace(text)
	for i, o := range q.Options {
		if text == o.ID || strings.EqualFold(text, o.Name) && o.Name != "" || text == fmt.Sprint(i+1) {
			return o, true
		}
	}
	return event.Option{}, false
}

// ways lists the possible answers to a question.
func ways(q record.Question) string {
	start := "ripple answer " + quote.Shell(q.ID) + " "
	switch q.Kind {
	case event.AskPermission:
		list := []string{start + "--allow", start + "--deny ['WHY']"}
		for i, o := range q.Options {
			if o.Kind == event.AllowAlways || o.Kind == event.RejectAlways {
				list = append(list, fmt.Sprintf("%s%d (%s)", start, i+1, ui.Harmless(o.Name)))
			}
		}
		return strings.Join(list, "\n  ")
	case event.AskChoice:
		var list []string
		for i, o := range q.Options {
			list = append(list, fmt.Sprintf("%s%d (%s)", start, i+1, ui.Harmless(o.Name)))
		}
		return strings.Join(list, "\n  ")
	}
	list := []string{start + "'TEXT'"}
	for _, o := range q.Options {
		if o.Kind == event.RejectOnce {
			list = append(list, start+"--deny")
		} else {
			list = append(list, start+inQuotes(o.Name))
		}
	}
	return strings.Join(list, "\n  ")
}

// inQuotes returns the name that an agent has given to an answer as an argument for a shell, always in quotes.
func inQuotes(name string) string {
	if word := quote.Shell(name); word != name {
		return word
	}
	return "'" + name + "'"
}

// newGuide returns the guide command.
func newGuide(shared *ui.App) *cobra.Command {
	a := &app{shared}
	return &cobra.Command{
		Use:   "guide {TEXT | -}",
		Short: "Send a message to the agent of a running loop",
		Long: `Add a message to the next prompt of the loop that runs in this directory: the agent reads
it once, and it is recorded. For instructions that apply to every turn edit
.ralph/PROMPT.md, which is read again before each turn.`,
		Example: "  ripple guide 'The tests need make db first.'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := writesForUser(a, cmd.CommandPath()); err != nil {
				return err
			}
			text, err := a.words(args[0])
			if err != nil {
				return err
			}
			if strings.TrimSpace(text) == "" {
				return ui.UsageError(ui.SeeHelp(cmd), "the message is empty")
			}
			err = journal.Advise(loopDir(), text, time.Now().Round(0).UTC())
			if errors.Is(err, journal.ErrNoLoop) {
				return ui.FailWith(ui.ExitFailed, err, "write the message into "+filepath.Join(loopDir(), promptPath)+"; then start a run ("+commandIn(loopDir(), "ripple run")+") or continue the last one ("+commandIn(loopDir(), "ripple run --resume")+")")
			}
			if err != nil {
				return ui.FailWith(ui.ExitFailed, fmt.Errorf("the message was not delivered: %w", err), ownersHint(err))
			}
			a.Note("the next turn's prompt will contain it")
			return nil
		},
	}
}
