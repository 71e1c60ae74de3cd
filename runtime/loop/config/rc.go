package config

import (
	"fmt"
	"strings"
)

// rcValue is the value of a name in a .ralphrc file, with its position.
type rcValue struct {
	text string
	line int
	raw  string // as written in the file
}

// rcError is an error in a line of a .ralphrc file.
type rcError struct {
	file         string
	line, column int
	message      string
}

func (e *rcError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.file, e.line, e.column, e.message)
}

// Limits of a .ralphrc file, which is read before a user trusts the project. A value that repeats another one
// can double its length in each line.
const (
	maxRCFile   = 256 << 10     // bytes of the file
	maxRCValue  = maxBeganValue // bytes of a value
	maxRCValues = 1 << 20       // bytes of all values together
	maxRCErrors = 20
)

var tooLong = fmt.Sprintf("this value is longer than %d KB", maxRCValue>>10)

// parseRC reads NAME=value lines with shell quoting, comments and $NAME. It executes nothing:
// syntax that only a shell could evaluate is an error. Names resolve to values set above, else to
// lookup; if lookup is nil, they stay as they are written, and named reports whether there are any. It
// returns the errors of the file, at most maxRCErrors.
func parseRC(file, text string, lookup func(string) string) (values map[string]rcValue, named bool, errs []error) {
	p := &rcParser{file: file, rest: strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), line: 1, column: 1, set: map[string]rcValue{}, lookup: lookup}
	for p.rest != "" {
		p.statement()
	}
	return p.set, p.named, p.errs
}

type rcParser struct {
	file, rest   string
	line, column int
	set          map[string]rcValue
	size         int // bytes of the values that were read
	lookup       func(string) string
	named        bool // a name was neither set above nor looked up
	errs         []error
}

const (
	nameStart = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	nameRest  = nameStart + "0123456789"
	specials  = ";&|<>()" // characters that end a word in a shell
)

// statement reads one line, or several when a quoted string spans lines.
func (p *rcParser) statement() {
	p.skip(" \t\n")
	switch {
	case p.rest == "":
		return
	case p.rest[0] == '#':
		p.dropLine()
		return
	}
	if after, ok := strings.CutPrefix(p.rest, "export"); ok && after != "" && strings.Contains(" \t", after[:1]) {
		p.take(len("export"))
		p.skip(" \t")
	}
	line, column, from := p.line, p.column, p.rest
	name := p.name()
	if name == "" || !strings.HasPrefix(p.rest, "=") {
		p.fail(line, column, "expected NAME=value without blanks around the =; this file is read and not executed")
		return
	}
	p.take(1)
	value, ok := p.word()
	p.size += len(value)
	switch {
	case !ok:
		return
	case len(value) > maxRCValue:
		p.fail(line, column, tooLong)
		return
	case p.size > maxRCValues:
		p.fail(line, column, fmt.Sprintf("the values up to this one are longer than %d KB together, and the rest is not read", maxRCValues>>10))
		p.rest = ""
		return
	}
	raw := from[:len(from)-len(p.rest)]
	p.skip(" \t;")
	if p.rest != "" && p.rest[0] != '\n' && p.rest[0] != '#' {
		p.fail(p.line, p.column, fmt.Sprintf("the value of %s ended before this; quote a value with blanks: %s=\"…\"", name, name))
		return
	}
	p.dropLine()
	p.set[name] = rcValue{value, line, raw}
}

// word reads a value up to a blank outside quotes.
func (p *rcParser) word() (string, bool) {
	var b strings.Builder
	for p.rest != "" {
		c := p.rest[0]
		switch {
		case strings.IndexByte(" \t\n;", c) >= 0:
			return b.String(), true
		case c == '\'':
			if !p.single(&b) {
				return "", false
			}
		case c == '"':
			if !p.double(&b) {
				return "", false
			}
		case c == '\\':
			p.take(1)
			p.escaped(&b)
		case c == '$', c == '`':
			if !p.expansion(&b) {
				return "", false
			}
		case strings.IndexByte(specials, c) >= 0:
			p.fail(p.line, p.column, fmt.Sprintf("%q outside quotes; quote the value", c))
			return "", false
		default:
			b.WriteString(p.take(1))
		}
	}
	return b.String(), true
}

func (p *rcParser) single(b *strings.Builder) bool {
	line, column := p.line, p.column
	p.take(1)
	i := strings.IndexByte(p.rest, '\'')
	if i < 0 {
		p.fail(line, column, "this ' is never closed")
		return false
	}
	b.WriteString(p.take(i))
	p.take(1)
	return true
}

