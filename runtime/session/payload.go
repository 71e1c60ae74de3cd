package session

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"example.org/ripple/runtime/internal/scratch"
	"example.org/ripple/schema"
)

// ttyLine is the length of the longest line, newline excluded, that a Linux tty keeps in canonical
// mode; it silently drops the rest (N_TTY_BUF_SIZE, n_tty(4)).
const ttyLine = 4094

// scriptblockLine is the length of the longest encoded_scriptblock line; a temporary file is used
// for longer ones.
const scriptblockLine = 30_000

// payload is a command in the form sent to the program.
type payload struct {
	code  string   // what the caller gave
	lines []string // sent one after another, each at a prompt, without line endings
	whole bool     // sent all at once; which prompt is the last one must be confirmed
	marks bool     // the last line prints the marker, which comes once, at the end
	file  string   // to be deleted when the command has ended
	hides bool     // it may ask for a secret in the program's own line editor
}

// builder makes payloads. It knows what matters about the terminal: whether it edits lines itself
// now, and whether the program's continuation prompts, which reveal an unfinished line, would be
// printed elsewhere.
type builder struct {
	*program
	scratch *scratch.Dir // for files
	tty     lineFacts
}

type lineFacts interface {
	cooked() bool
	promptsElsewhere() bool
}

func (s *sender) builder() *builder {
	return &builder{program: s.prog, scratch: s.scratch, tty: &s.kernel}
}

// build turns code into a payload by the adapter's input rules. If it fails, nothing has been sent.
func (b *builder) build(code string) (payload, error) {
	p, err := b.form(code)
	p.code, p.hides = code, b.input.hidesAnswers(code)
	return p, err
}

func (b *builder) form(code string) (payload, error) {
	whole := strings.TrimRight(code, "\n") // a file keeps the given bytes; a terminal treats CR as the end of a line
	code = strings.ReplaceAll(code, "\r\n", "\n")
	in := &b.input
	if err := in.gate(code); err != nil {
		return payload{}, err
	}
	code = strings.TrimRight(code, "\n")
	multi := strings.Contains(code, "\n")
	if w := in.wrapper; w != nil && in.delivery == schema.DeliverWrapper && w.Trigger == "always" {
		multi = true
	}
	reason := ""
	if !multi {
		if reason = b.unsendable(code); reason == "" && b.hidden() {
			reason = "its continuation prompt would not be seen"
		}
		if reason == "" {
			return payload{lines: []string{code}}, nil
		}
	}
	delivery := in.delivery
	if reason != "" || delivery == "" {
		delivery = schema.DeliverTempfile
	}
	if delivery == schema.DeliverTempfile && !in.runs() {
		if reason != "" {
			return payload{}, fmt.Errorf("input not sent: %s, and the adapter has no input.tempfile.invocation_template to deliver it by", reason)
		}
		delivery = schema.DeliverDirect
	}
	if delivery == schema.DeliverTempfile {
		return b.file(whole)
	}
	return b.deliver(code, delivery)
}

// hidden reports whether a continuation prompt would be printed elsewhere. In a file the program
// itself reports such a line as an error.
func (b *builder) hidden() bool {
	return b.prompts.markers != nil && b.input.delivery == schema.DeliverTempfile && b.input.runs() && b.tty.promptsElsewhere()
}

// unsendable returns the reason why a line cannot be typed into the terminal in its current state;
// empty: it can.
func (b *builder) unsendable(line string) string {
	if limit := b.input.longest; limit > 0 && len(line) > limit {
		return fmt.Sprintf("a line of %d bytes is longer than the %d that the program reads (input.max_line_bytes)", len(line), limit)
	}
	if b.input.ascii {
		if at := strings.IndexFunc(line, func(r rune) bool { return r >= 0x80 }); at >= 0 {
			return fmt.Sprintf("the character at byte %d is not ASCII, and the program reads only ASCII on a line (input.line_charset)", at+1)
		}
	}
	key := strings.IndexFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f })
	if key < 0 && len(line) <= ttyLine {
		return "" // the usual case: no need to ask the terminal
	}
	cooked := b.tty.cooked()
	if cooked && len(line) > ttyLine {
		return fmt.Sprintf("a line of %d bytes is longer than the %d that the terminal keeps in its line mode (process.tty.canonical: false removes this limit)", len(line), ttyLine)
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		// A line editor uses a tab for completion; the terminal itself does not.
		if c >= ' ' && c != 0x7f || c == '\t' && cooked {
			continue
		}
		return fmt.Sprintf("byte %#02x at column %d would be taken as a key", c, i+1)
	}
	return ""
}

