package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

const blockedBy = "---RALPH_STATUS---\nSTATUS: BLOCKED\nRECOMMENDATION: Which database?\n---END_RALPH_STATUS---"

// Turns that ask.
var (
	blocks     = func(d *doing) { d.says(blockedBy) }
	mayIRemove = event.Question{
		ID: "7", Kind: event.AskPermission, Tool: "bash", Name: "Bash", Input: []byte(`{"command":"rm -rf build"}`),
		Options: []event.Option{{ID: "yes", Kind: event.AllowOnce}, {ID: "no", Kind: event.RejectOnce}},
	}
)

// requests is a turn that asks while it runs, and outputs the answer.
func requests(q event.Question) func(*doing) {
	return func(d *doing) {
		a, err := d.r.Ask(d.ctx, q)
		if err != nil {
			d.fails(event.Interrupted, err.Error())
			return
		}
		d.work()
		d.says(fmt.Sprintf("told %q %q by %q", a.Option, a.Text, a.By))
	}
}

func (r *rig) answers(id string, a event.Answer) error {
	return journal.Answer(r.dir, time.Now(), func([]record.Question) (string, event.Answer, error) { return id, a, nil })
}

// whenAsked answers each question when it is reported.
func (r *rig) whenAsked(answer func(record.Question) event.Answer) {
	r.onNotice = func(_ *Loop, n Notice) {
		if n.Kind == NoticeAsked {
			assert.NoError(r.t, r.answers(n.Question.ID, answer(*n.Question)))
		}
	}
}

// talk returns a short form of the recorded questions.
func (r *rig) talk() (list []string) {
	for _, l := range r.lines() {
		for _, q := range l.Asked {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%d asked %s %s: %s %s", l.Turn, q.From, q.ID, FormatQuestion(q), q.Ended)))
		}
		if q := l.Question; q != nil {
			text := fmt.Sprintf("%d %s %s %s", l.Turn, l.Type, q.From, q.ID)
			if q.Given != nil {
				text += fmt.Sprintf(": %s%s", q.Given.Option, q.Given.Text)
			}
			list = append(list, text)
		}
		if len(l.Answers)+len(l.Guides) > 0 {
			list = append(list, fmt.Sprintf("%d told %s", l.Turn, strings.Join(append(l.Answers, make([]string, len(l.Guides))...), "+")))
		}
	}
	return list
}

func words(text string) func(record.Question) event.Answer {
	return func(record.Question) event.Answer { return event.Answer{Text: text, By: "a user"} }
}

func TestBlockedWaitsForItsAnswer(t *testing.T) {
	r := newRig(t, blocks, works, claims, claims)
	r.flags["wait-for-answer"] = "always"
	r.whenAsked(words("Postgres,\nnumber 16"))
	stop := r.run()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	assert.Equal(t, []string{"1 asked block q1: Which database?", "1 answered block q1: Postgres,\nnumber 16", "2 told q1"}, r.talk())
	assert.Contains(t, r.fake.requests[1].Prompt, "# Answers to your questions\n\nYou asked:\n\n    Which database?\n\nThe answer is:\n\n    Postgres,\n    number 16\n")
	for _, n := range []int{0, 2, 3} {
		assert.NotContains(t, r.fake.requests[n].Prompt, "Answers to", "once")
	}
	assert.NoFileExists(t, r.dir+"/.ralph/"+layout.RepliesFile)
}

// If nobody can answer, the loop stops as it did before answers existed; an answer given later
// reaches the turn with which it continues.
func TestAnswerAfterTheStop(t *testing.T) {
	for name, turn := range map[string]func(*doing){
		ReasonBlocked: blocks,
		ReasonQuestion: func(d *doing) {
			d.event(event.Event{Type: event.ToolUse, Tool: event.ToolQuestion, Input: []byte(`{"question":"Which database?"}`)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, turn, turn, claims, claims)
			if name == ReasonQuestion {
				r.fake.script = script(turn, claims, claims)
			}
			stop := r.run()
			require.Equal(t, name, stop.Reason, stop.Message)
			require.NotNil(t, stop.Question)
			assert.Equal(t, "q1", stop.Question.ID)
			report, err := journal.ReadReport(r.dir)
			require.NoError(t, err)
			assert.Equal(t, "needs_you", report.State)
			require.Len(t, report.Questions, 1)

			require.NoError(t, r.answers("q1", event.Answer{Text: "Postgres"}))
			again, is := errors.AsType[*journal.AnsweredError](r.answers("q1", event.Answer{Text: "SQLite"}))
			require.True(t, is, "answered once")
			assert.Equal(t, "q1", again.Question.ID)
			assert.ErrorIs(t, r.answers("q2", event.Answer{Text: "SQLite"}), journal.ErrNoQuestion)
			stop = r.resume()
			assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
			asked := 0
			for _, q := range r.fake.requests {
				asked += strings.Count(q.Prompt, "    Postgres")
			}
			assert.Equal(t, 1, asked, "told once")
		})
	}
}

