package hats

import (
	"fmt"
	"strings"
)

// Part is the text that a choice adds to a turn's prompt.
type Part struct {
	Prompt  string   // follows the loop's prompt: instructions and payloads, unchanged
	Context []string // lines for the loop's own short context
}

// Part returns the prompt text for a choice.
func (r *Rules) Part(c Choice) (p Part) {
	switch {
	case !r.Active():
	case c.Hat != nil:
		p.Prompt = c.Hat.prompt(c.Topics[0])
		p.Context = c.Hat.context(c.Topics[0], c.Hat.assumed(r.Promise))
	default:
		p.Prompt = plainPrompt(c.Topics)
		p.Context = r.plainContext()
	}
	return p
}

func (h *Hat) prompt(w Waiting) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Your role in this turn: %s\n\n", h.Title())
	if text := strings.TrimSpace(h.Instructions); text != "" {
		b.WriteString(text + "\n\n")
	} else if h.Description != "" {
		b.WriteString(strings.TrimSpace(h.Description) + "\n\n")
	}
	b.WriteString("# Your topics\n\n" + w.prompt())
	return b.String()
}

// prompt formats a topic with its payload, indented.
func (w Waiting) prompt() string {
	text := fmt.Sprintf("Topic %s, from %s.\n", w.Topic.Topic, w.From)
	if w.Payload != "" {
		text += "\n    " + strings.ReplaceAll(w.Payload, "\n", "\n    ") + "\n"
	}
	if w.Cut {
		text += fmt.Sprintf("\n(It was longer, and was cut after %d bytes.)\n", MaxPayload)
	}
	return text
}

// examplePayload is the payload of the example tag in the prompt.
const examplePayload = "what the next one needs to know"

const how = "To publish, write a line <event topic=\"%s\">" + examplePayload + "</event>, or run: ripple emit %s TEXT"

// context returns the lines about a topic for the hat; assumed is published if the hat publishes nothing.
func (h *Hat) context(w Waiting, assumed string) []string {
	lines := []string{fmt.Sprintf("Role: %s. Topic: %s.", h.Title(), w.Topic.Topic)}
	if w.Tries > 0 {
		why := "."
		if w.Said != "" {
			why = ": " + clip(w.Said, 160) + "."
		}
		lines = append(lines, "You had this before and published nothing that counts"+why)
	}
	example := "TOPIC"
	if len(h.Publishes) > 0 {
		example = h.Publishes[0]
		may := "You may publish: " + clip(strings.Join(h.Publishes, ", "), 160)
		if assumed != "" {
			may += "; without one, " + assumed + " is"
		}
		lines = append(lines, may+".")
	}
	return append(lines, fmt.Sprintf(how, example, example))
}

// plainPrompt formats the topics that no hat triggers on.
func plainPrompt(topics []Waiting) string {
	if len(topics) == 0 {
		return ""
	}
	text := "# Topics that no role takes\n"
	for _, w := range topics {
		text += "\n" + w.prompt()
	}
	return text
}

// plainContext lists the topics that roles trigger on.
func (r *Rules) plainContext() (lines []string) {
	if missing := r.Required; len(r.Hats) == 0 && len(missing) > 0 {
		return []string{"Publish these topics before the work is done: " + clip(strings.Join(missing, ", "), 160) + ".", fmt.Sprintf(how, missing[0], missing[0])}
	}
	var roles []string
	for i := range r.Hats {
		if h := &r.Hats[i]; len(h.Triggers) > 0 {
			roles = append(roles, fmt.Sprintf("%s (%s)", h.Title(), strings.Join(h.Triggers, ", ")))
		}
	}
	lines = []string{"This turn has no role. Roles, and the topics that trigger them: " + clip(strings.Join(roles, "; "), 220) + "."}
	if list := r.Promisers(); list != nil {
		lines = append(lines, fmt.Sprintf("Only %s may say %s: publish a topic for it.", clip(strings.Join(list, " or "), 60), r.Promise))
	}
	return append(lines, fmt.Sprintf(how, "TOPIC", "TOPIC"))
}

// clip cuts a text to a number of characters.
func clip(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}
