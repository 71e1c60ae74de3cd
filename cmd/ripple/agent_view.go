package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"ripple/runtime/agent"
	"ripple/runtime/event"
	"ripple/schema"

	"github.com/charmbracelet/x/ansi"
)

// turnView shows a turn as it goes: on a stream that is a terminal as a page,
// elsewhere in plain lines.
type turnView struct {
	*app
	adapter *schema.Adapter
	encode  *json.Encoder // nil: for people
	roots   []string      // for shortPath
	paged   bool          // standard output gets pages
	marked  bool          // standard error gets them
	open    []*toolUse    // that have no result yet

	now    func() time.Time
	pageOf func(stream any) page // one as wide as the stream is now
}

func (a *app) newTurnView(ad *schema.Adapter, asJSON bool) *turnView {
	v := &turnView{
		app: a, adapter: ad, roots: roots(), paged: a.pages(a.out.to), marked: a.errTerminal, now: time.Now, pageOf: a.page,
	}
	if asJSON {
		v.encode = json.NewEncoder(a.out)
		v.encode.SetEscapeHTML(false)
	}
	return v
}

func (v *turnView) event(e event.Event) {
	if v.encode != nil {
		_ = v.encode.Encode(e) // v.out remembers its error
		return
	}
	switch {
	case e.Type == event.Text && v.paged:
		v.lines(v.out, v.pageOf(v.out.to).say(e.Text))
	case e.Type == event.Text:
		v.printf("%s\n", v.plain(e.Text))
	case v.marked:
		v.mark(e)
	default:
		v.tell(e)
	}
}

// plain is text for a pipe, as it is, or for a terminal that knows no pages.
func (v *turnView) plain(text string) string {
	text = strings.TrimRight(text, "\n")
	if v.outTerminal() {
		text = harmless(text)
	}
	return text
}

// mark shows a tool when it has ended, with the mark of its success.
func (v *turnView) mark(e event.Event) {
	p := v.pageOf(v.err)
	switch e.Type {
	case event.ToolUse:
		v.open = append(v.open, newToolUse(e, v.now(), v.roots))
	case event.ToolResult:
		if t := endOf(v.open, e.ID); t != nil {
			t.end(e, v.now())
			v.open = without(v.open, t)
			v.lines(v.err, p.tool(t))
		}
	default:
		v.lines(v.err, p.beside(e))
	}
}

// end shows the tools that never told of an end.
func (v *turnView) end() {
	for _, t := range v.open {
		v.lines(v.err, v.pageOf(v.err).tool(t))
	}
	v.open = nil
}

func (v *turnView) lines(to io.Writer, list []string) {
	if len(list) > 0 {
		fmt.Fprintln(to, strings.Join(list, "\n")) // v.out remembers its error
	}
}

// tell says it in plain lines.
func (v *turnView) tell(e event.Event) {
	switch e.Type {
	case event.ToolUse:
		v.note("%s %s", e.Name, toolSummary(e, v.roots))
	case event.ToolResult:
		if e.IsError {
			v.note("  failed: %s", cmp.Or(firstLine(e.Content), "it says nothing"))
		}
	case event.RateLimited:
		v.note("limited by the provider: %s", firstLine(e.Message))
	case event.PermissionDenied:
		v.note("refused: %s %s", e.Name, firstLine(e.Detail))
	case event.Error:
		if !e.Fatal {
			v.note("%s", firstLine(e.Message))
		}
	}
}

func (v *turnView) outcome(o agent.Outcome) {
	if v.encode != nil {
		_ = v.encode.Encode(newTurnOutcome(o)) // v.out remembers its error
		return
	}
	v.end()
	for _, p := range o.Problems {
		v.note("%s", p)
	}
	if o.Unknown > 0 {
		v.note("in the agent's output %s not known to the adapter; --transcript and ripple agent map show which", are(o.Unknown, "line"))
	}
	if o.SessionID != "" && v.adapter.Agent.Options.Resume != nil && o.Failure == nil {
		v.note("go on with --resume %s", o.SessionID)
	}
}

// harmless is text without what would move a terminal's cursor, set its title or
// turn the order of its letters: a model wrote it, or somebody whose file it read.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, ansi.Strip(s))
}

// toolSummary is what a tool is used on, in one line; roots are for shortPath.
func toolSummary(e event.Event, roots []string) string {
	var input map[string]any
	if json.Unmarshal(e.Input, &input) != nil {
		return firstLine(string(e.Input))
	}
	for _, key := range []string{"command", "file_path", "path", "pattern", "query", "url", "description", "prompt"} {
		if s, is := input[key].(string); is && s != "" {
			if strings.HasSuffix(key, "path") {
				s = shortPath(s, roots)
			}
			return firstLine(s)
		}
	}
	return firstLine(string(e.Input))
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(harmless(s)), "\n")
	if r := []rune(s); len(r) > 120 {
		s = string(r[:120]) + "…"
	}
	return s
}