// A question during a turn is answered in that turn.
func TestRequestInATurn(t *testing.T) {
	r := newRig(t, requests(mayIRemove), claims, claims)
	r.flags["wait-for-answer"] = "always"
	r.whenAsked(func(q record.Question) event.Answer {
		report, err := journal.ReadReport(r.dir)
		assert.NoError(t, err)
		_ = report
		a, _ := q.Choose("a user", event.AllowOnce)
		return a
	})
	stop := r.run()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	assert.Equal(t, []string{"1 asked request q1", "1 answered request q1: yes"}, r.talk())
	assert.Contains(t, r.read(".ralph/live.log")+r.read(".ralph/events.jsonl"), `told \"yes\" \"\" by \"a user\"`)
	assert.NotContains(t, r.fake.requests[1].Prompt, "Answers to", "the turn had it")
}

// Nobody answers: the loop stops during the turn, which is repeated with the answer in its
// prompt, and as the reply if the request is repeated.
func TestRequestAnsweredAfterTheStop(t *testing.T) {
	r := newRig(t, requests(mayIRemove))
	stop := r.run()
	require.Equal(t, ReasonQuestion, stop.Reason, stop.Message)
	require.NotNil(t, stop.Question)
	assert.Equal(t, "may it use Bash (rm -rf build)", FormatQuestion(*stop.Question))
	assert.Equal(t, []string{"1 asked request q1"}, r.talk())

	stop = r.resume()
	require.Equal(t, ReasonQuestion, stop.Reason, "nobody answered")
	assert.Equal(t, []string{"1 asked request q1"}, r.talk(), "it is not asked again")

	require.NoError(t, r.answers("q1", event.Answer{Option: "yes"}))
	other := mayIRemove
	other.ID, other.Options = "9", []event.Option{{ID: "no-2", Kind: event.RejectOnce}, {ID: "yes-2", Kind: event.AllowOnce}}
	r.fake.script, r.fake.requests = script(requests(other), claims, claims), nil
	stop = r.resume()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	assert.Contains(t, r.fake.requests[0].Prompt, "You asked whether you may use Bash (rm -rf build). It is allowed now.")
	assert.Contains(t, r.read(".ralph/events.jsonl"), `told \"yes-2\"`, "in the words of the new request")
	assert.Equal(t, []string{"1 asked request q1", "1 answered request q1: yes", "1 told q1"}, r.talk())
	for _, later := range r.fake.requests[1:] {
		assert.NotContains(t, later.Prompt, "Answers to")
	}
}

// An agent that dies with an open question does not cause it to be asked twice.
func TestAgentDiesWithAnOpenQuestion(t *testing.T) {
	dies := func(d *doing) {
		ctx, cancel := context.WithCancel(d.ctx)
		time.AfterFunc(time.Second, cancel)
		_, err := d.r.Ask(ctx, mayIRemove)
		d.fails(event.Crashed, err.Error())
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, dies, requests(mayIRemove), claims, claims)
		r.flags["wait-for-answer"] = "always"
		asked := 0
		r.onNotice = func(_ *Loop, n Notice) {
			if n.Kind == NoticeAsked {
				if asked++; asked == 2 { // the loop now waits between the turns
					assert.NoError(t, r.answers(n.Question.ID, event.Answer{Option: "no", Text: "never"}))
				}
			}
		}
		stop := r.run()
		assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
		assert.Equal(t, []string{"1 asked request q1", "1 answered request q1: nonever", "2 told q1"}, r.talk())
		assert.Contains(t, r.fake.requests[1].Prompt, "It is not allowed. The answer is:\n\n    never")
	})
}

