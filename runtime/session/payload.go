package session

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ripple/schema"
)

// ttyLine is the longest line, newline excluded, that a Linux tty keeps in
// canonical mode; it drops the rest silently (N_TTY_BUF_SIZE, n_tty(4)).
const ttyLine = 4094

// scriptblockLine is how long an encoded_scriptblock line may become before a
// tempfile is used instead.
const scriptblockLine = 30_000

// payload is a command as it goes to the program.
type payload struct {
	lines []string // sent one after another, each on a prompt, without line endings
	whole bool     // all at once; which prompt is the last one must be proven
	marks bool     // the last line prints the marker: it comes once, at the end
	file  string   // to be deleted when the command has ended
}

// build turns code into a payload by the adapter's input rules. Nothing has
// been sent when it fails.
func (d *driver) build(code string) (payload, error) {
	whole := strings.TrimRight(code, "\n") // a file holds the bytes that were given; a terminal takes CR for a line's end
	code = strings.ReplaceAll(code, "\r\n", "\n")
	if err := d.gate(code); err != nil {
		return payload{}, err
	}
	in := d.adapter.Input
	code = strings.TrimRight(code, "\n")
	multi := strings.Contains(code, "\n")
	if w := in.MultilineWrapper; w != nil && in.MultilineDelivery == schema.DeliverWrapper && w.Trigger == "always" {
		multi = true
	}
	reason := ""
	if !multi {
		if reason = d.unsendable(code); reason == "" && d.unseen() {
			reason = "its continuation prompt would not be seen"
		}
		if reason == "" {
			return payload{lines: []string{code}}, nil
		}
	}
	delivery := in.MultilineDelivery
	if reason != "" || delivery == "" {
		delivery = schema.DeliverTempfile
	}
	if delivery == schema.DeliverTempfile && in.Tempfile == nil {
		if reason != "" {
			return payload{}, fmt.Errorf("input not sent: %s, and the adapter has no input.tempfile to deliver it by", reason)
		}
		delivery = schema.DeliverDirect
	}
	if delivery == schema.DeliverTempfile {
		return d.tempfile(whole)
	}
	return d.deliver(code, delivery)
}

// unseen says whether a continuation prompt, which makes an unfinished line known, would
// be printed elsewhere. In a file such a line is a mistake that the program itself tells.
func (d *driver) unseen() bool {
	in := d.adapter.Input
	return d.classifier != nil && in.MultilineDelivery == schema.DeliverTempfile && in.Tempfile != nil && in.Tempfile.InvocationTemplate != "" &&
		d.usual && d.elsewhere() && d.tty.Has(1) && d.tty.Has(2) // the file would be opened in the place of one that is closed
}

// gate refuses incomplete input before a byte is sent.
func (d *driver) gate(code string) error {
	if d.balance == nil {
		return nil
	}
	r := d.balance.Check(code)
	if r.Complete {
		return nil
	}
	return &IncompleteError{Reason: r.Message(), Line: r.Line, Column: r.Column, Excerpt: r.Excerpt()}
}

// unsendable says why a line cannot be typed into the terminal as it is now;
// empty: it can.
func (d *driver) unsendable(line string) string {
	if limit := d.adapter.Input.MaxLineBytes; limit > 0 && len(line) > limit {
		return fmt.Sprintf("a line of %d bytes is longer than the %d that the program reads (input.max_line_bytes)", len(line), limit)
	}
	if d.adapter.Input.LineCharset == "ascii" {
		if at := strings.IndexFunc(line, func(r rune) bool { return r >= 0x80 }); at >= 0 {
			return fmt.Sprintf("the character at byte %d is not ASCII, and the program reads no other on a line (input.line_charset)", at+1)
		}
	}
	key := strings.IndexFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f })
	if key < 0 && len(line) <= ttyLine {
		return "" // the usual case: no need to ask the terminal
	}
	_, canonical, err := d.tty.Flags()
	cooked := err == nil && canonical
	if cooked && len(line) > ttyLine {
		return fmt.Sprintf("a line of %d bytes is longer than the %d that the terminal keeps in its line mode (process.tty.canonical: false lifts that)", len(line), ttyLine)
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		// A line editor takes a tab for completion; the terminal itself does not.
		if c >= ' ' && c != 0x7f || c == '\t' && cooked {
			continue
		}
		return fmt.Sprintf("byte %#02x at column %d would be taken as a key", c, i+1)
	}
	return ""
}

