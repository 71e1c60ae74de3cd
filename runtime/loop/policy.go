package loop

import (
	"encoding/json"
	"slices"
	"strings"

	"ripple/runtime/event"
	"ripple/runtime/loop/config"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/record"
)

// decide answers a question for a permission by the rules of the settings. A rule that
// denies is stronger than one that allows.
func (q *questions) decide(of record.Question) (a event.Answer, decided bool, err error) {
	if of.Kind != event.AskPermission {
		return a, false, nil
	}
	by, allow := q.rule(of)
	kinds := []event.OptionKind{event.RejectOnce, event.RejectAlways}
	if allow {
		kinds = []event.OptionKind{event.AllowOnce, event.AllowAlways}
	}
	if by == "" {
		return a, false, nil
	}
	if a, decided = of.Choose(by, kinds...); !decided {
		if allow { // what cannot be allowed is asked
			return a, false, nil
		}
		a, decided = event.Answer{By: by}, true
	}
	of.Given = &a
	q.allow(of)
	v := record.Line{Turn: of.Turn, Time: of.Asked, Type: record.Decided, Question: &of}
	q.tell(Notice{Kind: NoticeDecided, Turn: of.Turn, Question: &of, Text: Words(of), OK: allow, Record: &journal.Record{Line: v}})
	return a, true, q.log.Add(v)
}

// allow adds to an agent's list of allowed tools what was denied and is allowed now.
func (q *questions) allow(of record.Question) {
	if tool := allowedTool(of); tool != "" && !slices.Contains(q.state.Allowed, tool) {
		q.state.Allowed = append(q.state.Allowed, tool)
	}
}

// rule is the first rule for a question, "" for none.
func (q *questions) rule(of record.Question) (by string, allow bool) {
	for _, p := range q.config.Deny {
		if slices.ContainsFunc(commands(of), func(c string) bool { return matches(p, of, c) }) {
			return "deny: " + p.String(), false
		}
	}
	for _, p := range q.config.Allow {
		if allowedBy(p, of) {
			return "allow: " + p.String(), true
		}
	}
	return "", false
}

func matches(p config.Rule, of record.Question, subject string) bool {
	return (p.Tool(of.Name) || p.Tool(string(of.Tool))) && p.Input(subject)
}

// allowedBy is careful with commands: what a star stands for could go on with another
// one, so that a line which may have several is not allowed by a star.
func allowedBy(p config.Rule, of record.Question) bool {
	whole := subject(of)
	if !p.Open() || !isCommand(of) {
		return matches(p, of, whole)
	}
	return !strings.ContainsAny(whole, "\n\r;&|<>`$(){}\\") && matches(p, of, whole)
}

// isCommand says that a question may be about a command line: it is, or nobody knows what
// its input means.
func isCommand(of record.Question) bool {
	all := fields(of)
	for _, key := range subjects {
		if _, has := all[key]; has {
			return key == "command"
		}
	}
	return true
}

// commands are what a rule that denies looks at: the whole, and each command of a line.
func commands(of record.Question) []string {
	whole := subject(of)
	list := []string{whole}
	if isCommand(of) {
		for part := range strings.FieldsFuncSeq(whole, func(r rune) bool { return strings.ContainsRune("\n\r;&|<>`$(){}\"'", r) }) {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
	}
	return list
}

// subjects are the keys of a tool's input by which people tell one use from another.
var subjects = []string{"command", "file_path", "filePath", "path", "url", "pattern", "query"}

// subject is what a tool is to be used on: a command, a path; else all of its input.
func subject(of record.Question) string {
	all := fields(of)
	for _, key := range subjects {
		switch v := all[key].(type) {
		case string:
			return v
		case []any: // a command in words
			var words []string
			for _, w := range v {
				if text, is := w.(string); is {
					words = append(words, text)
				}
			}
			return strings.Join(words, " ")
		}
	}
	if text := string(of.Input); text != "null" && text != "{}" {
		return text
	}
	return ""
}

func fields(of record.Question) map[string]any {
	var all map[string]any
	_ = json.Unmarshal(of.Input, &all) // no object: it has none
	return all
}

// allowedTool is what an agent's list of allowed tools gets when a person allows what was
// denied, "" for nothing.
func allowedTool(of record.Question) string {
	if of.From != record.FromDenial || !allows(of) || of.Name == "" {
		return ""
	}
	if on := subject(of); isCommand(of) && on != "" && !strings.ContainsAny(on, "(),*\n\r") {
		return of.Name + "(" + on + ")"
	}
	return of.Name
}