// A question may wait for a week; all clocks of the run are paused meanwhile, and no answer is
// assumed.
func TestQuestionOpenForAWeek(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func(*doing){"between turns": blocks, "in a turn": requests(mayIRemove)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, turn, claims, claims)
				r.flags = map[string]string{"wait-for-answer": "always", "max-runtime": "1h"}
				week := time.Duration(testkit.Times(t, 1, 7)) * 24 * time.Hour
				r.onNotice = func(_ *Loop, n Notice) {
					if n.Kind == NoticeAsked {
						time.AfterFunc(week, func() { assert.NoError(t, r.answers(n.Question.ID, event.Answer{Option: "yes", Text: "do it"})) })
					}
				}
				began := time.Now()
				stop := r.run()
				assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
				assert.GreaterOrEqual(t, time.Since(began), week)
				last := r.lines()[len(r.lines())-1]
				assert.Less(t, last.State.Millis, int64(time.Hour/time.Millisecond), "the user's time does not count")
			})
		})
	}
}

func TestQuestionTimeout(t *testing.T) {
	for name, turn := range map[string]func(*doing){"between turns": blocks, "in a turn": requests(mayIRemove)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, turn)
				r.flags = map[string]string{"wait-for-answer": "always", "question-timeout": "8h"}
				stop := r.run()
				assert.Equal(t, ReasonUnanswered, stop.Reason)
				assert.Regexp(t, `^Nobody answered q1 within 8h0m0s: (Which|may it)`, stop.Message)
				assert.Equal(t, "halted", r.status().Status)
				require.Len(t, r.talk(), 1, "nothing was guessed")

				require.NoError(t, r.answers("q1", event.Answer{Option: "yes", Text: "yes"}))
				r.fake.script, r.fake.requests = script(claims), nil
				stop = r.resume()
				assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
				assert.Contains(t, r.fake.requests[0].Prompt, "# Answers to your questions")
			})
		})
	}
}

// A prompt may be an argument of a program, which cannot contain a NUL byte.
func TestNULInAnAnswer(t *testing.T) {
	r := newRig(t, blocks, blocks, claims, claims)
	require.Equal(t, ReasonBlocked, r.run().Reason)
	require.NoError(t, r.answers("q1", event.Answer{Text: "Post\x00gres"}))
	require.NoError(t, journal.Leave(r.dir, "by\x00word", time.Now()))
	stop := r.resume()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	prompt := r.fake.requests[2].Prompt
	assert.Contains(t, prompt, "Post�gres")
	assert.Contains(t, prompt, "by�word")
}

// A question that the next turn does not repeat is closed.
func TestQuestionThatIsNoLongerAsked(t *testing.T) {
	r := newRig(t, blocks, works, works)
	r.flags["max-turns"] = "3"
	stop := r.run()
	require.Equal(t, ReasonMaxTurns, stop.Reason)
	assert.Equal(t, []string{"1 asked block q1: Which database?", "2 asked block q1: Which database? turn 2 ended without asking it again"}, r.talk())
	assert.ErrorIs(t, r.answers("q1", event.Answer{Text: "x"}), journal.ErrNoQuestion)
}

func TestGuide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, works, failed, works, works)
		r.flags["max-turns"] = "4"
		said := false
		r.onNotice = func(_ *Loop, n Notice) {
			if n.Kind == NoticeTurnStarted && !said {
				said = true
				assert.NoError(t, journal.Advise(r.dir, "mind the tests", time.Now()))
			}
		}
		require.Equal(t, ReasonMaxTurns, r.run().Reason)
		for n, want := range []bool{false, true, true, false} {
			assert.Equal(t, want, strings.Contains(r.fake.requests[n].Prompt, "# From the person who watches this loop\n\n    mind the tests\n"), "turn %d: a failed turn is not continued", n+1)
		}
		assert.ErrorIs(t, journal.Advise(r.dir, "too late", time.Now()), journal.ErrNoLoop)
	})
}

