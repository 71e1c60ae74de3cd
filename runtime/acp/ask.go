package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/permit"
	"example.org/ripple/runtime/internal/rpc"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// asking are a loop's questions that the client is asked. It belongs to the server's lock.
type asking struct {
	*session
	all       map[string]asked // by the questions' ids, also those that are over
	later     func()           // ends the loop, whose question waits for the next prompt
	postponed *record.Question // that does
}

// asked is a question, and the request that asks it.
type asked struct {
	record.Question
	request int64
	over    bool // the client has replied, or needs to no longer
}

func newAsking(ss *session) *asking { return &asking{session: ss, all: map[string]asked{}} }

// ask asks the client, once: the loop reports a question again as long as it has not read the answer.
func (a *asking) ask(q record.Question, words string) {
	a.locked(func() {
		if _, known := a.all[q.ID]; known || a.closing {
			return
		}
		c := choicesOf(q.Question, q.ID, words)
		request := a.request(c, func(answer event.Answer, chosen bool) { a.replied(q, answer, chosen) })
		a.all[q.ID] = asked{Question: q, request: request}
	})
}

// replied hands the client's answer to the loop, as all answers. If the client chose
// nothing, the question stays open. An answer that a person gave before he saw that the
// question was withdrawn counts, unless it was answered already.
func (a *asking) replied(q record.Question, answer event.Answer, chosen bool) {
	open := a.close(q.ID)
	if !chosen {
		if open {
			a.postpone(q)
		}
		return
	}
	a.start(func() {
		err := journal.Answer(a.dir, time.Now().Round(0).UTC(), func(open []record.Question) (string, event.Answer, error) {
			for _, o := range open {
				if o.ID == q.ID && o.Same(q) && o.Asked.Equal(q.Asked) { // another run has ids of its own
					return q.ID, answer, nil
				}
			}
			return "", event.Answer{}, journal.ErrNoQuestion
		})
		if err != nil && !errors.Is(err, journal.ErrNoQuestion) {
			a.log("%s cannot be answered: %v", q.ID, err)
			a.locked(func() { a.postpone(q) })
		}
	})
}

func (a *asking) postpone(q record.Question) {
	a.postponed = &q
	a.later()
}

// answered takes back what somebody has answered elsewhere.
func (a *asking) answered(id string) {
	a.locked(func() {
		a.conn.Withdraw(a.all[id].request)
		a.close(id)
	})
}

// close notes that a question is over for the client, and reports whether it was open.
func (a *asking) close(id string) (open bool) {
	q, known := a.all[id]
	open, q.over = known && !q.over, true
	a.all[id] = q
	return open
}

// inTurn reports whether the turn waits for an answer without which it cannot end.
func (a *asking) inTurn() (waits bool) {
	a.locked(func() {
		for _, q := range a.all {
			waits = waits || !q.over && q.From == record.FromRequest
		}
	})
	return waits
}

// end takes back all that is open, and says what waits for the next prompt.
func (a *asking) end() (postponed *record.Question) {
	a.locked(func() {
		for id, q := range a.all {
			a.conn.Withdraw(q.request)
			a.close(id)
		}
		postponed = a.postponed
	})
	return postponed
}

// choices are the options of a question as the client shows them, and their meanings.
type choices struct {
	call    map[string]any
	options []event.Option
	answers map[string]event.Answer // by options; what is not there chooses nothing
}

// Options of a question that has none: the protocol has buttons, and no words.
const (
	decideYourself = "decide"
	answerNext     = "next"
)

// choicesOf shows a question as a request for a permission
// (https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission).
func choicesOf(q event.Question, id, words string) choices {
	call := map[string]any{"toolCallId": "question-" + id, "title": words, "kind": "other", "status": "pending"}
	if q.Kind == event.AskPermission {
		title := titleOf(q.Name, string(q.Tool), permit.Subject(q))
		call["title"], call["name"], call["kind"] = title, q.Name, kindOf(q.Tool)
		if !strings.Contains(title, words) {
			call["content"] = []any{textContent(words)}
		}
		if len(q.Input) > 0 {
			call["rawInput"] = q.Input
		}
	}
	c := choices{call: call, options: q.Options, answers: map[string]event.Answer{}}
	for _, o := range q.Options {
		c.answers[o.ID] = event.Answer{Option: o.ID, By: byClient}
	}
	if next := (event.Option{ID: answerNext, Name: "I will answer in my next message", Kind: event.RejectOnce}); q.Kind == event.AskText && len(q.Options) > 0 {
		c.options = append([]event.Option{next}, q.Options...)
	}
	if len(q.Options) == 0 {
		c.options = []event.Option{
			{ID: decideYourself, Name: "Decide for yourself", Kind: event.AllowOnce},
			{ID: answerNext, Name: "I will answer in my next message", Kind: event.RejectOnce},
		}
		c.answers[decideYourself] = event.Answer{Text: "Decide for yourself, and continue.", By: byClient}
	}
	return c
}

// request asks the client to choose; then gets the answer, once. Not chosen: it has
// chosen nothing, or nothing that can be chosen.
func (ss *session) request(c choices, then func(a event.Answer, chosen bool)) (request int64) {
	list := []any{}
	for _, o := range c.options {
		kind := o.Kind
		if kind == "" {
			kind = event.AllowOnce // one of several ways
		}
		name := o.Name
		if name == "" {
			name = o.ID
		}
		list = append(list, map[string]any{"optionId": o.ID, "name": name, "kind": kind})
	}
	params := map[string]any{"sessionId": ss.id, "toolCall": c.call, "options": list}
	return ss.conn.Call("session/request_permission", params, func(m rpc.Message) {
		var r struct {
			Outcome struct {
				Outcome string `json:"outcome"`
				Option  string `json:"optionId"`
			} `json:"outcome"`
		}
		_ = json.Unmarshal(m.Result, &r) // what is none of the protocol's chooses nothing
		answer, chosen := c.answers[r.Outcome.Option]
		then(answer, chosen && m.Error == nil && r.Outcome.Outcome == "selected")
	})
}

// wordsOf is a question in one line.
func wordsOf(q record.Question) string {
	if q.Kind != event.AskPermission {
		return record.OneLine(q.Text, 1000)
	}
	return "may it use " + titleOf(q.Name, string(q.Tool), permit.Subject(q.Question))
}

// titleOf is a use of a tool in one line.
func titleOf(name, tool, subject string) string {
	if name == "" {
		name = tool
	}
	if subject = record.OneLine(subject, 200); subject == "" || strings.EqualFold(subject, name) {
		return name
	}
	return name + ": " + subject
}

// errDismissed ends a turn whose question the client dismissed.
var errDismissed = errors.New("the client has dismissed the question")

// askInTurn gets a question of a single turn answered. call is the use of a tool that it
// is about, where the client knows of it.
func (ss *session) askInTurn(ctx context.Context, q event.Question, call string) (event.Answer, error) {
	type reply struct {
		event.Answer
		chosen bool
	}
	replies := make(chan reply, 1)
	var request int64
	ss.locked(func() {
		c := choicesOf(q, q.ID, q.Text)
		if call != "" {
			c.call["toolCallId"] = call
		}
		request = ss.request(c, func(a event.Answer, chosen bool) { replies <- reply{a, chosen} })
	})
	select {
	case r := <-replies:
		if !r.chosen {
			return event.Answer{}, errDismissed
		}
		return r.Answer, nil
	case <-ctx.Done():
		ss.locked(func() { ss.conn.Withdraw(request) })
		return event.Answer{}, fmt.Errorf("nobody answered: %w", ctx.Err())
	}
}
