package hats

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func topics(list []Published) (out []string) {
	for _, p := range list {
		out = append(out, p.Topic+"="+p.Payload)
	}
	return out
}

func scanAll(prompt string, blocks ...string) []string {
	s := NewScanner(prompt)
	for _, b := range blocks {
		s.Text(b)
	}
	found, _ := s.Found()
	return topics(found)
}

func TestScanner(t *testing.T) {
	tests := []struct {
		name   string
		blocks []string
		want   []string
	}{
		{"a line of its own", []string{`<event topic="a.b">do it</event>`}, []string{"a.b=do it"}},
		{"words after it", []string{`<event topic="a">x</event> and more`}, []string{"a=x"}},
		{"no payload", []string{`<event topic="a"></event>`}, []string{"a="}},
		{"several lines", []string{"so:\n<event topic=\"a\">\none\n  two\n</event>\nbye"}, []string{"a=one\n  two"}},
		{"two of them", []string{"<event topic=\"a\">1</event>\n<event topic=\"b\">2</event>"}, []string{"a=1", "b=2"}},
		{"single quotes and blanks", []string{`<event   topic='a' >1</event>`}, []string{"a=1"}},
		{"line ends of Windows", []string{"<event topic=\"a\">1\r\n2</event>\r\n"}, []string{"a=1\n2"}},
		{"anywhere in a line", []string{`I publish <event topic="a">x</event>`}, []string{"a=x"}},
		{"bold, and in a list", []string{"**<event topic=\"a\">x</event>**\n* <event topic=\"b\">y</event>\n1. <event topic=\"c\">z</event>"}, []string{"a=x", "b=y", "c=z"}},
		{"indented", []string{` <event topic="a">x</event>`}, []string{"a=x"}},
		{"with more attributes", []string{`<event topic="a" target="reviewer">x</event><event id='1' topic='b'>y</event>`}, []string{"a=x", "b=y"}},
		{"between backticks", []string{"I shall write `<event topic=\"a\">x</event>` and ``<event topic=\"a\">x</event>``"}, nil},
		{"after code in backticks", []string{"I ran `make`: <event topic=\"a\">x</event>"}, []string{"a=x"}},
		{"after a quotation mark", []string{`You said "<event topic="a">x</event>" and '<event topic="a">x</event>'`}, nil},
		{"the example of the prompt", []string{`I am to write <event topic="a">` + examplePayload + `</event>`}, nil},
		{"quoted as Markdown quotes", []string{`> <event topic="a">x</event>`}, nil},
		{"the second on a line", []string{`<event topic="a">x</event><event topic="b">y</event>`}, []string{"a=x", "b=y"}},
		{"its end and another begin on one line", []string{"<event topic=\"a\">x\n</event> then <event topic=\"b\">y\n</event>"}, []string{"a=x", "b=y"}},
		{"in fenced code", []string{"```\n<event topic=\"a\">x</event>\n```"}, nil},
		{"in fenced code with an info string", []string{"```xml\n<event topic=\"a\">x</event>\n```\n<event topic=\"b\">y</event>"}, []string{"b=y"}},
		{"in a longer fence", []string{"````\n```\n<event topic=\"a\">x</event>\n```\n````"}, nil},
		{"in a fence of tildes", []string{"~~~\n```\n<event topic=\"a\">x</event>\n~~~"}, nil},
		{"in a fence that is never closed", []string{"```\n<event topic=\"a\">x</event>"}, nil},
		{"in a fence that is split over two blocks", []string{"```", "<event topic=\"a\">x</event>\n```"}, nil},
		{"in JSON", []string{`{"text": "<event topic=\"a\">x</event>"}`, `["<event topic=\"a\">x</event>",` + "\n" + `"<event topic=\"a\">x</event>"]`}, nil},
		{"escaped", []string{`&lt;event topic="a"&gt;x&lt;/event&gt;`}, nil},
		{"the payload split over two blocks", []string{"<event topic=\"a\">one", "two</event>"}, []string{"a=one\ntwo"}},
		{"the tag split over two blocks", []string{"<event top", "ic=\"a\">x</event>"}, nil},
		{"nested: the inner one counts", []string{"<event topic=\"a\">\n<event topic=\"b\">x</event>\n</event>"}, []string{"b=x"}},
		{"never closed", []string{`<event topic="a">x`}, nil},
		{"never closed, then a whole one", []string{"<event topic=\"a\">x\nwords\n<event topic=\"b\">y</event>"}, []string{"b=y"}},
		{"code in a payload", []string{"<event topic=\"a\">\n```\n<event topic=\"b\">y\n```\n</event>"}, []string{"a=```\n<event topic=\"b\">y\n```"}},
		{"no topic", []string{`<event>x</event>`, `<event name="a">x</event>`, `<events topic="a">x</events>`, `<event topic=a>x</event>`}, nil},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, scanAll("", tt.blocks...), tt.name)
	}
}

