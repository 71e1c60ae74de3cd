package mcp

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/ripple/runtime/console"
)

// usual is the part of an output that is shown by default.
var usual = part{Head: 40, Tail: 120, MaxChars: defaultChars}

// outputOf formats a command with its output; the middle of long output is left out.
func (s *Server) outputOf(c *console.Client, status console.Status, cmd console.Command, p part) (string, error) {
	head := headline(status, &cmd)
	var notes []string
	if cmd.Failure != "" && status.State != console.Exited {
		notes = append(notes, word(oneLine(cmd.Failure)))
	}
	if cmd.Fault != "" {
		notes = append(notes, oneLine(cmd.Fault))
	}
	if cmd.PromptElsewhere {
		notes = append(notes, "its prompt is redirected, so its exit code is unknown")
	}
	if cmd.Lost > 0 {
		notes = append(notes, fmt.Sprintf("%s bytes of its output were lost: %s", thousands(cmd.Lost), oneLine(cmd.LostReason)))
	}
	if cmd.OutOfBand != "" {
		notes = append(notes, "printed before it:\n"+fence(cut(clean(cmd.OutOfBand), defaultChars/4)))
	}
	text, shown, err := excerpt(c, cmd, p)
	if err != nil {
		return "", err
	}
	if p.from > 0 {
		head += fmt.Sprintf(", new since byte %d", p.from)
	}
	if cmd.Running() {
		head += fmt.Sprintf(", cursor=%d", cmd.Bytes)
	}
	if shown != "" {
		head += ", shown " + shown + "; console_read command=" + strconv.Itoa(cmd.ID)
	}
	if text != "" {
		notes = append(notes, fence(text))
	}
	if q := question(status); q != "" {
		notes = append(notes, q)
	}
	return strings.Join(append([]string{head}, notes...), "\n"), nil
}

// excerpt returns the output, or its beginning and its end; shown names the lines.
func excerpt(c *console.Client, cmd console.Command, p part) (text, shown string, err error) {
	size := cmd.Bytes - p.from
	if size <= 0 {
		return "", "", nil
	}
	room := min(p.MaxChars, mostChars)
	if room <= 0 {
		room = defaultChars
	}
	if size <= int64(room) && p.Head == usual.Head && p.Tail == usual.Tail {
		all, err := c.Lines(cmd, console.ReadRequest{Byte: p.from})
		if text = clean(join(all.Lines)); err != nil || len(text) <= room {
			return text, "", err
		}
	}
	var head, tail console.Lines
	if p.Head > 0 {
		if head, err = c.Lines(cmd, console.ReadRequest{From: 1, Lines: int64(p.Head), Byte: p.from}); err != nil {
			return "", "", err
		}
	}
	if p.Tail > 0 {
		if tail, err = c.Lines(cmd, console.ReadRequest{From: -int64(p.Tail), Byte: p.from}); err != nil {
			return "", "", err
		}
	}
	last := int64(0)
	if n := len(head.Lines); n > 0 {
		last = head.Lines[n-1].Number
	}
	for len(tail.Lines) > 0 && tail.Lines[0].Number <= last {
		tail.Lines = tail.Lines[1:]
	}
	first, end := bound(cleanLines(head.Lines), cleanLines(tail.Lines), room)
	shown = ranges(first, end)
	if n := shortened(first) + shortened(end); n > 0 {
		shown += fmt.Sprintf(", %s bytes left out within lines", thousands(n))
	}
	if dropped := max(head.Dropped, tail.Dropped); dropped > 0 {
		shown += fmt.Sprintf(", the first %s bytes are no longer kept", thousands(dropped))
	}
	return join(first) + gap(first, end, max(head.Total, tail.Total)) + join(end), shown, nil
}

// gap returns the line that marks omitted lines between, before or after the shown ones.
func gap(first, last []console.Line, total int64) string {
	from, to := int64(0), total+1
	if len(first) > 0 {
		from = first[len(first)-1].Number
	}
	if len(last) > 0 {
		to = last[0].Number
	}
	left, text := to-from-1, ""
	if left > 0 {
		text = fmt.Sprintf("… %s lines left out …", thousands(left))
	}
	if from > 0 && (left > 0 || len(last) > 0) {
		text = "\n" + text
	}
	if left > 0 && len(last) > 0 {
		text += "\n"
	}
	return text
}

