//go:build unix

package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
)

// An agent's elicitation is asked, each field of a form as a separate question, and its result is
// reported once.
func TestAnAgentElicits(t *testing.T) {
	const (
		declineIt = "Decline (reject_once)"
		form      = `"mode":"form","message":"Tell me.","requestedSchema":`
		two       = form + `{"type":"object","properties":{"zone":{"type":"string","title":"Time zone","description":"of the server"},"count":{"type":"integer","minimum":1,"maximum":9}},"required":["zone","count"]}`
		choice    = form + `{"properties":{"how":{"type":"string","oneOf":[{"const":"a","title":"All"},{"const":"s","title":"Some"}]}},"required":["how"]}`
		open      = form + `{"properties":{"note":{"type":"string"},"sure":{"type":"boolean","default":false}}}`
		several   = form + `{"properties":{"which":{"type":"array","minItems":1,"maxItems":2,"items":{"anyOf":[{"const":"a","title":"Apples"},{"const":"p","title":"Pears"},{"const":"n","title":"Nuts"}]}}},"required":["which"]}`
		when      = form + `{"properties":{"when":{"type":"string","format":"date"}},"required":["when"]}`
		code      = form + `{"properties":{"code":{"type":"string","pattern":"^[A-Z]+$","minLength":2,"maxLength":3}},"required":["code"]}`
		part      = form + `{"properties":{"part":{"type":"number","maximum":1}},"required":["part"]}`
	)
	text := func(s string) event.Answer { return event.Answer{Text: s} }
	option := func(s string) event.Answer { return event.Answer{Option: s} }
	for name, c := range map[string]struct {
		params  string
		answers []event.Answer
		asked   string // the questions: text, followed by options
		want    string
	}{
		"two fields": {
			two,
			[]event.Answer{text("UTC"), text("7")},
			"Tell me.\nTime zone: of the server | " + declineIt + "\nTell me.\ncount | " + declineIt,
			`"result":{"action":"accept","content":{"count":7,"zone":"UTC"}}`,
		},
		"one that is wrong": {
			two,
			[]event.Answer{text("UTC"), text("many"), text("10"), text("9")},
			"",
			`"result":{"action":"accept","content":{"count":9,"zone":"UTC"}}`,
		},
		"declined":          {two, []event.Answer{text("UTC"), option("elicitation/decline")}, "", `"result":{"action":"decline"}`},
		"dismissed":         {two, []event.Answer{{}}, "", `"result":{"action":"cancel"}`},
		"a choice":          {choice, []event.Answer{option("s")}, "Tell me.\nhow | All, Some, " + declineIt, `"result":{"action":"accept","content":{"how":"s"}}`},
		"by its name":       {choice, []event.Answer{text("all")}, "", `"result":{"action":"accept","content":{"how":"a"}}`},
		"left open":         {open, []event.Answer{option("elicitation/default"), option("elicitation/default")}, "Tell me.\nnote | (leave it open), " + declineIt + "\nTell me.\nsure | Yes, No, (the default: false), " + declineIt, `"result":{"action":"accept","content":{"sure":false}}`},
		"yes":               {open, []event.Answer{text("none"), option("true")}, "", `"result":{"action":"accept","content":{"note":"none","sure":true}}`},
		"several":           {several, []event.Answer{text("pears, a,Pears")}, "Tell me.\nwhich\nSeveral of these, with commas: Apples, Pears, Nuts | " + declineIt, `"result":{"action":"accept","content":{"which":["p","a"]}}`},
		"too many":          {several, []event.Answer{text("a,p,n"), text("figs"), text("n")}, "", `"result":{"action":"accept","content":{"which":["n"]}}`},
		"a day":             {when, []event.Answer{text("soon"), text("2026-02-30"), text("2026-02-03")}, "", `"result":{"action":"accept","content":{"when":"2026-02-03"}}`},
		"a code":            {code, []event.Answer{text("A"), text("ab"), text("ABCD"), text("ABC")}, "", `"result":{"action":"accept","content":{"code":"ABC"}}`},
		"a part":            {part, []event.Answer{text("NaN"), text("1.5"), text("0.25")}, "", `"result":{"action":"accept","content":{"part":0.25}}`},
		"no field":          {form + `{}`, []event.Answer{option("elicitation/accept")}, "Tell me. | Accept (allow_once), " + declineIt, `"result":{"action":"accept","content":{}}`},
		"an address":        {`"mode":"url","elicitationId":"e","url":"https://xn--e.example/a?b=c","message":"Log in."`, []event.Answer{option("elicitation/accept")}, "Log in.\nIt asks you to open an address at xn--e.example: https://xn--e.example/a?b=c\nWarning: the host name contains characters that look like others. | I will open it (allow_once), " + declineIt, `"result":{"action":"accept"}`},
		"an address, no":    {`"mode":"url","elicitationId":"e","url":"https://a.example","message":"Log in."`, []event.Answer{option("elicitation/decline")}, "", `"result":{"action":"decline"}`},
		"no address":        {`"mode":"url","elicitationId":"e","url":"::","message":"Log in."`, nil, "", `"error":{"code":-32602,"message":"url is not an address"}`},
		"no mode":           {`"mode":"dance"`, nil, "", `"error":{"code":-32602,"message":"mode must be form or url"}`},
		"an unusable field": {form + `{"properties":{"x":{"type":"_own"}},"required":["x"]}`, nil, "", `"error":{"code":-32602,"message":"the field x has the type \"_own\", which is not supported"}`},
		"no field at all":   {form + `{"properties":{"x":[]}}`, nil, "", `"error":{"code":-32602,"message":"the form has a field that is not part of the protocol: x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			n := 0
			out, events := playIn(t.Context(), t, talking(t, "deny"), agent.Turn{Prompt: "go"}, agent.Options{
				Env: []string{script(t, "begin\n> {\"jsonrpc\":\"2.0\",\"id\":\"e\",\"method\":\"elicitation/create\",\"params\":{\"sessionId\":\"s-1\","+c.params+"}}\n<\ngot\nstop end_turn")},
				Ask: func(_ context.Context, q event.Question) (event.Answer, error) {
					var options []string
					for _, o := range q.Options {
						if o.Kind != "" {
							o.Name += " (" + string(o.Kind) + ")"
						}
						options = append(options, o.Name)
					}
					asked = append(asked, q.Text+" | "+strings.Join(options, ", "))
					n++
					return c.answers[n-1], nil
				},
			})
			require.Nil(t, out.Failure, "%v", out.Failure)
			got := ""
			for _, e := range events {
				got += e.Text
			}
			assert.Equal(t, `{"jsonrpc":"2.0","id":"e",`+c.want+"}\n", got)
			assert.Equal(t, len(c.answers), n, "%q", asked)
			if c.asked != "" {
				assert.Equal(t, c.asked, strings.Join(asked, "\n"))
			}
		})
	}
}

// If nobody can be asked, the capability is not offered, and questions are refused nevertheless.
func TestNobodyIsThereToElicit(t *testing.T) {
	out, _ := playIn(t.Context(), t, talking(t, "ask"), agent.Turn{Prompt: "go"}, agent.Options{Env: []string{script(t, `begin
> {"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"sessionId":"s-1","mode":"form","message":"m","requestedSchema":{}}}
<
got
stop end_turn`)}})
	assert.Contains(t, out.Text, `"code":-32601`)
}
