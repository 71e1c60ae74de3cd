package mcp

import (
	"fmt"
	"strconv"
	"strings"

	"ripple/runtime/console"
)

// usual is how much of an output is shown that nobody has said anything of.
var usual = part{Head: 40, Tail: 120, MaxChars: defaultChars}

// outputOf is a command with its output, the middle left out when it is long.
func (s *Server) outputOf(c *console.Client, status console.Status, cmd console.Command, p part) (string, error) {
	head := headline(status, &cmd)
	var notes []string
	if cmd.Failure != "" && status.State != console.Exited {
		notes = append(notes, word(oneLine(cmd.Failure)))
	}
	if cmd.PromptElsewhere {
		notes = append(notes, "its prompt goes elsewhere, so its exit code is not known")
	}
	if cmd.Lost > 0 {
		notes = append(notes, fmt.Sprintf("%s bytes of its output are lost: %s", thousands(cmd.Lost), oneLine(cmd.LostWhy)))
	}
	if cmd.OutOfBand != "" {
		notes = append(notes, "printed before it:\n"+fence(cut(clean(cmd.OutOfBand), defaultChars/4)))
	}
	text, shown, err := excerpt(c, cmd, p)
	if err != nil {
		return "", err
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

// excerpt is the output, or its beginning and its end; shown says which lines.
func excerpt(c *console.Client, cmd console.Command, p part) (text, shown string, err error) {
	if cmd.Bytes == 0 {
		return "", "", nil
	}
	room := min(p.MaxChars, mostChars)
	if room <= 0 {
		room = defaultChars
	}
	if cmd.Bytes <= int64(room) && p.Head == usual.Head && p.Tail == usual.Tail {
		all, err := c.Lines(cmd, console.ReadRequest{})
		if text = clean(join(all.Lines)); err != nil || len(text) <= room {
			return text, "", err
		}
	}
	var head, tail console.Lines
	if p.Head > 0 {
		if head, err = c.Lines(cmd, console.ReadRequest{From: 1, Lines: int64(p.Head)}); err != nil {
			return "", "", err
		}
	}
	if p.Tail > 0 {
		if tail, err = c.Lines(cmd, console.ReadRequest{From: -int64(p.Tail)}); err != nil {
			return "", "", err
		}
	}
	last := int64(len(head.Lines))
	for len(tail.Lines) > 0 && tail.Lines[0].Number <= last {
		tail.Lines = tail.Lines[1:]
	}
	first, end := bound(cleaned(head.Lines), cleaned(tail.Lines), room)
	return join(first) + gap(first, end, max(head.Total, tail.Total)) + join(end), ranges(first, end), nil
}

// gap stands between, before or behind the lines that are shown.
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

// cleaned are lines as they are shown.
func cleaned(lines []console.Line) []console.Line {
	for i, l := range lines {
		lines[i].Text = clean(l.Text)
		if l.Cut > 0 {
			lines[i].Text += fmt.Sprintf(" … %s bytes left out", thousands(l.Cut))
		}
	}
	return lines
}

// bound leaves so many of the head's last lines and the tail's first ones out that they
// fit into room, in bytes; a third of it is the head's. A line that is too long is cut.
func bound(head, tail []console.Line, room int) (first, last []console.Line) {
	left := room
	if len(tail) > 0 {
		left = room / 3
	}
	for _, l := range head {
		if l.Text = cut(l.Text, max(room/3, left-1)); len(l.Text) >= left && len(first) > 0 {
			break
		}
		left -= len(l.Text) + 1
		room -= len(l.Text) + 1
		first = append(first, l)
	}
	for i := len(tail) - 1; i >= 0; i-- {
		l := tail[i]
		if l.Text = cut(l.Text, max(room-1, 200)); len(l.Text) >= room && len(last) > 0 {
			break
		}
		room -= len(l.Text) + 1
		last = append([]console.Line{l}, last...)
	}
	return first, last
}

// cut shortens a line in its middle to about so many bytes.
func cut(line string, room int) string {
	if len(line) <= room {
		return line
	}
	half := max((room-len(" …  bytes left out … ")-len("1,000,000"))/2, 1)
	first, last := strings.ToValidUTF8(line[:half], ""), strings.ToValidUTF8(line[len(line)-half:], "")
	return fmt.Sprintf("%s … %s bytes left out … %s", first, thousands(int64(len(line)-len(first)-len(last))), last)
}

func join(lines []console.Line) string {
	text := make([]string, len(lines))
	for i, l := range lines {
		text[i] = l.Text
	}
	return strings.Join(text, "\n")
}

// ranges says which lines are shown.
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

// readText is what console_read shows: as many of the lines as fit.
func readText(name string, found console.Lines) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "[%s #%d] %s lines", name, found.Command.ID, thousands(found.Total))
	var numbered []string
	room := defaultChars
	for _, l := range cleaned(found.Lines) {
		line := fmt.Sprintf("%d: %s", l.Number, cut(l.Text, defaultChars/4))
		if room -= len(line) + 1; room < 0 && len(numbered) > 0 {
			break
		}
		numbered = append(numbered, line)
	}
	n := len(numbered)
	if n > 0 {
		fmt.Fprintf(b, ", shown %s of them from %d to %d", thousands(int64(n)), found.Lines[0].Number, found.Lines[n-1].Number)
	} else {
		b.WriteString(", none of them asked for")
	}
	switch {
	case n < len(found.Lines):
		fmt.Fprintf(b, "; go on with from_line=%d", found.Lines[n].Number)
	case found.More:
		fmt.Fprintf(b, "; go on with from_line=%d", found.Lines[n-1].Number+1)
	}
	if found.Dropped > 0 {
		fmt.Fprintf(b, "; its first %s bytes are no longer kept", thousands(found.Dropped))
	}
	return b.String() + "\n" + fence(strings.Join(numbered, "\n"))
}

// screenText is a screen's last rows, as far as they fit.
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

// question is what a coding agent in a console waits for; empty: nothing.
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
		text += "\nconsole_send answer=" + word(strings.Join(a.Answers, "|")) + " answers it"
	}
	return text
}
