package hats

import (
	"strings"
	"unicode/utf8"

	"example.org/ripple/internal/lazyregexp"
)

const tagBegin, tagEnd = "<event", "</event>"

// lineScan reads the tags of one line.
type lineScan struct {
	*Scanner
	line  string
	at    int // offset of the unread part
	close int // offset of the next closing tag; -1: not searched yet
	ticks int // backtick groups before seen
	seen  int
}

// next reads the next opening or closing tag; false at the end of the line.
func (l *lineScan) next(found func(echo)) bool {
	begin := l.at
	for {
		i := strings.Index(l.line[begin:], tagBegin)
		if l.open != nil && l.open.fence != "" {
			i = -1
		}
		if end := l.end(); l.open != nil && end < len(l.line) && (i < 0 || end < begin+i) {
			l.closed(end, found)
			return true
		}
		if i < 0 {
			return false
		}
		begin += i
		topic, length, why := cutTag(l.line[begin:])
		if length > 0 {
			if why == "" {
				why = l.quoted(begin)
			}
			if why == "" {
				l.keep(l.line[l.at:begin])
				l.Scanner.open = &tag{topic: topic, before: l.before, line: shortened(l.line[begin:])}
				l.at = begin + length
				return true
			}
		}
		if why != "" && l.open == nil {
			l.miss(l.line[begin:], why)
		}
		begin += len(tagBegin)
	}
}

// end returns the offset of the next </event>, or the length of the line.
func (l *lineScan) end() int {
	if l.close < l.at {
		l.close = len(l.line)
		if i := strings.Index(l.line[l.at:], tagEnd); i >= 0 {
			l.close = l.at + i
		}
	}
	return l.close
}

// closed ends the open tag.
func (l *lineScan) closed(end int, found func(echo)) {
	t := l.open
	t.add(l.line[l.at:end], false)
	p := NewPublished(t.topic, strings.TrimSpace(t.payload.String()))
	p.Cut = p.Cut || t.cut
	found(echo{t.before, p})
	l.Scanner.open, l.Scanner.before, l.at = nil, tagEnd, end+len(tagEnd)
}

// quoted returns the reason that a tag at the current position is only an example, or "" if it
// counts.
func (l *lineScan) quoted(at int) string {
	for ; l.seen < at; l.seen++ {
		if l.line[l.seen] == '`' && (l.seen == 0 || l.line[l.seen-1] != '`') {
			l.ticks++
		}
	}
	switch {
	case l.ticks%2 == 1:
		return "it is between backticks"
	case at > 0 && strings.ContainsRune("\"'“«", lastRune(l.line[:at])):
		return "it follows a quotation mark"
	case strings.HasPrefix(strings.TrimLeft(l.line[:min(at, 4)], " "), ">"):
		return "it is in a quote"
	}
	return ""
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// cutTag reads <event topic="…">, possibly with more attributes, from the start of a text. If
// the text is not a tag, the length is 0, and why describes the error of one that is nearly
// valid.
func cutTag(text string) (topic string, length int, why string) {
	const wanted = "it must begin with <event topic=\"TOPIC\">"
	attributes := text[len(tagBegin):]
	if attributes == "" || attributes[0] != ' ' && attributes[0] != '\t' {
		return "", 0, ""
	}
	for at := 0; ; {
		at += len(attributes[at:]) - len(strings.TrimLeft(attributes[at:], " \t"))
		rest := attributes[at:]
		switch {
		case strings.HasPrefix(rest, ">") && topic != "":
			return topic[:min(len(topic), 2*maxTopic)], len(tagBegin) + at + 1, ""
		case strings.HasPrefix(rest, "\\"): // a JSON escape
			return "", 0, ""
		}
		name := attribute().FindString(rest)
		if name == "" {
			return "", 0, nearly(attributes, wanted)
		}
		at += len(name)
		value, _, closed := strings.Cut(attributes[at:], name[len(name)-1:])
		if !closed || strings.Contains(value, "<") {
			return "", 0, nearly(attributes, wanted)
		}
		at += len(value) + 1
		if strings.HasPrefix(name, "topic") {
			topic = value
		}
	}
}

// attribute matches an attribute name up to the quote that opens its value.
var attribute = lazyregexp.New(`^[a-z_-]{1,40}=["']`)

// nearly describes the syntax error of an intended tag; prose about <event …> is not one.
func nearly(attributes, wanted string) string {
	if almost().MatchString(attributes[:min(len(attributes), 2*maxTopic)]) {
		return wanted
	}
	return ""
}

var almost = lazyregexp.New(`^\s+(topic|name|type|id)\s*[=:]\s*[^"'\s\\]`)
