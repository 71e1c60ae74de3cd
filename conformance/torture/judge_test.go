//go:build linux

package torture

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// record is a line of `ripple exec --json`.
type record struct {
	Output      string `json:"output"`
	ExitCode    *int   `json:"exit_code"`
	Error       bool   `json:"error"`
	CompletedBy string `json:"completed_by"`
	OutOfBand   string `json:"out_of_band"`
	Failure     string `json:"failure"`
	Elsewhere   bool   `json:"prompt_elsewhere"`
}

// final reports whether no command can follow this one: the program has ended, or did not return
// from the command, which the record reports.
func (r record) final() bool {
	return r.CompletedBy == "exit" || r.CompletedBy == "timeout" || strings.Contains(r.Failure, "nobody can type")
}

func (r record) String() string {
	code := "null"
	if r.ExitCode != nil {
		code = strconv.Itoa(*r.ExitCode)
	}
	text := fmt.Sprintf("output %s, exit code %s, completed by %s", short(r.Output), code, r.CompletedBy)
	if r.OutOfBand != "" {
		text += ", out of band " + short(r.OutOfBand)
	}
	if r.Failure != "" {
		text += ", failure " + short(r.Failure)
	}
	return text
}

// ours matches text that only ripple prints: its own names, and markers that carry the session's
// nonce.
var ours = regexp.MustCompile(`__rp_|\.ripple-(integration|exec)|\x1b\]633;[^\a\x1b]*;[0-9a-f]{32}\a`)

// short quotes a text and leaves out the middle of a long one.
func short(s string) string {
	if len(s) > 400 {
		return fmt.Sprintf("%q … (%d bytes) … %q", s[:150], len(s), s[len(s)-150:])
	}
	return strconv.Quote(s)
}

// judge returns the differences of a record. Once a result may be unknown, it must be correct, or
// null with a reason; it must never be wrong. The end of the program is always known, and must be
// reported. If the prompt is redirected, the output is still known.
func (e Expect) judge(in program, r record, doubtful bool) []string {
	reasoned := r.Failure != "" && (r.ExitCode == nil || r.CompletedBy == "exit")
	unknown := doubtful || e.Unknown != ""
	if unknown && reasoned {
		return nil
	}
	var wrong []string
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if e.Output != nil && r.Output != *e.Output {
		complain("output should be %s", short(*e.Output))
	}
	if e.Match != "" && !regexp.MustCompile(e.Match).MatchString(r.Output) {
		complain("output should match %s", e.Match)
	}
	if e.OutOfBand != nil && r.OutOfBand != *e.OutOfBand {
		complain("out of band should be %s", short(*e.OutOfBand))
	}
	unseen := r.Elsewhere && r.ExitCode == nil && r.CompletedBy == "idle"
	if problem := e.judgeCode(in, r); problem != "" && !(unseen && unknown) {
		complain("%s", problem)
	}
	switch by := strings.Fields(e.CompletedBy); {
	case unseen && unknown:
	case len(by) == 0 && r.CompletedBy != "marker" && r.CompletedBy != "prompt":
		complain("completed by should be marker or prompt")
	case len(by) > 0 && !slices.Contains(by, r.CompletedBy):
		complain("completed by should be %s", e.CompletedBy)
	}
	if e.Failure == "" && r.Failure != "" {
		complain("nothing should have failed")
	}
	if !regexp.MustCompile(e.Failure).MatchString(r.Failure) {
		complain("failure should match %s", e.Failure)
	}
	return wrong
}

// judgeCode compares the exit code. A program without exit codes must report whether there was an
// error, unless it ended.
func (e Expect) judgeCode(in program, r record) string {
	var want *int
	if err := e.ExitCode.Decode(&want); err != nil {
		return err.Error()
	}
	if !in.ExitCodes && r.CompletedBy != "exit" {
		failed := want == nil || *want != 0
		if r.ExitCode != nil {
			return "exit code should be null: the program reports none"
		}
		if r.Error != failed {
			return fmt.Sprintf("error should be %v", failed)
		}
		return ""
	}
	switch {
	case want == nil && r.ExitCode != nil:
		return "exit code should be null"
	case want != nil && (r.ExitCode == nil || *r.ExitCode != *want):
		return fmt.Sprintf("exit code should be %d", *want)
	}
	return ""
}

// without removes a writer's lines from a text.
func (w *writer) without(text string) string {
	if w == nil {
		return text
	}
	return regexp.MustCompile(`(?m)`+w.Line+`\n`).ReplaceAllString(text, "")
}

// judge checks that each of the writer's lines arrived once and in order.
func (w *writer) judge(records []record) string {
	var all strings.Builder
	for _, r := range records {
		all.WriteString(r.OutOfBand)
		all.WriteString(r.Output)
	}
	found := regexp.MustCompile(w.Line).FindAllStringSubmatch(all.String(), -1)
	var lost, twice, turned int
	seen := map[int]bool{}
	last := 0
	for _, m := range found {
		n, err := strconv.Atoi(m[1])
		switch {
		case err != nil || n > w.Lines || n < 1:
			return fmt.Sprintf("the writer never wrote %q", m[0])
		case seen[n]:
			twice++
		case n < last:
			turned++
		}
		seen[n], last = true, n
	}
	lost = w.Lines - len(seen)
	if lost+twice+turned > 0 {
		return fmt.Sprintf("of the %d lines of the writer %d are lost, %d came twice, %d are out of order", w.Lines, lost, twice, turned)
	}
	return ""
}
