package agent

import (
	"cmp"

	"ripple/runtime/event"
	"ripple/runtime/internal/permit"
	"ripple/schema"
)

// desk answers what an agent asks when nobody does.
type desk struct {
	rules  permit.Rules
	absent string // what becomes of a request that no rule decides
}

func newDesk(p schema.AgentPermission) (desk, error) {
	rules, err := permit.New(p.Allow, p.Deny)
	return desk{rules, p.Else}, err
}

// byRule begins the words about a use that a rule refused.
const byRule = "refused by a rule of the adapter, "

// unasked is what becomes of a question when nobody can be asked, and why it is refused.
// A question that waits for a person is noted.
func (d desk) unasked(r *reader, q event.Question) (a event.Answer, refused string) {
	const by = "nobody is there to be asked"
	if q.Kind == event.AskPermission && d.absent == schema.PermissionAllow {
		if a, has := q.Choose(by, event.AllowOnce, event.AllowAlways); has {
			return a, ""
		}
	}
	if d.absent != schema.PermissionDeny {
		r.asked = append(r.asked, askedText(q))
	}
	return refusal(q, by), by
}

// askedText is the question in a line or two.
func askedText(q event.Question) string {
	if name := cmp.Or(q.Name, string(q.Tool)); q.Kind == event.AskPermission && name != "" {
		return "may it use " + name + ": " + q.Text
	}
	return q.Text
}

// refusal refuses once, or chooses nothing where there is no option for that.
func refusal(q event.Question, by string) event.Answer {
	a, has := q.Choose(by, event.RejectOnce, event.RejectAlways)
	if !has {
		a = event.Answer{By: by}
	}
	return a
}