func (d *driver) deliver(code string, by schema.MultilineDelivery) (payload, error) {
	lines := strings.Split(code, "\n")
	switch by {
	case schema.DeliverEncodedScriptblock:
		line := scriptblock(code)
		if len(line) <= scriptblockLine && d.unsendable(line) == "" || d.adapter.Input.Tempfile == nil {
			return payload{lines: []string{line}}, nil
		}
		return d.tempfile(code)
	case schema.DeliverBracketedPaste:
		// A pasted end-of-paste would let the rest be typed as keys.
		body := strings.ReplaceAll(code, "\x1b[201~", "")
		return payload{lines: []string{"\x1b[200~" + body + "\x1b[201~"}}, nil
	case schema.DeliverWrapper:
		if w := d.adapter.Input.MultilineWrapper; w != nil && w.Trigger != "never" {
			return d.wrapped(*w, lines)
		}
	case schema.DeliverHeredoc:
		var err error
		if lines, err = d.heredoc(lines); err != nil {
			return payload{}, err
		}
	case schema.DeliverDirect:
	}
	return d.typable(payload{lines: lines, whole: !d.continues}, code)
}

// wrapped puts the adapter's lines around a block. Lines that print the marker
// take the place of a prompt in a program that has none.
func (d *driver) wrapped(w schema.MultilineWrapper, block []string) (payload, error) {
	var lines []string
	if w.Open != "" {
		lines = strings.Split(schema.Expand(w.Open, d.plan.Values), "\n")
	}
	end := schema.Expand(w.Close, d.plan.Values)
	lines = append(append(lines, block...), strings.Split(end, "\n")...)
	marker := d.plan.Values["marker"]
	marks := d.literal != nil && marker != "" && strings.Contains(end, marker)
	if err := staysInside(block, end); err != nil && !marks { // a printed marker is the end, whatever was typed before it
		return payload{}, err
	}
	return d.typable(payload{lines: lines, whole: marks || !d.continues, marks: marks}, strings.Join(block, "\n"))
}

// staysInside refuses a block with a line that would end its wrapper early: the rest
// would run as commands of its own, and their results be taken for later ones'. Of an
// end that begins with an empty line nothing is known.
func staysInside(block []string, end string) error {
	first, _, _ := strings.Cut(end, "\n")
	first = strings.TrimSpace(first)
	for i, line := range block {
		if first != "" && strings.TrimSpace(line) == first {
			return fmt.Errorf("input not sent: line %d (%q) is what ends a block (input.multiline_wrapper.close), and the lines after it would be commands of their own: "+
				"write that line in another way, or send what is before and behind it as two commands", i+1, line)
		}
	}
	return nil
}

// typable makes sure that the lines can be typed; where they cannot, the code goes
// through a file if the adapter has one.
func (d *driver) typable(p payload, code string) (payload, error) {
	for i, line := range p.lines {
		if reason := d.unsendable(line); reason != "" {
			if t := d.adapter.Input.Tempfile; t != nil && t.InvocationTemplate != "" && !p.marks {
				return d.tempfile(code)
			}
			return payload{}, fmt.Errorf("input not sent: line %d: %s", i+1, reason)
		}
	}
	return p, nil
}

// posixHeredoc makes a POSIX shell run a here-document in itself, so that its
// state and the exit code are those of the block's own commands.
var posixHeredoc = schema.MultilineWrapper{Open: "eval \"$(cat <<'{guid}'", Close: "{guid}\n)\""}

// heredoc puts the block between the lines of a here-document whose delimiter
// is new each time.
func (d *driver) heredoc(lines []string) ([]string, error) {
	w := posixHeredoc
	if declared := d.adapter.Input.MultilineWrapper; declared != nil {
		w = *declared
	}
	guid, err := randomHex(8)
	if err != nil {
		return nil, err
	}
	values := map[string]string{"guid": "RIPPLE_" + guid}
	open := strings.Split(schema.Expand(w.Open, values), "\n")
	end := strings.Split(schema.Expand(w.Close, values), "\n")
	return slices.Concat(open, lines, end), nil
}

// scriptblock is the v1 schema's encoded_scriptblock invocation.
func scriptblock(code string) string {
	return ". ([ScriptBlock]::Create([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('" +
		base64.StdEncoding.EncodeToString([]byte(code)) + "'))))"
}

// tempfile writes the code to a private file and gives the line that runs it.
func (d *driver) tempfile(code string) (payload, error) {
	t := d.adapter.Input.Tempfile
	guid, err := randomHex(8)
	if err != nil {
		return payload{}, err
	}
	values := map[string]string{}
	for k, v := range d.plan.Values {
		values[k] = v
	}
	values["guid"] = guid
	path := filepath.Join(d.scratch.Path, t.Prefix+guid+t.Extension)
	if t.PathTemplate != "" {
		path = filepath.FromSlash(schema.Expand(t.PathTemplate, values))
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