// A plan whose last box is ticked is not complete before the agent has the answer to its question, or the user's message.
func TestPlanIsNotCompleteBeforeAnAnswer(t *testing.T) {
	const done, answer = "- [x] one\n", "Postgres, and write it down"
	asks := func(d *doing) {
		d.writes(".ralph/@fix_plan.md", done)
		d.event(event.Event{Type: event.ToolUse, Tool: event.ToolQuestion, Input: []byte(`{"question":"Which database?"}`)})
	}
	for name, tt := range map[string]struct {
		turn    func(*doing)
		wait    string
		stopped bool // until the answer
	}{
		"answered while the loop waits": {asks, "always", false},
		"answered after the stop":       {asks, "never", true},
		"a message during the turn":     {func(d *doing) { works(d); d.writes(".ralph/@fix_plan.md", done) }, "never", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, tt.turn, works)
			r.write(".ralph/@fix_plan.md", "- [ ] one\n")
			r.flags["wait-for-answer"] = tt.wait
			r.onNotice = func(_ *Loop, n Notice) {
				switch {
				case n.Kind == NoticeAsked && !tt.stopped:
					assert.NoError(t, r.answers(n.Question.ID, event.Answer{Text: answer}))
				case n.Kind == NoticeTurnStarted && n.Turn == 1 && name == "a message during the turn":
					assert.NoError(t, journal.Advise(r.dir, answer, time.Now()))
				}
			}
			stop := r.run()
			if tt.stopped {
				require.Equal(t, ReasonQuestion, stop.Reason, stop.Message)
				require.NoError(t, r.answers("q1", event.Answer{Text: answer}))
				stop = r.resume()
			}
			assert.Equal(t, ReasonPlanComplete, stop.Reason, stop.Message)
			require.Len(t, r.fake.requests, 2)
			assert.Contains(t, r.fake.requests[1].Prompt, answer)
		})
	}
}

// Users also write while the check runs, which may take minutes.
func TestDuringTheCheck(t *testing.T) {
	for name, tt := range map[string]struct {
		turns string // limit
		does  func(*rig) error
		want  string // reason, and part of the message
		asked string // part of the second prompt
	}{
		"nothing": {"9", func(*rig) error { return nil }, "plan_complete Every task in .ralph/@fix_plan.md is ticked after 1 turn, verified", ""},
		"a box is added": {
			"9", func(r *rig) error { r.write(".ralph/@fix_plan.md", "- [x] one\n- [ ] two\n"); return nil },
			"plan_complete Every task in .ralph/@fix_plan.md is ticked after 2 turns, verified", "Do the work.",
		},
		"a box is added, and no turn is left": {
			"1", func(r *rig) error { r.write(".ralph/@fix_plan.md", "- [x] one\n- [ ] two\n"); return nil },
			"max_turns 1 of 2 tasks are open", "",
		},
		"a message": {
			"9", func(r *rig) error { return journal.Advise(r.dir, "use tabs", time.Now()) },
			"plan_complete Every task in .ralph/@fix_plan.md is ticked after 2 turns, verified", "use tabs",
		},
		"a message, and no turn is left": {
			"1", func(r *rig) error { return journal.Advise(r.dir, "use tabs", time.Now()) },
			"max_turns the agent has not received the user's last message yet", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var r *rig
			r = newRig(t, func(d *doing) {
				d.work()
				r.write(".ralph/@fix_plan.md", strings.ReplaceAll(r.read(".ralph/@fix_plan.md"), "[ ]", "[x]"))
			})
			r.write(".ralph/@fix_plan.md", "- [ ] one\n")
			r.flags["verify"], r.flags["max-turns"] = "true", tt.turns
			first := true
			r.onNotice = func(_ *Loop, n Notice) {
				if n.Kind == NoticeVerifying && first {
					first = false
					assert.NoError(t, tt.does(r))
				}
			}
			stop := r.run()
			reason, words, _ := strings.Cut(tt.want, " ")
			assert.Equal(t, reason, stop.Reason, stop.Message)
			assert.Contains(t, stop.Message, words)
			if tt.asked != "" {
				require.Len(t, r.fake.requests, 2)
				assert.Contains(t, r.fake.requests[1].Prompt, tt.asked)
			}
		})
	}
}

