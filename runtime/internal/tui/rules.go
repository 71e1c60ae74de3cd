package tui

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"example.org/ripple/internal/vt"
	"example.org/ripple/schema"
)

// Picture is the visible contents of a program's screen.
type Picture struct {
	Rows     []string // from the top to the last nonblank row, without trailing blanks
	Title    string
	Progress bool
}

// picture returns the picture of a screen.
func (r *rules) picture(s *vt.Screen) Picture {
	p := Picture{Title: s.Title(), Progress: s.Progress()}
	_, rows := s.Size()
	for y := range rows {
		text, _ := s.Row(y)
		p.Rows = append(p.Rows, r.barless(text, s, y))
	}
	for len(p.Rows) > 0 && p.Rows[len(p.Rows)-1] == "" {
		p.Rows = p.Rows[:len(p.Rows)-1]
	}
	return p
}

// barless returns a row without the scroll bar in its last column, which depends on the length of
// the conversation.
func (r *rules) barless(text string, s *vt.Screen, y int) string {
	last, size := utf8.DecodeLastRuneInString(text)
	if r.bar == nil || size == 0 || !matches(r.bar, string(last)) {
		return text
	}
	if cells := s.Cells(y); cells[len(cells)-1].Text != string(last) {
		return text
	}
	return strings.TrimRight(text[:len(text)-size], " ")
}

func (p Picture) equal(o Picture) bool {
	return p.Title == o.Title && p.Progress == o.Progress && slices.Equal(p.Rows, o.Rows)
}

// between returns the rows that a rule names, counted from 1 at the top or from -1 at the bottom,
// and the number of rows above them.
func (p Picture) between(rows []int) (text string, above int) {
	if len(rows) != 2 {
		return strings.Join(p.Rows, "\n"), 0
	}
	place := func(n int) int {
		if n < 0 {
			return len(p.Rows) + n
		}
		return n - 1
	}
	first, last := max(place(rows[0]), 0), min(place(rows[1]), len(p.Rows)-1)
	if first > last {
		return "", 0
	}
	return strings.Join(p.Rows[first:last+1], "\n"), first
}

// Sight is the state that the rules recognize in a picture.
type Sight struct {
	State   string // schema.ScreenReady or another; empty: no rule matches
	Asked   string // the question, in a state that waits for an answer
	Tool    string // the tool that needs permission, and its input; empty: unknown
	Input   string
	quiet   time.Duration       // how long it must be shown; 0: the default
	box     int                 // number of rows at the bottom that the question occupies
	Answers map[string][]string // the possible answers, and the keys for each
}

func (s Sight) equal(o Sight) bool { return s.State == o.State && s.Asked == o.Asked }

// rules is an adapter's agent.screen, compiled.
type rules struct {
	states []rule // in the order in which they are tried
	text   text
	bar    *regexp2.Regexp // Bar; nil: none
	prompt *regexp2.Regexp // Prompt.Entered; nil: none
	id     *regexp2.Regexp // Session; nil: none
}

type rule struct {
	schema.ScreenState
	pattern, without, title, question *regexp2.Regexp // nil: none
}

// compile compiles an adapter's rules. The error names the key.
func compile(s *schema.AgentScreen) (*rules, error) {
	c := compiler{}
	r := &rules{
		bar: c.pattern("bar", s.Bar), prompt: c.pattern("prompt.entered", s.Prompt.Entered), id: c.pattern("session", s.Session),
		text: text{below: c.pattern("text.below", s.Text.Below), prompt: c.pattern("text.prompt", s.Text.Prompt), mark: c.pattern("text.mark", s.Text.Mark)},
	}
	for _, d := range s.Text.Drop {
		r.text.drop = append(r.text.drop, c.pattern("text.drop", d))
	}
	for _, state := range s.States {
		r.states = append(r.states, rule{
			ScreenState: state, pattern: c.pattern("states.pattern", state.Pattern), without: c.pattern("states.without", state.Without),
			title: c.pattern("states.title", state.Title), question: c.pattern("states.question", state.Question),
		})
	}
	sort.SliceStable(r.states, func(i, j int) bool { return r.states[i].Priority > r.states[j].Priority })
	return r, c.err
}

// compiler keeps the first error.
type compiler struct{ err error }

func (c *compiler) pattern(key, text string) *regexp2.Regexp {
	if text == "" {
		return nil
	}
	re, err := schema.CompilePattern(text)
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("agent.screen.%s: %w", key, err)
	}
	return re
}

// see returns the state that a picture shows.
func (r *rules) see(p Picture) Sight {
	for i := range r.states {
		if s := &r.states[i]; s.holds(p) {
			sight := Sight{State: s.State, Answers: s.Answers, quiet: time.Duration(s.QuietMS) * time.Millisecond}
			s.ask(p, &sight)
			return sight
		}
	}
	return Sight{}
}

func (s *rule) holds(p Picture) bool {
	if s.Progress != nil && *s.Progress != p.Progress || s.title != nil && !matches(s.title, p.Title) {
		return false
	}
	if s.pattern == nil && s.without == nil {
		return true
	}
	rows, _ := p.between(s.Rows)
	return (s.pattern == nil || matches(s.pattern, rows)) && (s.without == nil || !matches(s.without, rows))
}

// ask adds the question of a state with answers or with a pattern for its question.
func (s *rule) ask(p Picture, to *Sight) {
	rows, above := p.between(s.Rows)
	if s.question == nil {
		if len(s.Answers) > 0 {
			to.Asked = strings.TrimSpace(rows)
		}
		return
	}
	m, err := s.question.FindStringMatch(rows)
	if err != nil || m == nil {
		return
	}
	above += strings.Count(string([]rune(rows)[:m.Index]), "\n")
	to.box = len(p.Rows) - above
	group := func(name, other string) string {
		if g := m.GroupByName(name); g != nil && len(g.Captures) > 0 {
			return tidy(g.String())
		}
		return tidy(other)
	}
	to.Asked, to.Tool, to.Input = group("text", m.String()), group("tool", ""), group("input", "")
}

// tidy returns the text in a box without the frame.
func tidy(text string) string {
	var rows []string
	for row := range strings.SplitSeq(text, "\n") {
		if row = strings.Trim(row, " │┃|╭╮╰╯─╌━"); row != "" {
			rows = append(rows, row)
		}
	}
	return strings.Join(rows, "\n")
}

// matches reports whether a pattern matches a text. A pattern that takes too long does not match.
func matches(re *regexp2.Regexp, text string) bool {
	yes, err := re.MatchString(text)
	return err == nil && yes
}

// Session returns the session ID that a picture shows, or "".
func (r *rules) Session(p Picture) string {
	if r.id == nil {
		return ""
	}
	m, err := r.id.FindStringMatch(strings.Join(p.Rows, "\n"))
	if err != nil || m == nil {
		return ""
	}
	return m.GroupByName("id").String()
}