// cleanLines returns lines in the form in which they are shown.
func cleanLines(lines []console.Line) []console.Line {
	for i, l := range lines {
		lines[i].Text = clean(l.Text)
		if l.Cut > 0 {
			lines[i].Text += fmt.Sprintf(" … %s bytes left out", thousands(l.Cut))
		}
	}
	return lines
}

// shortened returns the number of bytes left out within lines.
func shortened(lines []console.Line) (n int64) {
	for _, l := range lines {
		n += l.Cut
	}
	return n
}

// shorten cuts a line and counts the bytes left out.
func shorten(l *console.Line, room int) {
	text, left := cutCounted(l.Text, room)
	l.Text, l.Cut = text, l.Cut+left
}

// bound drops the last lines of head and the first lines of tail until both fit into room bytes, a
// third of which is for head. A line that is too long is cut.
func bound(head, tail []console.Line, room int) (first, last []console.Line) {
	left := room
	if len(tail) > 0 {
		left = room / 3
	}
	for _, l := range head {
		if shorten(&l, max(room/3, left-1)); len(l.Text) >= left && len(first) > 0 {
			break
		}
		left -= len(l.Text) + 1
		room -= len(l.Text) + 1
		first = append(first, l)
	}
	for i := len(tail) - 1; i >= 0; i-- {
		l := tail[i]
		if shorten(&l, max(room-1, 200)); len(l.Text) >= room && len(last) > 0 {
			break
		}
		room -= len(l.Text) + 1
		last = append([]console.Line{l}, last...)
	}
	return first, last
}

// cut shortens a line in its middle to about room bytes.
func cut(line string, room int) string {
	text, _ := cutCounted(line, room)
	return text
}

// cutCounted is like cut, and also returns the number of bytes left out.
func cutCounted(line string, room int) (text string, left int64) {
	if len(line) <= room {
		return line, 0
	}
	half := max((room-len(" …  bytes left out … ")-len("1,000,000"))/2, 1)
	first, last := strings.ToValidUTF8(line[:half], ""), strings.ToValidUTF8(line[len(line)-half:], "")
	left = int64(len(line) - len(first) - len(last))
	return fmt.Sprintf("%s … %s bytes left out … %s", first, thousands(left), last), left
}

func join(lines []console.Line) string {
	text := make([]string, len(lines))
	for i, l := range lines {
		text[i] = l.Text
	}
	return strings.Join(text, "\n")
}

// ranges names the lines that are shown.
func ranges(first, last []console.Line) string {
	var all []string
	if len(first) > 0 {
		all = append(all, fmt.Sprintf("%d–%d", first[0].Number, first[len(first)-1].Number))
	}
	if len(last) > 0 {
		all = append(all, fmt.Sprintf("last %d", len(last)))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, " + ")
}

// screenText returns the last rows of a screen that fit.
func screenText(text string, rows int) string {
	all := strings.Split(strings.TrimRight(clean(text), "\n"), "\n")
	if rows > 0 && len(all) > rows {
		all = all[len(all)-rows:]
	}
	lines := make([]console.Line, len(all))
	for i, row := range all {
		lines[i] = console.Line{Number: int64(i + 1), Text: row}
	}
	_, shown := bound(nil, lines, defaultChars)
	return gap(nil, shown, int64(len(lines))) + join(shown)
}

// question describes what a coding agent in a console waits for; empty if nothing.
func question(status console.Status) string {
	a := status.Agent
	if a == nil || status.State != console.WaitingInput {
		return ""
	}
	text := "the agent waits (" + word(a.State) + ")"
	if a.Question != "" {
		text += ":\n" + fence(cut(clean(a.Question), defaultChars/4))
	}
	if len(a.Answers) > 0 {
		text += "\nto answer: console_send answer=" + word(strings.Join(a.Answers, "|"))
	}
	return text
}
