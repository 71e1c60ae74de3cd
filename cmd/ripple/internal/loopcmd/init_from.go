package loopcmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"syscall"
	"unicode/utf8"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/loop/record"
)

// wanted is the content of a document: the tasks of a plan, and their context.
type wanted struct {
	name   string   // of the document
	tasks  []string // items of a Markdown list, with their boxes
	text   string   // for the prompt
	closed int      // number of closed issues, which are left out
	issues bool
}

// maxWanted is the maximum size of the document: it is part of the prompt of every turn.
const maxWanted = 1 << 20

// readWanted reads a document, "-" for standard input: Markdown, or issues as printed by `gh
// issue list --json number,title,body,state`.
func (a *starter) readWanted(path string) (w wanted, err error) {
	in, name := a.In, "standard input"
	if path != "-" {
		name = filepath.Base(path)
		f, err := projectfile.OpenNamed(path)
		if errors.Is(err, syscall.EISDIR) {
			return w, errNotFile(name)
		}
		if err != nil {
			return w, ui.FailWith(ui.ExitUsage, err, "give --from the name of a file, or - for standard input")
		}
		defer f.Close() // opened for reading only
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxWanted+1))
	switch {
	case errors.Is(err, syscall.EISDIR):
		return w, errNotFile(name)
	case err != nil:
		return w, ui.FailWith(ui.ExitFailed, fmt.Errorf("%s: %w", name, err), "--from needs a file that can be read")
	case len(data) > maxWanted:
		return w, ui.UsageError("use only the part for this loop: the prompt of every turn contains all of it", "%s is larger than 1 MB", name)
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return w, ui.UsageError("--from takes Markdown, or a JSON list of issues", "%s is not UTF-8 text", name)
	}
	text := strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n"))
	if text == "" {
		return w, ui.UsageError("", "%s is empty", name)
	}
	if json.Valid([]byte(text)) || beginsJSON().MatchString(text) || strings.EqualFold(filepath.Ext(name), ".json") {
		return wantedIssues(name, text)
	}
	return wanted{name: name, tasks: markdownTasks(text), text: text}, nil
}

func errNotFile(name string) error {
	return ui.UsageError("give --from the name of a file, or - for standard input", "%s is a directory", name)
}

// beginsJSON matches the start of JSON but not of Markdown; a list of boxes may begin with "[".
var beginsJSON = lazyregexp.New(`^(\{|\[\s*\{)`)

// issue is an element of `gh issue list --json`; other keys are ignored.
type issue struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	State  string `json:"state"`
}

func wantedIssues(name, text string) (w wanted, err error) {
	var list []issue
	if text[0] == '{' {
		text = "[" + text + "]" // output of gh issue view
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return w, ui.UsageError("to print the expected format: gh issue list --json number,title,body,state", "%s: %s", name, jsonPlace(text, err))
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Number < list[j].Number })
	w = wanted{name: name, issues: true}
	var b strings.Builder
	for i, one := range list {
		title := strings.Join(strings.Fields(one.Title), " ")
		switch {
		case title == "":
			return w, ui.UsageError("to print the expected format: gh issue list --json number,title,body,state", "%s: issue %d of %d has no title", name, i+1, len(list))
		case strings.EqualFold(one.State, "closed"):
			w.closed++
			continue
		case one.Number > 0:
			title = fmt.Sprintf("#%d %s", one.Number, title)
		}
		w.tasks = append(w.tasks, "- [ ] "+record.PlainTask(title))
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", title, cmp.Or(strings.TrimSpace(strings.ReplaceAll(one.Body, "\r\n", "\n")), "(The issue has no description.)"))
	}
	if w.text = strings.TrimSpace(b.String()); len(w.tasks) == 0 {
		return w, ui.UsageError("", "%s has no open issue", name)
	}
	return w, nil
}

// jsonPlace describes the position and the reason of a JSON error in a text.
func jsonPlace(text string, err error) string {
	at, why := int64(-1), err.Error()
	if s, is := errors.AsType[*json.SyntaxError](err); is {
		at = s.Offset
	} else if t, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		at = t.Offset
		why = fmt.Sprintf("%s must be %s, not a %s", cmp.Or(t.Field[strings.LastIndex(t.Field, ".")+1:], "an issue"), jsonKind(t.Type), t.Value)
	}
	if at < 0 || at > int64(len(text)) {
		return why
	}
	return fmt.Sprintf("line %d: %s", 1+strings.Count(text[:at], "\n"), why)
}

func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

var (
	topItem  = lazyregexp.New(`^(?:[-*+]|\d+[.)])\s+(\S.*)$`)
	titled   = lazyregexp.New(`^(#{1,6})\s+(.*?)\s*#*$`)
	ofTasks  = lazyregexp.New(`(?i)\b(tasks?|to-?dos?|requirements?|features?|user stor(y|ies)|stories|milestones?|steps?|deliverables?|acceptance criteria|scope|must haves?)\b`)
	ofNoTask = lazyregexp.New(`(?i)\b(overview|introduction|background|summary|context|motivation|glossary|references?|appendix|risks?|open questions|non-?goals|out of scope|goals?|objectives?|metrics|audience|personas?|timeline|history|contents)\b`)
)

// markdownTasks finds the tasks of a document: its boxes; else the items of lists under headings
// that announce tasks; else the sections themselves; else the document as a whole.
func markdownTasks(text string) (tasks []string) {
	var boxes, items, sections []string
	title, wants := "", false
	for _, line := range record.PlanLines(text) {
		line = strings.TrimRight(line, " \t")
		if t, ok := record.ParseTask(line); ok && t.Text != "" {
			boxes = append(boxes, t.Indent+"- "+map[bool]string{false: "[ ] ", true: "[x] "}[t.Done]+record.PlainTask(t.Text))
		} else if m := titled().FindStringSubmatch(line); m != nil {
			title = cmp.Or(title, m[2])
			wants = ofTasks().MatchString(m[2]) && !regexp.MustCompile(`(?i)\bout of scope|non-`).MatchString(m[2])
			if len(m[1]) > 1 && !ofNoTask().MatchString(m[2]) && !wants {
				sections = append(sections, "- [ ] "+record.PlainTask(m[2]))
			}
		} else if m := topItem().FindStringSubmatch(line); m != nil && wants {
			items = append(items, "- [ ] "+record.PlainTask(m[1]))
		}
	}
	for _, list := range [][]string{boxes, items, sections} {
		if len(list) > 0 {
			return list
		}
	}
	return []string{"- [ ] " + record.PlainTask(cmp.Or(title, "Do what .ralph/PROMPT.md asks for"))}
}

// prompt returns the task with the document, followed by the instructions for every answer.
func (w wanted) prompt() string {
	const end = "# At the end of every answer"
	what := "# What is wanted (" + w.name + ")\n\n" + w.text + "\n\n"
	return strings.Replace(initPrompt, end, what+end, 1)
}

func (w wanted) plan() string { return "# Plan\n\n" + strings.Join(w.tasks, "\n") + "\n" }
