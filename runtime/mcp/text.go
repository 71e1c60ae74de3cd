package mcp

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ripple/runtime/console"
	"ripple/runtime/internal/vt"
)

// headline says in one line what a console and its command do.
func headline(s console.Status, c *console.Command) string {
	b := &strings.Builder{}
	b.WriteString("[" + s.Name)
	if c != nil {
		b.WriteString(" #" + strconv.Itoa(c.ID))
	}
	b.WriteString("] " + state(s, c))
	switch {
	case c != nil && c.ExitCode != nil:
		fmt.Fprintf(b, " exit=%d", *c.ExitCode)
	case c != nil && !c.Running() && c.Error:
		b.WriteString(" error")
	}
	if s.Cwd != "" {
		b.WriteString(" cwd=" + clean(s.Cwd))
	}
	if s.Mode != "" && s.Mode != "main" {
		b.WriteString(" mode=" + s.Mode)
	}
	if c != nil {
		fmt.Fprintf(b, " %s %s", took(c), amount(c))
	}
	return b.String()
}

// state is a console's in the words of the tools.
func state(s console.Status, c *console.Command) string {
	switch {
	case s.State == console.Exited || s.State == console.Dead:
		return "exited (" + oneLine(s.Exit) + ")"
	case s.State == console.Idle && c != nil:
		return "done"
	}
	return string(s.State)
}

func took(c *console.Command) string {
	d := c.Duration
	if c.Running() {
		d = time.Since(c.Started)
	}
	switch {
	case d < 100*time.Millisecond:
		return d.Truncate(100 * time.Microsecond).String()
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	}
	return d.Truncate(time.Second).String()
}

func amount(c *console.Command) string {
	size := fmt.Sprintf("%d B", c.Bytes)
	switch {
	case c.Bytes >= 10<<20:
		size = fmt.Sprintf("%d MB", c.Bytes>>20)
	case c.Bytes >= 10_000:
		size = fmt.Sprintf("%d kB", c.Bytes/1000)
	}
	return fmt.Sprintf("%s lines/%s", thousands(c.Lines), size)
}

func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func oneLine(s string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if rest != "" || len(line) > 120 {
		return line[:min(len(line), 120)] + " …"
	}
	return line
}

// outputOf is a command with its output, the middle left out when it is long.
func (s *Server) outputOf(c *console.Client, status console.Status, cmd console.Command, p part) (string, error) {
	if p.MaxChars <= 0 {
		p.MaxChars = defaultChars
	}
	p.MaxChars = min(p.MaxChars, mostChars)
	if p.Head == 0 {
		p.Head = 40
	}
	if p.Tail == 0 {
		p.Tail = 120
	}
	head := headline(status, &cmd)
	var notes []string
	if cmd.Failure != "" && status.State != console.Exited {
		notes = append(notes, oneLine(cmd.Failure))
	}
	if cmd.PromptElsewhere {
		notes = append(notes, "its prompt goes elsewhere, so its exit code is not known")
	}
	if cmd.OutOfBand != "" {
		notes = append(notes, "printed before it:\n"+fence(clean(cmd.OutOfBand)))
	}
	text, shown, err := excerpt(c, cmd, p)
	if err != nil {
		return "", err
	}
	if shown != "" {
		head += ", shown " + shown + "; console_read command=" + strconv.Itoa(cmd.ID)
	}
	if text != "" {
		text = "\n" + fence(text)
	}
	if len(notes) > 0 {
		text = "\n" + strings.Join(notes, "\n") + text
	}
	return head + text, nil
}

