package loopcmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// story is what happened in a loop, from its events, as a page shows it. It
// remembers how it was laid out, so that only what is new costs anything.
type story struct {
	roots []string
	items []item
	open  []*ui.ToolUse
	size  int // of all items

	page  ui.Page
	lines []string // of all items
}

// item is one thing that happened.
type item struct {
	lines func(ui.Page) []string
	tool  *ui.ToolUse // nil: it no longer changes
	at    int         // where it begins in story.lines
	size  int         // bytes of what it keeps in memory
}

// These bound what can be scrolled back to; twice as much is in memory.
const (
	keptItems = 2000
	keptBytes = 1 << 20
)

func (s *story) add(i item) {
	if len(s.items) >= 2*keptItems || s.size >= 2*keptBytes {
		s.trim()
	}
	i.at = len(s.lines)
	s.items, s.size = append(s.items, i), s.size+i.size
	if s.page != (ui.Page{}) {
		s.lines = append(s.lines, i.lines(s.page)...)
	}
}

// trim drops the oldest items. The latest one stays.
func (s *story) trim() {
	first := len(s.items) - 1
	size := s.items[first].size
	for ; first > max(0, len(s.items)-keptItems) && size+s.items[first-1].size <= keptBytes; first-- {
		size += s.items[first-1].size
	}
	s.items, s.size = append([]item(nil), s.items[first:]...), size
	s.page, s.lines = ui.Page{}, nil // laid out again
}

// layOut makes the lines for a page that may have become another.
func (s *story) layOut(p ui.Page) []string {
	if p != s.page {
		s.page = p
		s.again(0)
	}
	return s.lines
}

// again lays out what follows an item.
func (s *story) again(from int) {
	if s.page == (ui.Page{}) {
		return
	}
	if from == 0 {
		s.lines = nil
	} else {
		s.lines = s.lines[:s.items[from].at]
	}
	for i := from; i < len(s.items); i++ {
		s.items[i].at = len(s.lines)
		s.lines = append(s.lines, s.items[i].lines(s.page)...)
	}
}

// heading begins a turn.
func (s *story) heading(h ui.Heading) {
	s.open = nil
	s.add(item{size: len(h.Task) + len(h.Subject), lines: func(p ui.Page) []string { return append([]string{""}, p.Head(h)...) }})
}

// aside is something that the loop itself has to say.
func (s *story) aside(color, mark, text string) {
	s.add(item{size: len(text), lines: func(p ui.Page) []string { return p.Aside(color, mark, text) }})
}

func (s *story) event(e event.Event, at time.Time) {
	switch e.Type {
	case event.Text:
		s.add(item{size: sizeOf(e), lines: func(p ui.Page) []string { return p.Say(e.Text) }})
	case event.ToolUse:
		t := ui.NewToolUse(e, at, s.roots)
		s.open = append(s.open, t)
		s.add(item{size: sizeOf(e), tool: t, lines: func(p ui.Page) []string { return p.Tool(t) }})
	case event.ToolResult:
		s.ended(e, at)
	default:
		s.add(item{size: sizeOf(e), lines: func(p ui.Page) []string { return p.Beside(e) }})
	}
}

// sizeOf returns the bytes of an event that its item keeps.
func sizeOf(e event.Event) (n int) {
	for _, text := range []string{e.ID, e.Text, e.Name, e.Content, e.Detail, e.Message, e.Result, e.Raw} {
		n += len(text)
	}
	return n + len(e.Input)
}

// ended marks the tool of a result where it stands.
func (s *story) ended(e event.Event, at time.Time) {
	t := ui.OpenTool(s.open, e.ID)
	if t == nil {
		return
	}
	t.End(e, at)
	s.open = slices.DeleteFunc(s.open, func(o *ui.ToolUse) bool { return o == t })
	for i := len(s.items) - 1; i >= 0; i-- {
		if s.items[i].tool == t {
			if e.IsError { // its message is shown
				s.items[i].size += len(e.Content)
				s.size += len(e.Content)
			}
			s.again(i)
			return
		}
	}
}

// take takes in a record.
func (s *story) take(l journal.Record) {
	if l.Event != nil {
		s.event(*l.Event, l.Time)
		return
	}
	switch l.Type {
	case record.RunStarted:
		*s = story{roots: s.roots, page: s.page}
	case record.TurnStarted:
		s.heading(ui.Heading{Turn: l.Turn, Most: l.MaxTurns, Hat: l.Hat, Subject: l.Subject, Agent: l.Agent, Branch: l.Branch, Task: l.Task})
	case record.TurnEnded:
		s.turnEnded(l)
	case record.TurnCut:
		s.open = nil
		s.aside(ui.Red, "✗", cutWords(l.Line))
	case record.Verified:
		for _, v := range l.Verdicts {
			if v.OK {
				s.aside(ui.Green, "✓", fmt.Sprintf("`%s`: ok", v.Command))
			} else {
				s.aside(ui.Red, "✗", fmt.Sprintf("`%s`: %s", v.Command, v.Why))
			}
		}
	case record.Committed:
		s.aside(ui.Green, "✓", "committed "+l.SHA[:min(10, len(l.SHA))])
	case record.Asked:
		s.aside(ui.Magenta, "?", asksWords(*l.Question))
	case record.Answered:
		s.aside(ui.Cyan, "→", givenWords(*l.Question))
	case record.Decided:
		s.aside(ui.Dim, "→", givenWords(*l.Question))
	case record.Guided:
		s.aside(ui.Cyan, "→", "message for the next turn: "+ui.FirstLine(l.Guide.Text))
	case record.LeftOut, record.BoxDenied:
		s.aside(ui.Magenta, "!", l.Why)
	case record.Reset:
		s.aside(ui.Magenta, "!", l.What+" reset")
	case record.Stopped:
		s.aside(ui.Bold, "■", strings.TrimSpace("stopped ("+l.Reason+"): "+l.Why))
	}
}

func (s *story) turnEnded(l journal.Record) {
	s.open = nil
	switch {
	case l.Failure != nil:
		s.aside(ui.Red, "✗", "failed: "+l.Failure.Error())
	case l.Progress != nil && *l.Progress:
		s.aside(ui.Green, "✓", "made progress")
	default:
		s.aside(ui.Dim, "·", "no progress")
	}
	for _, text := range checkoutWords(l.Line) {
		s.aside(ui.Magenta, "!", text)
	}
	for _, t := range l.Topics {
		s.aside(ui.Cyan, "→", topicWords(t))
	}
	for _, q := range l.Asked {
		if q.Open() {
			s.aside(ui.Magenta, "?", asksWords(q))
		}
	}
}