// A denial is a question that blocks nothing, unless denials stop the loop. An allowed tool is in
// the agent's list from then on.
func TestDenialIsAsked(t *testing.T) {
	refused := func(d *doing) {
		d.work()
		d.event(event.Event{Type: event.ToolUse, ID: "1", Name: "Bash", Tool: "bash", Input: []byte(`{"command":"make deploy"}`)})
		d.event(event.Event{Type: event.PermissionDenied, ID: "1", Name: "Bash", Tool: "bash", Detail: "no"})
	}
	r := newRig(t, refused, works)
	r.flags["max-turns"] = "2"
	require.Equal(t, ReasonMaxTurns, r.run().Reason)
	assert.Equal(t, "1 asked denial q1: it was denied Bash (make deploy): no", r.talk()[0])

	r = newRig(t, refused, claims, claims)
	r.flags["on-denial"] = "halt"
	stop := r.run()
	require.Equal(t, ReasonPermissionDenied, stop.Reason)
	require.NotNil(t, stop.Question)
	require.NoError(t, r.answers("q1", event.Answer{Option: "allow"}))
	require.Equal(t, ReasonProjectComplete, r.resume().Reason)
	assert.Equal(t, []string{"Bash(make deploy)"}, r.fake.requests[1].AllowedTools)
	assert.Contains(t, r.fake.requests[1].Prompt, "You were denied Bash (make deploy): no. It is allowed now.")
}

func TestPolicies(t *testing.T) {
	ask := func(tool, name, input string) event.Question {
		q := mayIRemove
		q.Tool, q.Name, q.Input = event.Tool(tool), name, []byte(input)
		return q
	}
	tests := []struct {
		name        string
		allow, deny string
		q           event.Question
		want        string // option; "": the user is asked
	}{
		{"no rule", "", "", mayIRemove, ""},
		{"a tool", "Bash", "", mayIRemove, "yes"},
		{"a tool by its common name, in any case", "BASH", "", ask("bash", "run_shell_command", `{"command":"ls"}`), "yes"},
		{"all tools", "*", "", mayIRemove, "yes"},
		{"some input", "Bash(rm -rf build)", "", mayIRemove, "yes"},
		{"other input", "Bash(rm -rf *x)", "", mayIRemove, ""},
		{"denied has precedence", "Bash", "Bash(rm *)", mayIRemove, "no"},
		{"a command with arguments", "Bash(git status *)", "", ask("bash", "shell", `{"command":["git","status","-s"]}`), "yes"},
		{"a star is one command", "Bash(git *)", "", ask("bash", "Bash", `{"command":"git status; rm -rf /"}`), ""},
		{"a star substitutes nothing", "Bash(git *)", "", ask("bash", "Bash", `{"command":"git log $(rm -rf /)"}`), ""},
		{"a denied command in a line", "Bash", "Bash(rm *)", ask("bash", "Bash", `{"command":"cd x && rm -rf ."}`), "no"},
		{"a path", "Edit(src/*)", "", ask("edit", "Edit", `{"file_path":"src/a/b.go"}`), "yes"},
		{"another path", "Edit(src/*)", "", ask("edit", "Edit", `{"file_path":"lib/a.go"}`), ""},
		{"input without a known key", "mcp__*(*prod*)", "", ask("other", "mcp__db", `{"where":"prod-1"}`), "yes"},
		{"the same, denied", "*", "mcp__*(*prod*)", ask("other", "mcp__db", `{"where":"prod-1"}`), "no"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, requests(tt.q))
			r.flags = map[string]string{"allow": tt.allow, "deny": tt.deny, "max-turns": "1"}
			stop := r.run()
			if tt.want == "" {
				assert.Equal(t, ReasonQuestion, stop.Reason, stop.Message)
				return
			}
			assert.Equal(t, ReasonMaxTurns, stop.Reason, stop.Message)
			assert.Equal(t, []string{"1 decided request 7: " + tt.want}, r.talk(), "and it is on record")
		})
	}
}

// The command for questions receives JSON; if it fails or hangs, this is noted.
func TestOnQuestion(t *testing.T) {
	r := newRig(t, blocks, claims, claims)
	r.flags["on-question"] = "cat > told.json; echo oops; exit 3"
	r.onNotice = func(_ *Loop, n Notice) {
		if n.Kind == NoticeNote && strings.Contains(n.Text, "exit code 3") {
			assert.NoError(t, r.answers("q1", event.Answer{Text: "yes"}))
		}
	}
	stop := r.run()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	told := r.read("told.json")
	assert.Contains(t, told, `"type":"question"`)
	assert.Contains(t, told, `"words":"Which database?"`)
	assert.Contains(t, told, `"id":"q1"`)
	assert.Contains(t, told, `"project":"`)
}
