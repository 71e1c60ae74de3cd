package acp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
)

// elicitation is a form with which an agent asks the user for data
// (https://agentclientprotocol.com/protocol/v1/elicitation). Each field of its form is a
// question of its own, so that each is asked and answered once, whatever happens between.
type elicitation struct {
	*Client
	id      json.RawMessage
	message string
	fields  []field
	values  map[string]any
}

// Options of these questions that are not values.
const (
	declined = "elicitation/decline"
	leftOpen = "elicitation/default"
	accepted = "elicitation/accept"
)

var (
	cancelAction  = map[string]any{"action": "cancel"}
	declineAction = map[string]any{"action": "decline"}
)

// elicit asks a person.
func (c *Client) elicit(m rpc.Message, line []byte) {
	var p struct {
		Mode    string `json:"mode"`
		Message string `json:"message"`
		URL     string `json:"url"`
		Schema  struct {
			Properties json.RawMessage `json:"properties"`
			Required   []string        `json:"required"`
		} `json:"requestedSchema"`
	}
	refuse := func(why string) {
		c.Refuse(m.ID, rpc.CodeBadParams, why)
		c.unknown(m.Method, line)
	}
	if json.Unmarshal(m.Params, &p) != nil {
		refuse("invalid parameters for elicitation/create")
		return
	}
	switch p.Mode {
	case "form":
		fields, err := fieldsOf(p.Schema.Properties, p.Schema.Required)
		if err != nil {
			refuse(err.Error())
			return
		}
		if c.again(m) {
			return
		}
		e := &elicitation{Client: c, id: m.ID, message: p.Message, fields: fields, values: map[string]any{}}
		e.next(0, "")
	case "url":
		at, err := url.Parse(p.URL)
		if err != nil || at.Host == "" {
			refuse("url is not an address")
			return
		}
		if c.again(m) {
			return
		}
		c.visit(m.ID, p.Message, at)
	default:
		refuse("mode must be form or url")
	}
}

// visit asks a person to open an address; nothing here opens it.
func (c *Client) visit(id json.RawMessage, message string, at *url.URL) {
	text := fmt.Sprintf("%s\nIt asks you to open an address at %s: %s", message, at.Host, at)
	if strings.Contains(at.Host, "xn--") {
		text += "\nWarning: the host name contains characters that look like others."
	}
	c.ask(asked{id: id, question: event.Question{Kind: event.AskChoice, Text: text, Options: []event.Option{
		{ID: accepted, Name: "I will open it", Kind: event.AllowOnce}, {ID: declined, Name: "Decline", Kind: event.RejectOnce},
	}}, give: func(a event.Answer) (any, string) {
		switch a.Option {
		case accepted:
			return map[string]any{"action": "accept"}, ""
		case declined:
			return declineAction, ""
		}
		return cancelAction, ""
	}})
}

// next asks for a field, or, when there is none left, returns the whole. again is why it
// is asked once more.
func (e *elicitation) next(i int, again string) (result any) {
	if i == len(e.fields) && i > 0 {
		return map[string]any{"action": "accept", "content": e.values}
	}
	q := event.Question{Kind: event.AskChoice, Text: e.message, Options: []event.Option{{ID: accepted, Name: "Accept", Kind: event.AllowOnce}}}
	var f field
	if len(e.fields) > 0 {
		f = e.fields[i]
		q = f.question(e.message)
	}
	q.Text = strings.TrimSpace(again + "\n" + q.Text)
	q.Options = append(q.Options, event.Option{ID: declined, Name: "Decline", Kind: event.RejectOnce})
	e.ask(asked{id: e.id, question: q, give: func(a event.Answer) (any, string) { return e.given(i, f, a), "" }})
	return nil
}

// given takes the answer to a field; nil: something else is asked.
func (e *elicitation) given(i int, f field, a event.Answer) any {
	switch {
	case a.Option == declined:
		return declineAction
	case a.Option == accepted:
		return map[string]any{"action": "accept", "content": e.values}
	case a.Option == leftOpen:
		if f.hasDefault() {
			e.values[f.name] = f.Default
		}
	case a.Option == "" && strings.TrimSpace(a.Text) == "", len(e.fields) == 0:
		return cancelAction
	default:
		v, why := f.value(a)
		if why != "" {
			return e.next(i, why)
		}
		e.values[f.name] = v
	}
	return e.next(i+1, "")
}

// fieldsOf are the fields of a form, in their order.
func fieldsOf(properties json.RawMessage, required []string) (fields []field, err error) {
	d := json.NewDecoder(bytes.NewReader(properties))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, nil // it has none: it only asks whether
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		f := field{}
		if err := d.Decode(&f); err != nil {
			return nil, fmt.Errorf("the form has a field that is not part of the protocol: %v", key)
		}
		f.name, _ = key.(string) // of an object they all are
		f.required = slices.Contains(required, f.name)
		switch known := slices.Contains([]string{"string", "number", "integer", "boolean", "array"}, f.Type); {
		case known:
			fields = append(fields, f)
		case f.required:
			return nil, fmt.Errorf("the field %s has the type %q, which is not supported", f.name, f.Type)
		}
	}
	return fields, nil
}
