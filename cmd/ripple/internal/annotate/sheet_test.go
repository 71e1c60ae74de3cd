package annotate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"example.org/ripple/cmd/ripple/internal/annotate"
	"example.org/ripple/runtime/session"
)

// pieces is a stream of pieces as a session reports them.
type pieces struct {
	at  int64
	all []session.Piece
}

func (p *pieces) came(as session.Class, text string) *pieces {
	p.all = append(p.all, session.Piece{From: p.at, To: p.at + int64(len(text)), Class: as, Data: []byte(text)})
	p.at += int64(len(text))
	return p
}

// last changes the interpretation of the last n bytes.
func (p *pieces) last(n int64, as session.Class) *pieces {
	p.all = append(p.all, session.Piece{From: p.at - n, To: p.at, Class: as})
	return p
}

// dialogue is a banner, a command with a wrapped line of output, and the next prompt.
func dialogue() *pieces {
	return (&pieces{}).
		came(session.ClassBanner, "hello\r\n> ").last(2, session.ClassPrompt).
		came(session.ClassEcho, "print\r\n").
		came(session.ClassOutput, "\x1b[1mé23456789012345\x1b[m\r\n> ").last(2, session.ClassPrompt)
}

func shown(s *annotate.Sheet) string {
	var b strings.Builder
	for _, notes := range s.Notes() {
		var words []string
		for _, n := range notes {
			words = append(words, string(n.As)+n.Text)
		}
		fmt.Fprintln(&b, strings.Join(words, " "))
	}
	return strings.TrimRight(b.String(), "\n")
}

func sheet(cols, rows int, p *pieces) *annotate.Sheet {
	s := annotate.NewSheet(cols, rows)
	for _, piece := range p.all {
		s.ObservePiece(piece)
	}
	return s
}

func TestSheet(t *testing.T) {
	for name, tt := range map[string]struct {
		pieces *pieces
		want   string
	}{
		"rows":                       {dialogue(), "banner\nprompt echo\noutput\noutput\nprompt"},
		"what is cleared":            {dialogue().came(session.ClassOutput, "\x1b[2J\x1b[H").came(session.ClassPrompt, "> "), "prompt"},
		"what is erased below":       {dialogue().came(session.ClassOutput, "\x1b[2;1H\x1b[J"), "banner"},
		"a line that is drawn again": {dialogue().came(session.ClassEcho, "x\r\x1b[K").came(session.ClassPrompt, "$ "), "banner\nprompt echo\noutput\noutput\nprompt"},
		"what scrolls":               {dialogue().came(session.ClassEcho, "\r\n").came(session.ClassOutput, "1\r\n2\r\n"), "output\noutput\nprompt\noutput\noutput"},
		"the alternate screen":       {dialogue().came(session.ClassOutput, "\x1b[?1049h\x1b[Hfull"), "output"},
		"and back from it":           {dialogue().came(session.ClassOutput, "\x1b[?1049h\x1b[Hfull\x1b[?1049l"), "banner\nprompt echo\noutput\noutput\nprompt"},
		"reset":                      {dialogue().came(session.ClassOutput, "\x1bc"), ""},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tt.want, shown(sheet(10, 6, tt.pieces))) })
	}
}

// The notes and the painted screen do not depend on how the output is split.
func TestSheetSplitAnywhere(t *testing.T) {
	whole := sheet(10, 6, dialogue())
	rapid.Check(t, func(t *rapid.T) {
		cut := &pieces{}
		for _, p := range dialogue().all {
			if p.Data == nil {
				cut.last(p.To-p.From, p.Class)
				continue
			}
			for rest := string(p.Data); rest != ""; {
				n := rapid.IntRange(1, len(rest)).Draw(t, "n")
				cut.came(p.Class, rest[:n])
				rest = rest[n:]
			}
		}
		s := sheet(10, 6, cut)
		assert.Equal(t, shown(whole), shown(s))
		assert.Equal(t, paint(whole), paint(s))
	})
}

func paint(s *annotate.Sheet) string {
	return string(s.Paint(nil, func(n []annotate.Note) string { return fmt.Sprint(n) }, []string{"foot"}))
}

// After a change of size, the same notes are beside the same text.
func TestSheetResize(t *testing.T) {
	s := sheet(10, 6, dialogue())
	s.Resize(40, 6)
	assert.Equal(t, "banner\nprompt echo\noutput\nprompt", shown(s))
	s.Resize(10, 6)
	assert.Equal(t, "banner\nprompt echo\noutput\noutput\nprompt", shown(s))
	assert.Equal(t, "> ", s.Line(), "with the blanks before the cursor")
}

// The output of a program that prints forever takes bounded memory, and the last part is kept.
func TestSheetIsBounded(t *testing.T) {
	p := &pieces{}
	for i := range 3000 {
		p.came(session.ClassOutput, fmt.Sprintf("%099d\r\n", i))
	}
	p.came(session.ClassPrompt, "> ")
	s := sheet(120, 3, p)
	s.Resize(119, 3)
	assert.Equal(t, "output\noutput\nprompt", shown(s))
}
