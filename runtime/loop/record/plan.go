package record

import (
	"errors"
	"io/fs"
	"strings"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/runtime/internal/fault"
)

// Task is a check box of a task list.
type Task struct {
	Text   string
	Done   bool
	Indent string // the blanks before the item
}

// Tasks are the check boxes of a task list.
type Tasks []Task

// Plan has the counts of a task list.
type Plan struct{ Open, Ticked int }

// Complete reports whether at least one box exists and every box is checked.
func (p Plan) Complete() bool { return p.Open == 0 && p.Ticked > 0 }

// What a box consists of: brackets around blanks, around other characters that are neither letters
// nor digits, around one that is, or around a word that is usual for tasks; or a character like a box.
const (
	opening  = `\\?[\[［]`
	closing  = `\\?[\]］]`
	blank    = `[\s\p{Cf}\pM]*`
	others   = `[^\pL\pN\[\]［］]`
	label    = `(?i:todo|wip|tbd|open|doing|done|no|not done|pending|blocked|skipped|in progress|xx+)`
	empty    = `☐□◻⬜`
	pictures = empty + `☑☒`
)

var (
	// box matches a line that begins with a box, after anything without words and brackets: marks of
	// quotes, headings, lists, tables, emphasis and code, emoji, and numbers such as 1.1, (2) or a).
	box = lazyregexp.New(`^((?:[^\pL\[\]［］\\` + pictures + `]|[A-Za-z][.)])*)` +
		`(` + opening + `(` + others + `*|` + blank + `[\pL\pN]` + blank + `|` + label + `)` +
		closing + `|\([ \t]+\)|[` + pictures + `])(.*)$`)

	// emptyBox matches a box that is open wherever it is, and strayBox one that is a label of a line which
	// does not begin with a box. An ellipsis is none, and [x] there may explain how to check a task.
	emptyBox = lazyregexp.New(opening + blank + `\s` + blank + closing + `|[` + empty + `]`)
	strayBox = lazyregexp.New(`(^|[\s*_~(>|:–—-])(?:` + opening +
		`(?:[^\pL\pN\[\]［］.…]*|\s*[xX]\s+|\s+[xX]|` + label + `)` + closing + `|[☑☒])([\s*_~).,;:!?|–—-]|$)`)

	word     = lazyregexp.New(`[\pL\pN]`)
	number   = lazyregexp.New(`\pN`)
	wordEnds = lazyregexp.New(`^(?:[\s\p{Cf}]|$)`)
	codeSpan = lazyregexp.New("(^|[^\\\\`])(?:`[^`]+`|``[^`]+``)")
	itemMark = lazyregexp.New(`^(?:[\s>|#]|[-*+]\s)*`)
)

// ParseTask reads a line of a task list as a check box. A task is done only if the line, or a cell of
// a table, begins with [x] or [X] and has no empty box. Any other box, wherever it is, leaves a task
// open, since it is not known what it means.
func ParseTask(line string) (t Task, ok bool) {
	if !strings.ContainsAny(line, "[［"+pictures) && !strings.Contains(line, "( ") { // most lines of a text
		return t, false
	}
	if t, ok = parseRow(line); ok {
		return t, ok
	}
	t.Indent = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	prose := codeSpan().ReplaceAllString(line, "$1``")
	if m := box().FindStringSubmatch(line); m != nil && begins(m) {
		t.Done = (m[2] == "[x]" || m[2] == "[X]") && !emptyBox().MatchString(prose)
		t.Text = strings.Trim(m[4], " \t|*_~")
		return t, true
	}
	if !emptyBox().MatchString(prose) && !strayBox().MatchString(prose) {
		return Task{}, false
	}
	text := strayBox().ReplaceAllString(emptyBox().ReplaceAllString(line, ""), "$1$2")
	t.Text = strings.Join(strings.Fields(itemMark().ReplaceAllString(text, "")), " ")
	return t, true
}

// begins reports whether a match of box is a task, and not a link, its target, a reference or part of a word.
func begins(m []string) bool {
	marks, whole, mark, rest := m[1], m[2], m[3], m[4]
	bare := strings.TrimSpace(marks) == ""
	link := strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "[")
	switch {
	case whole == "[x]" || whole == "[X]":
		return !link && !strings.Contains(marks, "`") && !strings.Contains(marks, "~~~") && !(bare && strings.HasPrefix(rest, ":"))
	case word().MatchString(mark):
		return wordEnds().MatchString(rest) && !(bare && number().MatchString(mark))
	}
	return !link || mark != "" && strings.TrimSpace(mark) == ""
}

// aside matches what PlainTask puts in backticks, with the backslashes before it, of which the last would escape the backtick.
var aside = lazyregexp.New(`(?:\\*(?:` + opening + blank + `\s` + blank + closing + `|[` + empty + `]|<!--)\s*)+`)

