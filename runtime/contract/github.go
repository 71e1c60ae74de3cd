package contract

import (
	"io"
	"strconv"
	"strings"
)

// WriteGitHub writes the text report for the log of a GitHub workflow and, for each test that
// failed or could not run, an annotation at its position in the adapter's file
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions). While the text
// is written the workflow's runner accepts no commands, since it contains output of programs under
// test; token ends that state, so it must consist of letters and digits that no program can guess.
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
		if !t.unsuccessful() {
			continue
		}
		a := annotation{file: r.File, line: t.Line, column: t.Column, title: r.Adapter + ": " + roundName(t), text: t.Failure.short()}
		if f := t.Failure; f.Line > 0 {
			a.line, a.column = f.Line, f.Column
		}
		p.annotate("error", a)
	}
}

// short returns a failure without the bytes and the timeline, which the log contains.
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
	line, column int // 0: unknown
	title, text  string
}

// These are the escapes of GitHub's own toolkit (actions/toolkit, packages/core/src/command.ts).
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
