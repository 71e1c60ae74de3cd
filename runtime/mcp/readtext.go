package mcp

import (
	"fmt"
	"regexp"
	"strings"

	"example.org/ripple/runtime/console"
)

// readText formats the result of console_read: as many lines as fit.
func readText(name string, found console.Lines, grep string) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "[%s #%d] %s", name, found.Command.ID, lineCount(found.Total))
	var numbered []string
	room := defaultChars
	longest := defaultChars / 4
	if len(found.Lines) == 1 {
		longest = defaultChars - len("0123456789: ")
	}
	partly := false
	for _, l := range found.Lines {
		l, part := window(l, grep, longest)
		partly = partly || part
		line := fmt.Sprintf("%d: %s", l.Number, l.Text)
		if room -= len(line) + 1; room < 0 && len(numbered) > 0 {
			break
		}
		numbered = append(numbered, line)
	}
	n := len(numbered)
	if n > 0 {
		fmt.Fprintf(b, ", shown %s of them from %d to %d", thousands(int64(n)), found.Lines[0].Number, found.Lines[n-1].Number)
	} else {
		b.WriteString(", none of them requested")
	}
	switch {
	case n < len(found.Lines):
		fmt.Fprintf(b, "; continue with from_line=%d", found.Lines[n].Number)
	case found.More:
		fmt.Fprintf(b, "; continue with from_line=%d", found.Lines[n-1].Number+1)
	}
	if partly {
		b.WriteString("; to read the rest of a shortened line: lines=1 column=BYTE")
	}
	if found.Missing != "" {
		b.WriteString("; " + word(found.Missing))
	}
	return b.String() + "\n" + fence(strings.Join(numbered, "\n"))
}

// window returns the part of a line that fits: its beginning, or the surroundings of a match. It
// names the number of bytes left out on both sides.
func window(l console.Line, grep string, room int) (shown console.Line, part bool) {
	seen := min(room, len(l.Text))
	if n := len(clean(l.Text[:seen])); n > room { // invisible characters are longer when escaped
		room = max(seen*room/n*9/10, 1)
	}
	text, at := l.Text, 0
	if len(text) > room {
		if match, err := regexp.Compile(grep); err == nil && grep != "" {
			if found := match.FindStringIndex(text); found != nil {
				at = min(max(0, found[0]-room/4), len(text)-room)
			}
		}
		text = strings.ToValidUTF8(text[at:at+room], "")
	}
	end := l.At + int64(at+min(len(l.Text)-at, room))
	behind := l.At + int64(len(l.Text)) + l.Cut - end
	l.Text = clean(text)
	if at := l.At + int64(at); at > 0 {
		l.Text, part = fmt.Sprintf("… %s bytes left out … %s", thousands(at), l.Text), true
	}
	if behind > 0 {
		l.Text, part = fmt.Sprintf("%s … %s bytes left out from column=%d on", l.Text, thousands(behind), end), true
	}
	return l, part
}