// PlainTask returns a text as that of one check box: what would keep the box, or one after it, from being done, such as [ ] or
// the beginning of a comment, is in backticks. Other texts are returned as they are.
func PlainTask(text string) string {
	if canBeDone(text) {
		return text
	}
	text = strings.Join(lines(text), " ")
	if quoted := quoteBoxes(text); canBeDone(quoted) {
		return quoted
	}
	return quoteBoxes(strings.ReplaceAll(text, "`", "'"))
}

// canBeDone reports whether a checked box with a text, and one after it, count as done.
func canBeDone(text string) bool {
	return ParseTasks("- [x] "+text+"\n- [x] next").Count() == Plan{Ticked: 2}
}

// quoteBoxes puts boxes and beginnings of comments outside code in backticks.
func quoteBoxes(text string) string {
	var b strings.Builder
	quote := func(prose string) {
		b.WriteString(aside().ReplaceAllStringFunc(prose, func(s string) string {
			mark := strings.TrimRight(s, " \t")
			return "`" + mark + "`" + s[len(mark):]
		}))
	}
	at := 0
	for _, m := range codeSpan().FindAllStringSubmatchIndex(text, -1) {
		quote(text[at:m[3]])
		b.WriteString(text[m[3]:m[1]])
		at = m[1]
	}
	quote(text[at:])
	return b.String()
}

// parseRow reads a row of a table. If it has several boxes, all must be checked.
func parseRow(line string) (t Task, ok bool) {
	row := strings.TrimLeft(line, " \t>")
	if !strings.HasPrefix(row, "|") {
		return t, false
	}
	t.Done = true
	var texts []string
	for cell := range strings.SplitSeq(row, "|") {
		cell = strings.TrimSpace(cell)
		if b, is := ParseTask(cell); is {
			ok, t.Done, cell = true, t.Done && b.Done, b.Text
		}
		if cell != "" {
			texts = append(texts, cell)
		}
	}
	if !ok {
		return Task{}, false
	}
	t.Text = strings.Join(texts, " ")
	return t, true
}

// blanks replaces characters that look like a blank, like nothing, or like the end of a line.
var blanks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n",
	"\ufeff", "", "\u200b", "", "\u2060", "", "\u00ad", "",
	"\u00a0", " ", "\u1680", " ", "\u2000", " ", "\u2001", " ", "\u2002", " ", "\u2003", " ", "\u2004", " ", "\u2005", " ", "\u2006", " ",
	"\u2007", " ", "\u2008", " ", "\u2009", " ", "\u200a", " ", "\u202f", " ", "\u205f", " ", "\u3000", " ")

// fence matches the first or last line of fenced code (CommonMark 4.5), at any indentation, in quotes
// and list items.
var fence = lazyregexp.New("^((?:[\\s>]|(?:[-*+]|\\d{1,9}[.)])\\s)*)(`{3,}|~{3,})([^`]*)$")

// fenceMark matches what a fence consists of, wherever it is in a line.
var fenceMark = lazyregexp.New("`{3,}|~{3,}")

// PlanLines returns the lines of a task list outside fenced code; all lines if it is uncertain where
// code begins or ends.
func PlanLines(text string) (outside []string) {
	all := lines(text)
	code, _, certain := fenced(all)
	for i, line := range all {
		if !code[i] || certain < len(all) {
			outside = append(outside, line)
		}
	}
	return outside
}

// colors matches control sequences of terminals, which an agent may have copied from there.
var colors = lazyregexp.New(`\x1b\[[0-9;?]*[ -/]*[@-~]`)

func lines(text string) []string {
	return strings.Split(blanks.Replace(colors().ReplaceAllString(text, "")), "\n")
}

// fenced reports which lines are fenced code or a fence, in which ones a checked box may be raw text of HTML, and the
// number of lines for which this is certain. A fence is certain if its last line has the indentation and quote marks
// of its first, and so has every line between them: at a line without them the list item or quote ends, and the code
// with it. If a line has a fence after other text, which may begin code, those after it are uncertain. A fence inside
// HTML begins no code for some readers, so it makes everything after the beginning of that HTML uncertain.
func fenced(all []string) (code, raw []bool, certain int) {
	code, raw = make([]bool, len(all)), make([]bool, len(all))
	begin, stray, indent, mark := -1, -1, "", ""
	var html html
	for i, line := range all {
		if begin < 0 {
			var inside bool
			if inside, raw[i] = html.read(i, line); inside && fenceMark().MatchString(line) {
				return code, raw, html.begin
			} else if inside {
				continue
			}
		}
		m := fence().FindStringSubmatch(line)
		switch {
		case begin < 0 && m != nil && stray >= 0:
			return code, raw, stray
		case begin < 0 && m != nil:
			if _, is := ParseTask(line); is {
				return code, raw, i
			}
			begin, indent, mark = i, strings.Map(blankMarker, m[1]), m[2]
		case begin < 0:
			if stray < 0 && len(fenceMark().FindAllString(line, -1))%2 == 1 {
				stray = i
			}
		case !strings.HasPrefix(line, indent) && strings.TrimRight(line, " \t") != strings.TrimRight(indent, " \t"):
			return code, raw, begin
		case !strings.Contains(line, mark):
		case m == nil || m[1] != indent || !strings.HasPrefix(m[2], mark) || strings.TrimSpace(m[3]) != "":
			return code, raw, begin
		default:
			for ; begin <= i; begin++ {
				code[begin] = true
			}
			begin = -1
		}
	}
	if begin >= 0 {
		return code, raw, begin
	}
	return code, raw, len(all)
}