func (b *builder) deliver(code string, by schema.MultilineDelivery) (payload, error) {
	lines := strings.Split(code, "\n")
	switch by {
	case schema.DeliverEncodedScriptblock:
		line := scriptblock(code)
		if len(line) <= scriptblockLine && b.unsendable(line) == "" || b.input.tempfile == nil {
			return payload{lines: []string{line}}, nil
		}
		return b.file(code)
	case schema.DeliverBracketedPaste:
		// An end-of-paste in the text would make the rest be read as keys.
		body := strings.ReplaceAll(code, "\x1b[201~", "")
		return payload{lines: []string{"\x1b[200~" + body + "\x1b[201~"}}, nil
	case schema.DeliverWrapper:
		if w := b.input.wrapper; w != nil && w.Trigger != "never" {
			return b.wrapped(*w, lines)
		}
	case schema.DeliverHeredoc:
		var err error
		if lines, err = b.input.heredoc(lines); err != nil {
			return payload{}, err
		}
	case schema.DeliverDirect:
	}
	return b.typable(payload{lines: lines, whole: !b.prompts.continues}, code)
}

// wrapped puts the adapter's lines around a block. Lines that print the marker replace the prompt
// in a program that has none.
func (b *builder) wrapped(w schema.MultilineWrapper, block []string) (payload, error) {
	var lines []string
	if w.Open != "" {
		lines = strings.Split(schema.Expand(w.Open, b.values), "\n")
	}
	end := schema.Expand(w.Close, b.values)
	lines = append(append(lines, block...), strings.Split(end, "\n")...)
	marker := b.values["marker"]
	marks := b.prompts.literals != nil && marker != "" && strings.Contains(end, marker)
	if err := staysInside(block, end); err != nil && !marks { // a printed marker is the end, whatever was typed before it
		return payload{}, err
	}
	return b.typable(payload{lines: lines, whole: marks || !b.prompts.continues, marks: marks}, strings.Join(block, "\n"))
}

// staysInside refuses a block with a line that would end its wrapper early: the rest would run as
// separate commands, whose results would be attributed to later ones. It cannot check an end that
// begins with an empty line.
func staysInside(block []string, end string) error {
	first, _, _ := strings.Cut(end, "\n")
	first = strings.TrimSpace(first)
	for i, line := range block {
		if first != "" && strings.TrimSpace(line) == first {
			return fmt.Errorf("input not sent: line %d (%q) ends a block (input.multiline_wrapper.close), and the lines after it would run as separate commands: "+
				"write that line in another way, or send the text before and after it as two commands", i+1, line)
		}
	}
	return nil
}

// typable ensures that the lines can be typed; if they cannot, the code is delivered in a file if
// the adapter supports that.
func (b *builder) typable(p payload, code string) (payload, error) {
	for i, line := range p.lines {
		if reason := b.unsendable(line); reason != "" {
			if b.input.runs() && !p.marks {
				return b.file(code)
			}
			return payload{}, fmt.Errorf("input not sent: line %d: %s", i+1, reason)
		}
	}
	return p, nil
}

// scriptblock returns the v1 schema's encoded_scriptblock invocation.
func scriptblock(code string) string {
	return ". ([ScriptBlock]::Create([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('" +
		base64.StdEncoding.EncodeToString([]byte(code)) + "'))))"
}

// file writes the code to a private file and returns a payload with the line that runs it.
func (b *builder) file(code string) (payload, error) {
	t := b.input.tempfile
	guid, err := randomHex(8)
	if err != nil {
		return payload{}, err
	}
	values := maps.Clone(b.values)
	values["guid"] = guid
	path := filepath.Join(b.scratch.Path, t.Prefix+guid+t.Extension)
	if t.PathTemplate != "" {
		path = filepath.FromSlash(schema.Expand(t.PathTemplate, values))
	}
	if filepath.Dir(path) == b.scratch.Path {
		if err := b.scratch.Restore(); err != nil {
			return payload{}, fmt.Errorf("input not sent: %w", err)
		}
	}
	values["path"], values["tempfile_path"] = path, path
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return payload{}, fmt.Errorf("input not sent: %w", err)
	}
	_, err = f.WriteString(code + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // the error that matters is the one above
		return payload{}, fmt.Errorf("input not sent: %w", err)
	}
	return payload{lines: []string{schema.Expand(t.InvocationTemplate, values)}, file: path}, nil
}