// An intended tag that does not count is reported with the reason.
func TestScannerMisses(t *testing.T) {
	for text, want := range map[string]string{
		"```\n<event topic=\"a\">x</event>\n```":     "it is in fenced code",
		"`<event topic=\"a\">x</event>`":             "it is between backticks",
		"> <event topic=\"a\">x</event>":             "it is in a quote",
		"\"<event topic=\"a\">x</event>\"":           "it follows a quotation mark",
		"<event topic=a>x</event>":                   `it must begin with <event topic="TOPIC">`,
		"<event topic: a>x</event>":                  `it must begin with <event topic="TOPIC">`,
		"<event topic=\"a\">x":                       "</event> does not follow it",
		"<event topic=\"a\">x</event>":               "",
		"I shall write an <event> or <event …> soon": "",
		`{"text": "<event topic=\"a\">x</event>"}`:   "",
	} {
		s := NewScanner("")
		s.Text(text)
		why := ""
		for _, m := range s.Missed() {
			why += m.Why
			assert.Contains(t, text, m.Line)
		}
		assert.Equal(t, want, why, text)
	}
	s := NewScanner("")
	s.Text(strings.Repeat("<event topic=a>", 100_000))
	assert.Len(t, s.Missed(), maxMisses)
}

// The prompt may contain an example of a tag. An answer that repeats it publishes nothing.
func TestScannerLeavesTheQuotedPromptOut(t *testing.T) {
	prompt := "Do it.\nWhen it is good, write:\n<event topic=\"passed\">all well</event>\nelse\n<event topic=\"failed\">why</event>\n"
	assert.Nil(t, scanAll(prompt, prompt))
	assert.Nil(t, scanAll(prompt, "You said:\n"+prompt))
	assert.Equal(t, []string{"passed=all well"}, scanAll(prompt, "I looked at all of it.\n<event topic=\"passed\">all well</event>"))
	assert.Equal(t, []string{"passed=quite"}, scanAll(prompt, prompt+"\n<event topic=\"passed\">quite</event>"))
}

func TestScannerIsBounded(t *testing.T) {
	long := strings.Repeat("0123456789abcdef\n", 5<<20/17)
	s := NewScanner("")
	s.Text("<event topic=\"a\">é" + strings.Repeat("é", 5<<19) + "</event>")
	s.Text("<event topic=\"b\">" + long + "</event>")
	s.Text("<event topic=\"c\">" + long)
	s.Text(strings.Repeat("<event topic=\"d\">", 100_000))
	s.Text(strings.Repeat("<event topic=\"e\">\n", 100_000))
	s.Text(strings.Repeat("`<event topic=\"e\">", 100_000) + strings.Repeat("<event topic='", 100_000))
	s.Text(strings.Repeat("<event a=\"1\" ", 100_000) + strings.Repeat(" a='1'", 100_000))
	s.Text("<event topic=\"" + strings.Repeat("f", 5<<20) + "\">x</event>")
	found, _ := s.Found()
	if assert.Len(t, found, 3) {
		assert.Equal(t, "a", found[0].Topic)
		assert.Equal(t, strings.Repeat("é", MaxPayload/2), found[0].Payload)
		assert.True(t, found[0].Cut)
		assert.Equal(t, "b", found[1].Topic)
		assert.LessOrEqual(t, len(found[1].Payload), MaxPayload)
		assert.True(t, found[1].Cut)
		assert.False(t, valid(found[2].Topic), "no topic, and what is left of it is refused")
	}
	s = NewScanner("")
	s.Text(strings.Repeat("<event topic=\"a\">x</event>\n", maxPublished+7))
	found, more := s.Found()
	assert.Len(t, found, maxPublished)
	assert.Equal(t, 7, more)
}

// The result does not depend on how the text is split into blocks at its line ends.
func FuzzScanner(f *testing.F) {
	f.Add("words\n<event topic=\"a\">x\ny</event>\n```\n<event topic=\"b\">z</event>\n```\n", 2)
	f.Add("<event topic=\"a\"><event topic=\"b\">\n</event></event>", 1)
	f.Fuzz(func(t *testing.T, text string, at int) {
		whole := scanAll("", text)
		lines := strings.SplitAfter(text, "\n")
		at = min(max(at, 0), len(lines))
		assert.Equal(t, whole, scanAll("", strings.Join(lines[:at], ""), strings.Join(lines[at:], "")))
		for _, p := range whole {
			assert.LessOrEqual(t, len(p), 2*maxTopic+1+MaxPayload)
		}
		assert.Nil(t, scanAll(text, text), "an echo")
	})
}