// html is the HTML that is open in a text outside fenced code.
type html struct {
	end   string // what ends a comment or other raw text; "" if none is open
	block bool   // a tag began a line, and no empty line followed
	begin int    // first line of the HTML
}

// These patterns begin HTML that is not read as Markdown (CommonMark 4.6): raw text, which ends with a mark of its own, and
// a tag at the beginning of a line, whose HTML ends with an empty line. A comment may begin anywhere.
var (
	rawText = lazyregexp.New(`(<!--)|` + lineBegin + `(<!\[cdata\[|<\?|<(?:pre|script|style|textarea)\b)`)
	tag     = lazyregexp.New(lineBegin + `</?[a-z][a-z0-9-]*(?:\s|/?>|$)`)
)

const lineBegin = `^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*`

// read goes on to the next line of the text. It reports whether the line is inside HTML, at its beginning or end, and
// whether a checked box in it may be raw text.
func (h *html) read(i int, line string) (inside, raw bool) {
	if h.end == "" && !h.block {
		h.begin = i
	}
	inside, raw = h.end != "", h.end != ""
	line = strings.ToLower(line)
	if !raw {
		line = codeSpan().ReplaceAllString(line, "$1``")
	}
	h.block = tag().MatchString(line) || h.block && strings.Trim(line, " \t>") != ""
	for first := true; ; first = false {
		_, rest, ended := strings.Cut(line, h.end)
		if !ended {
			break
		}
		line, h.end = rest, ""
		m := rawText().FindStringSubmatchIndex(line)
		if m == nil {
			break
		}
		before, _ := ParseTask(line[:m[0]])
		raw = raw || first && !before.Done
		h.end, line = endOfRaw(line[max(m[2], m[4]):m[1]]), line[m[1]:]
	}
	return inside || h.end != "" || h.block, raw
}

// endOfRaw returns what ends the raw text that begins with a mark in lower case.
func endOfRaw(begin string) string {
	switch begin {
	case "<!--":
		return "-->"
	case "<![cdata[":
		return "]]>"
	case "<?":
		return "?>"
	}
	return "</" + begin[1:] + ">"
}

// blankMarker replaces the characters of list markers by blanks: the item's other lines are indented so.
func blankMarker(r rune) rune {
	if r == '>' || r == '\t' {
		return r
	}
	return ' '
}

// ParseTasks returns the check boxes outside fenced code, without checked ones in raw text of HTML, such as a comment.
// If it is uncertain where code begins or ends, every open box is a task, and a checked one only if it is before that
// place.
func ParseTasks(text string) (list Tasks) {
	all := lines(text)
	code, raw, certain := fenced(all)
	for i, line := range all {
		t, ok := ParseTask(line)
		if !ok || code[i] && (t.Done || certain == len(all)) || t.Done && (raw[i] || i > certain) {
			continue
		}
		t.Text = OneLine(t.Text, 200)
		list = append(list, t)
	}
	return list
}

// ReadTasks reads the task list of an agent that works in dir; a missing file has no tasks. A list
// whose parsing panics has one open task, which says so: it is not known to be complete.
func ReadTasks(project, dir string) (list Tasks, err error) {
	data, err := layout.Read(project, layout.PlanIn(project, dir))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if caught := fault.Catch("reading the task list", nil, func() { list = ParseTasks(string(data)) }); caught != nil {
		list = Tasks{{Text: OneLine(caught.Error(), 200)}}
	}
	return list, err
}

// Count counts the open and the completed tasks.
func (l Tasks) Count() (p Plan) {
	for _, t := range l {
		if t.Done {
			p.Ticked++
		} else {
			p.Open++
		}
	}
	return p
}

// Next returns the text of the first open task, or "" if all are complete.
func (l Tasks) Next() string {
	for _, t := range l {
		if !t.Done {
			return t.Text
		}
	}
	return ""
}
