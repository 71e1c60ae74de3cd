package contract

import (
	"io"
	"strconv"
	"strings"
)

// WriteGitHub writes the text report for the log of a GitHub workflow, and for each
// test that is not what it should be an annotation at its place in the adapter's file
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
// While the text is written the workflow's runner takes no commands, since programs
// under test print into it; token ends that time, so it must be one that none of them
// can know: letters and digits.
func WriteGitHub(w io.Writer, reports []*Report, token string) error {
	if len(reports) == 0 {
		return nil
	}
	p := &textWriter{w: w}
	p.line("::stop-commands::%s", token)
	for _, r := range reports {
		p.report(r)
	}
	p.line("::%s::", token)
	for _, r := range reports {
		p.annotations(r)
	}
	return p.err
}

func (p *textWriter) annotations(r *Report) {
	switch {
	case r.absent():
		p.annotate("error", annotation{file: r.File, title: r.Adapter, text: r.Skipped})
	case r.Skipped != "":
		p.annotate("notice", annotation{file: r.File, title: r.Adapter + " is skipped", text: r.Skipped})
	}
	for _, t := range r.Tests {
		if !t.unwell() {
			continue
		}
		a := annotation{file: r.File, line: t.Line, column: t.Column, title: r.Adapter + ": " + roundName(t), text: t.Failure.short()}
		if f := t.Failure; f.Line > 0 {
			a.line, a.column = f.Line, f.Column
		}
		p.annotate("error", a)
	}
}

// short is a failure without the bytes and the timeline, which the log has.
func (f *Failure) short() string {
	var b strings.Builder
	b.WriteString(f.Message)
	for _, x := range f.parts() {
		if x.label == "sent" || x.label == "pattern" || x.label == "output" {
			b.WriteString("\n" + x.label + ": " + strings.ReplaceAll(x.text, "\n", "\n  "))
		}
	}
	return b.String()
}

type annotation struct {
	file         string
	line, column int // 0: not known
	title, text  string
}

// The escapes of GitHub's own toolkit (actions/toolkit, packages/core/src/command.ts).
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func (p *textWriter) annotate(level string, a annotation) {
	var properties []string
	add := func(key, value string) {
		if value != "" && value != "0" {
			properties = append(properties, key+"="+commandProperty.Replace(value))
		}
	}
	add("file", a.file)
	add("line", strconv.Itoa(a.line))
	add("col", strconv.Itoa(a.column))
	add("title", a.title)
	p.line("::%s %s::%s", level, strings.Join(properties, ","), commandData.Replace(a.text))
}
