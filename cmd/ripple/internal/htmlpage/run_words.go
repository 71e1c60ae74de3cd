package htmlpage

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/ripple/runtime/event"
)

func span(d time.Duration) string {
	if d < time.Second {
		return ""
	}
	return d.Round(time.Second).String()
}

func dollars(usd float64) string {
	if usd <= 0 {
		return ""
	}
	return fmt.Sprintf("$%.2f", usd)
}

func tokens(t event.Tokens) string {
	if t.Input+t.Output == 0 {
		return ""
	}
	return fmt.Sprintf("%d in, %d out", t.Input, t.Output)
}

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// shortened keeps the beginning and the end of a text that is longer than most bytes.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := text[:most/2], text[len(text)-most/2:]
	for !utf8.ValidString(head) && len(head) > 0 && len(text[:most/2])-len(head) < utf8.UTFMax {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head + fmt.Sprintf("\n… %d bytes left out …\n", len(text)-len(head)-len(tail)) + tail
}

func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if short := []rune(line); len(short) > 200 {
		line, more = string(short[:200]), true
	}
	if more {
		line += " …"
	}
	return line
}

// written counts the lines that a tool writes and those that it replaces, where its
// input says so by the names that agents have for that.
func written(e event.Event) (added, gone int) {
	var input struct {
		Old     string `json:"old_string"`
		New     string `json:"new_string"`
		Content string `json:"content"`
	}
	if e.Tool != "edit" && e.Tool != "write" || json.Unmarshal(e.Input, &input) != nil {
		return 0, 0
	}
	return lines(input.New) + lines(input.Content), lines(input.Old)
}

func lines(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
}
