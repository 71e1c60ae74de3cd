package agent

import (
	"cmp"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/permit"
	"example.org/ripple/schema"
)

// unattended answers an agent's questions if no user does.
type unattended struct {
	rules  permit.Rules
	absent string // the policy for a request that no rule decides
}

// newUnattended returns the policy of an unattended turn. "else: allow" describes the default
// mode of an unattended turn, in which the agent does not ask. A caller that chooses
// another mode, or restricts the agent to a list of tools, wants to be asked; if nobody
// can be asked, the use is refused.
func newUnattended(p schema.AgentPermission, a *schema.Adapter, t Turn) (unattended, error) {
	rules, err := permit.New(p.Allow, p.Deny)
	d := unattended{rules, p.Else}
	if d.absent == schema.PermissionAllow && restricted(a, t) {
		d.absent = schema.PermissionAsk
	}
	return d, err
}

// restricted reports whether a turn asks for less than the default permissions of an unattended
// one.
func restricted(a *schema.Adapter, t Turn) bool {
	if len(t.AllowedTools) > 0 {
		return true
	}
	own := a.Original().Agent.Options.PermissionMode
	return t.PermissionMode != "" && (own == nil || t.PermissionMode != own.Default)
}

// byRule is the prefix of the reason for a use that a rule refused.
const byRule = "refused by a rule of the adapter, "

// unasked returns the answer to a question if nobody can be asked, and the reason if it is
// refused. A question that needs the user is recorded.
func (d unattended) unasked(r *reader, q event.Question) (a event.Answer, refused string) {
	const by = "no user can be asked"
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

// askedText returns the question in a line or two.
func askedText(q event.Question) string {
	if name := cmp.Or(q.Name, string(q.Tool)); q.Kind == event.AskPermission && name != "" {
		return "may it use " + name + ": " + q.Text
	}
	return q.Text
}

// refusal refuses once, or chooses nothing if there is no option for that.
func refusal(q event.Question, by string) event.Answer {
	a, has := q.Choose(by, event.RejectOnce, event.RejectAlways)
	if !has {
		a = event.Answer{By: by}
	}
	return a
}