func (p *rcParser) double(b *strings.Builder) bool {
	line, column := p.line, p.column
	p.take(1)
	for p.rest != "" {
		switch c := p.rest[0]; c {
		case '"':
			p.take(1)
			return true
		case '\\':
			p.take(1)
			if p.rest == "" || strings.IndexByte("$`\"\\\n", p.rest[0]) < 0 {
				b.WriteByte('\\')
				continue
			}
			p.escaped(b)
		case '$', '`':
			if !p.expansion(b) {
				return false
			}
		default:
			b.WriteString(p.take(1))
		}
	}
	p.fail(line, column, "this \" is never closed")
	return false
}

// escaped reads the character after a backslash; a line feed joins lines.
func (p *rcParser) escaped(b *strings.Builder) {
	if p.rest == "" {
		return
	}
	if c := p.take(1); c != "\n" {
		b.WriteString(c)
	}
}

// expansion resolves $NAME, ${NAME} and ${NAME:-text}.
func (p *rcParser) expansion(b *strings.Builder) bool {
	line, column, from := p.line, p.column, p.rest
	refuse := func(what string) bool {
		p.fail(line, column, what+" is not executed; write the value itself")
		return false
	}
	switch {
	case p.rest[0] == '`':
		return refuse("a command in backquotes")
	case strings.HasPrefix(p.rest, "$("):
		return refuse("$(…)")
	}
	p.take(1)
	if !strings.HasPrefix(p.rest, "{") {
		name := p.name()
		if name == "" {
			b.WriteByte('$')
		}
		text, _ := p.value(name, from)
		return p.expanded(b, text, line, column)
	}
	end := strings.IndexAny(p.rest, "}\n")
	if end < 0 || p.rest[end] != '}' {
		p.fail(line, column, "this ${ is never closed")
		return false
	}
	inner := p.take(end + 1)[1:end]
	name := inner[:len(inner)-len(strings.TrimLeft(inner, nameRest))]
	v, known := p.value(name, from)
	op := inner[len(name):]
	other, isDefault := strings.CutPrefix(op, ":-")
	switch {
	case name == "" || op != "" && !isDefault || strings.ContainsAny(other, "$`"):
		return refuse("${" + inner + "}")
	case known && v == "":
		v = strings.Trim(other, `"'`)
	}
	return p.expanded(b, v, line, column)
}

// expanded adds the value of a name at a position to the value that is read.
func (p *rcParser) expanded(b *strings.Builder, text string, line, column int) bool {
	if b.Len()+len(text) > maxRCValue {
		p.fail(line, column, tooLong)
		return false
	}
	b.WriteString(text)
	return true
}

// value returns the value of a name whose expansion has just been taken from the text in from; known is false
// if it is the expansion itself.
func (p *rcParser) value(name, from string) (text string, known bool) {
	v, set := p.set[name]
	switch {
	case name == "":
		return "", true
	case set:
		return v.text, true
	case p.lookup == nil:
		p.named = true
		return from[:len(from)-len(p.rest)], false
	}
	return p.lookup(name), true
}

func (p *rcParser) name() string {
	if p.rest == "" || strings.IndexByte(nameStart, p.rest[0]) < 0 {
		return ""
	}
	return p.take(len(p.rest) - len(strings.TrimLeft(p.rest, nameRest)))
}

// take advances by n bytes; columns count characters.
func (p *rcParser) take(n int) string {
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	for i := range len(taken) {
		switch c := taken[i]; {
		case c == '\n':
			p.line, p.column = p.line+1, 1
		case c < 0x80 || c >= 0xc0: // not a continuation byte
			p.column++
		}
	}
	return taken
}

func (p *rcParser) skip(set string) { p.take(len(p.rest) - len(strings.TrimLeft(p.rest, set))) }

func (p *rcParser) dropLine() {
	if i := strings.IndexByte(p.rest, '\n'); i >= 0 {
		p.take(i + 1)
		return
	}
	p.take(len(p.rest))
}

// fail records an error and continues with the next line, or with nothing after maxRCErrors.
func (p *rcParser) fail(line, column int, message string) {
	p.errs = append(p.errs, &rcError{p.file, line, column, message})
	if p.dropLine(); len(p.errs) == maxRCErrors {
		p.rest = ""
	}
}
