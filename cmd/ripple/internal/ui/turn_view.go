package ui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// TurnView shows a turn in progress: as a page on a terminal, otherwise in plain lines.
type TurnView struct {
	*App
	adapter *schema.Adapter
	encode  *json.Encoder // nil: not JSON
	roots   []string      // for shortPath
	Paged   bool          // standard output gets pages
	Marked  bool          // standard error gets pages
	Open    []*ToolUse    // without a result yet

	Now    func() time.Time
	PageOf func(stream any) Page // returns a page of the stream's current width
}

// NewTurnView returns a view for the turn of an adapter, as JSON if requested.
func (a *App) NewTurnView(ad *schema.Adapter, asJSON bool) *TurnView {
	v := &TurnView{
		App: a, adapter: ad, roots: ProjectRoots(), Paged: a.pages(a.Stdout), Marked: a.ErrTerminal, Now: time.Now, PageOf: a.page,
	}
	if asJSON {
		v.encode = json.NewEncoder(a.Out)
		v.encode.SetEscapeHTML(false)
	}
	return v
}

// Event shows an event of a turn.
func (v *TurnView) Event(e event.Event) {
	if v.encode != nil {
		_ = v.encode.Encode(e) // v.out records the error
		return
	}
	switch {
	case e.Type == event.Text && v.Paged:
		v.Lines(v.Out, v.PageOf(v.Stdout).Say(e.Text))
	case e.Type == event.Text:
		text := strings.TrimRight(Harmless(e.Text), "\n")
		if v.Err == v.Out { // ripple's lines are between the agent's
			text = setOff(text)
		}
		v.Printf("%s\n", text)
	case v.Marked:
		v.mark(e)
	default:
		v.tell(e)
	}
}

// mark shows a completed tool use, with a mark for its success.
func (v *TurnView) mark(e event.Event) {
	p := v.PageOf(v.Err)
	switch e.Type {
	case event.ToolUse:
		v.Open = append(v.Open, NewToolUse(e, v.Now(), v.roots))
	case event.ToolResult:
		if t := OpenTool(v.Open, e.ID); t != nil {
			t.End(e, v.Now())
			v.Open = slices.DeleteFunc(v.Open, func(o *ToolUse) bool { return o == t })
			v.Lines(v.Err, p.Tool(t))
		}
	default:
		v.Lines(v.Err, p.Beside(e))
	}
}

// End shows the tool uses without a result.
func (v *TurnView) End() {
	for _, t := range v.Open {
		v.Lines(v.Err, v.PageOf(v.Err).Tool(t))
	}
	v.Open = nil
}

// Lines writes lines to a stream, or nothing.
func (v *TurnView) Lines(to io.Writer, list []string) {
	if len(list) > 0 {
		fmt.Fprintln(to, strings.Join(list, "\n")) // v.out records the error
	}
}

// tell shows an event in plain lines.
func (v *TurnView) tell(e event.Event) {
	switch e.Type {
	case event.ToolUse:
		v.Note("%s %s", e.Name, toolSummary(e, v.roots))
	case event.ToolResult:
		if e.IsError {
			v.Note("  failed: %s", cmp.Or(FirstLine(e.Content), "no error message"))
		}
	case event.RateLimited:
		v.Note("the provider reports a limit: %s", FirstLine(e.Message))
	case event.PermissionDenied:
		v.Note("%s", refused(e))
	case event.Error:
		if !e.Fatal {
			v.Note("%s", FirstLine(e.Message))
		}
	}
}

// Outcome shows the result of the turn.
func (v *TurnView) Outcome(o agent.Outcome) {
	if v.encode != nil {
		_ = v.encode.Encode(NewTurnOutcome(o)) // v.out records the error
		return
	}
	v.End()
	for _, p := range o.Problems {
		v.Note("%s", p)
	}
	if o.UnknownLines > 0 {
		v.Note("the adapter does not know %s of the agent's output; to see which: --transcript FILE, then ripple agent map", Count(o.UnknownLines, "line"))
	}
	if o.SessionID != "" && v.adapter.Agent.Options.Resume != nil && o.Failure == nil {
		v.Note("to continue: --resume %s", o.SessionID)
	}
}

// toolSummary describes the input of a tool in one line; roots are for shortPath.
func toolSummary(e event.Event, roots []string) string {
	key, text := ToolSubject(e)
	if strings.HasSuffix(key, "path") {
		text = shortPath(text, roots)
	}
	return FirstLine(cmp.Or(text, string(e.Input)))
}

// ToolSubject returns the input of a tool that says what it is used on, and its name; input that is
// not a JSON object has no name.
func ToolSubject(e event.Event) (key, text string) {
	var input map[string]any
	if json.Unmarshal(e.Input, &input) != nil {
		return "", string(e.Input)
	}
	for _, key := range []string{"command", "file_path", "path", "pattern", "query", "url", "description", "prompt"} {
		if s, is := input[key].(string); is && s != "" {
			return key, s
		}
	}
	return "", ""
}