// excerpt is the output, or its beginning and its end; shown says which lines.
func excerpt(c *console.Client, cmd console.Command, p part) (text, shown string, err error) {
	if cmd.Bytes == 0 {
		return "", "", nil
	}
	if cmd.Bytes <= int64(p.MaxChars) && p.Head > 0 {
		all, err := c.Lines(cmd, console.ReadRequest{})
		return clean(join(all.Lines)), "", err
	}
	var head console.Lines
	if p.Head > 0 {
		if head, err = c.Lines(cmd, console.ReadRequest{From: 1, Lines: int64(p.Head)}); err != nil {
			return "", "", err
		}
	}
	tail, err := c.Lines(cmd, console.ReadRequest{From: -int64(p.Tail)})
	if err != nil {
		return "", "", err
	}
	last := int64(len(head.Lines))
	for len(tail.Lines) > 0 && tail.Lines[0].Number <= last {
		tail.Lines = tail.Lines[1:]
	}
	first, end := bound(head.Lines, tail.Lines, p.MaxChars)
	text = join(first)
	if len(first) > 0 && len(end) > 0 && end[0].Number > first[len(first)-1].Number+1 {
		text += fmt.Sprintf("\n… %s lines left out …\n", thousands(end[0].Number-first[len(first)-1].Number-1))
	} else if len(first) > 0 && len(end) > 0 {
		text += "\n"
	}
	return clean(text + join(end)), ranges(first, end), nil
}

// bound leaves so many of the head's last lines and the tail's first ones out that
// a third of the room is the head's at most; a line that is too long is cut.
func bound(head, tail []console.Line, room int) (first, last []console.Line) {
	for _, l := range head {
		l.Text = cut(l.Text, room/3)
		if room -= len(l.Text) + 1; room < 2*defaultChars/3 && len(first) > 0 && room < len(l.Text) {
			break
		}
		first = append(first, l)
		if size(first) > defaultChars/3 {
			break
		}
	}
	for i := len(tail) - 1; i >= 0; i-- {
		l := tail[i]
		l.Text = cut(l.Text, max(room, 200))
		if room -= len(l.Text) + 1; room < 0 && len(last) > 0 {
			break
		}
		last = append([]console.Line{l}, last...)
	}
	return first, last
}

func size(lines []console.Line) (n int) {
	for _, l := range lines {
		n += len(l.Text) + 1
	}
	return n
}

// cut shortens a line in its middle.
func cut(line string, room int) string {
	if len(line) <= room {
		return line
	}
	half := max(room/2, 1)
	return fmt.Sprintf("%s … %s bytes left out … %s", line[:half], thousands(int64(len(line)-2*half)), line[len(line)-half:])
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
	for _, lines := range [][]console.Line{first, last} {
		if len(lines) > 0 {
			all = append(all, fmt.Sprintf("%d–%d", lines[0].Number, lines[len(lines)-1].Number))
		}
	}
	return strings.Join(all, " + ")
}

// readText is what console_read shows.
func readText(name string, found console.Lines) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "[%s #%d] %s lines", name, found.Command.ID, thousands(found.Total))
	if n := len(found.Lines); n > 0 {
		fmt.Fprintf(b, ", shown %s of them from %d to %d", thousands(int64(n)), found.Lines[0].Number, found.Lines[n-1].Number)
	} else {
		b.WriteString(", none of them asked for")
	}
	if found.Dropped > 0 {
		fmt.Fprintf(b, "; its first %s bytes are no longer kept", thousands(found.Dropped))
	}
	numbered := make([]string, len(found.Lines))
	room := mostChars
	for i, l := range found.Lines {
		numbered[i] = fmt.Sprintf("%d: %s", l.Number, cut(l.Text, 2000))
		if room -= len(numbered[i]); room < 0 {
			numbered = append(numbered[:i], fmt.Sprintf("… go on with from_line=%d", l.Number))
			break
		}
	}
	return b.String() + "\n" + fence(clean(strings.Join(numbered, "\n")))
}

// fence puts text between lines that it cannot hold.
func fence(text string) string {
	mark := "----- " + rand.Text()[:10]
	return mark + "\n" + strings.TrimSuffix(text, "\n") + "\n" + mark
}

// clean is text without escape sequences, in which what cannot be seen or turns the
// order of letters is shown by its number.
func clean(text string) string {
	text = vt.Strip(text)
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		plain = text[i] >= ' ' && text[i] < 0x7f || text[i] == '\n' || text[i] == '\t'
	}
	if plain {
		return text
	}
	b := &strings.Builder{}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(b, "\\x%02x", text[i])
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			fmt.Fprintf(b, "\\u{%x}", r)
		default:
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}
