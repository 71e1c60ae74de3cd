package adaptercmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	loopfiles "example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/schema"
)

// testedAdapter is an adapter with its test results.
type testedAdapter struct {
	text    []byte
	adapter *schema.Adapter
	report  *contract.Report
}

// usual is the number of tests that do not apply to a full adapter.
const usual = 6

// reaches reports whether all applicable tests up to a level pass.
func (s *testedAdapter) reaches(level int) bool { return s.report.OK() && s.report.Level >= level }

// complete reports whether, in addition, no more tests than usual are not applicable.
func (s *testedAdapter) complete(level int) bool {
	return s.reaches(level) && s.report.Count(contract.NotApplicable) <= usual
}

// keeper tests the adapter after each turn of the agent. The requested file always contains the
// best version so far: a worse one never replaces it.
type keeper struct {
	*helper
	best    *testedAdapter // the version in the file; nil: no usable version yet
	program string         // path of the program that the adapter starts
	reason  string         // reason why nothing was learned; "" if something was
	draft   string         // the file that the agent edits
	seen    []byte         // its contents at the last test
	tested  *contract.Report
	verdict string
	idle    bool // the last tested turn added nothing
	worked  bool // at least one turn of the agent did not fail
}

// testsOfTurn is the time limit for the tests after a turn; the rest is skipped, and a level with
// skipped tests does not count.
const testsOfTurn = 5 * time.Minute

// around wraps an agent so that each turn is followed by the tests.
func (k *keeper) around(of loop.Agent, tell func(loop.Notice)) loop.Agent {
	return &testedAgent{k, of, tell}
}

// testedAgent is an agent whose turns are tested.
type testedAgent struct {
	*keeper
	of   loop.Agent
	tell func(loop.Notice)
}

// Turn runs a turn of the agent and tests the resulting adapter.
func (t *testedAgent) Turn(ctx context.Context, r loop.Request, emit func(event.Event)) (loop.Outcome, error) {
	out, err := t.of.Turn(ctx, r, emit)
	failed := out.Failure != nil
	if err != nil || ctx.Err() != nil || failed && t.unchanged() {
		return out, err
	}
	t.tell(loop.Notice{Kind: loop.NoticeVerifying, Turn: r.Turn, Text: t.check()})
	reached, err := t.judge(ctx)
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if err != nil {
		return out, &loop.Stop{Reason: loop.ReasonError, Message: fmt.Sprintf("The agent's version is not kept: %v.", err), Err: err}
	}
	t.worked, t.idle = t.worked || !failed, t.idle && !failed
	t.tell(loop.Notice{Kind: loop.NoticeVerified, Turn: r.Turn, Text: t.verdict, OK: reached})
	out.Prompt, err = t.decide()
	return out, err
}

// unchanged reports whether the version is the one tested last.
func (k *keeper) unchanged() bool {
	text, err := projectfile.In(k.dir, ".").Read(k.base(), projectfile.MaxText)
	return err == nil && bytes.Equal(text, k.seen)
}

// decide ends the loop if the best version reaches the goal. If more tests than usual are not
// applicable, the agent continues to add capabilities of the program until it adds nothing.
// It returns the task that it wrote.
func (k *keeper) decide() (task string, err error) {
	if k.best == nil || !k.best.complete(k.with.level) && !(k.idle && k.best.reaches(k.with.level)) {
		return k.write(false)
	}
	if err := k.place(k.base(), k.best.text); err != nil {
		return "", err
	}
	return k.write(true)
}

// judge tests the agent's version and keeps it if it is better. It reports whether the goal is
// reached.
func (k *keeper) judge(ctx context.Context) (reached bool, err error) {
	if err := k.untouched(); err != nil {
		return false, err
	}
	text, err := projectfile.In(k.dir, ".").Read(k.base(), projectfile.MaxText)
	if err != nil {
		k.verdict, k.seen, k.idle = fmt.Sprintf("%s cannot be read: %v", k.base(), reasonOf(err)), nil, false
		return false, nil
	}
	k.idle = bytes.Equal(text, k.seen)
	if k.idle && k.best != nil && bytes.Equal(text, k.best.text) {
		k.verdict = k.base() + " is unchanged"
		return k.best.reaches(k.with.level), nil
	}
	k.seen = text
	ad, why := k.parse(text)
	if why != "" {
		return k.refuse(why)
	}
	bounded, cancel := context.WithTimeout(ctx, testsOfTurn)
	defer cancel()
	o := contract.Options{RequireProgram: true}
	if k.best != nil {
		o.Baseline = k.best.adapter
	}
	now := &testedAdapter{text: text, adapter: ad, report: contract.Run(bounded, ad, o)}
	if ctx.Err() != nil {
		return false, nil
	}
	k.tested = now.report
	summary := lastLine(reportText(now.report))
	if k.best == nil && now.report.Level < 1 {
		return k.refuse(summary)
	}
	if worse := k.worse(now); worse != "" {
		return k.refuse(summary + ". " + worse)
	}
	k.verdict = summary + "; kept in " + k.file
	k.idle = k.best != nil && now.report.Count(contract.Passed) <= k.best.report.Count(contract.Passed)
	return now.reaches(k.with.level), k.replace(now)
}

// parse parses the agent's version as it would be in the file, or returns the reason why it is
// invalid.
func (k *keeper) parse(text []byte) (*schema.Adapter, string) {
	options := schema.Options{Scripts: k.AdapterSources().Scripts}.ForFile(k.file)
	ad, diagnostics := schema.Parse(k.base(), text, options)
	if ad == nil {
		var lines []string
		for _, d := range diagnostics {
			if d.Severity == schema.SeverityError && len(lines) < 5 {
				lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message))
			}
		}
		return nil, strings.Join(lines, "; ")
	}
	if ad.Name != k.name || ad.Family == schema.FamilyAgent {
		return nil, fmt.Sprintf("it is %s, a %s; it must remain %s, a program with a prompt", ad.Name, ad.Family, k.name)
	}
	if program := ad.Process.Executable; strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		return nil, fmt.Sprintf("process.executable is %s, which is not a file in the agent's directory: use an absolute path, or a name in PATH", program)
	}
	path, err := launch.Locate(ad, launch.OSHost(), "")
	if err != nil {
		return nil, err.Error()
	}
	if k.program != "" && path != k.program {
		return nil, fmt.Sprintf("it starts %s; it must start %s", path, k.program)
	}
	return ad, ""
}

// worse returns the reason why a version does not replace the best one; "" if it is better.
func (k *keeper) worse(now *testedAdapter) string {
	if k.best == nil {
		return ""
	}
	passed := func(r *contract.Report, name string) bool {
		return slices.ContainsFunc(r.Tests, func(t contract.TestResult) bool { return t.Name == name && t.Status == contract.Passed })
	}
	before := k.best.report
	for _, t := range before.Tests {
		if t.Status == contract.Passed && !passed(now.report, t.Name) {
			return fmt.Sprintf("%q passed before", t.Name)
		}
	}
	for _, t := range now.report.Tests {
		if strings.HasSuffix(t.Name, " (as in "+k.best.adapter.Source+")") {
			return strings.TrimSuffix(t.Name, " (as in "+k.best.adapter.Source+")") + ": " + t.Failure.Message
		}
	}
	switch more := now.report.Count(contract.Passed) > before.Count(contract.Passed); {
	case now.report.Level < before.Level:
		return fmt.Sprintf("Level %d was reached before", before.Level)
	case now.report.Level == before.Level && !more && !now.reaches(k.with.level):
		return "No more tests pass than before"
	}
	return ""
}

// refuse keeps the best version.
func (k *keeper) refuse(why string) (reached bool, err error) {
	if k.idle {
		why = k.base() + " is unchanged: " + why
	}
	if k.best == nil {
		k.verdict = why + "; nothing is kept yet"
	} else {
		k.verdict = why + "; " + k.file + " stays as it was"
	}
	return false, nil
}

// replace makes a version the best one, unless the file was changed by another program.
func (k *keeper) replace(now *testedAdapter) error {
	kept := *now.adapter
	kept.Source = k.file // not the directory in which the agent works
	now.adapter = &kept
	if k.best == nil {
		k.best = now
		return errors.Join(writeNew(k.file, now.text), writeNew(k.evidenceFile(), k.evidence))
	}
	if err := k.untouched(); err != nil {
		return err
	}
	if err := ui.ReplaceFile(k.file, now.text); err != nil {
		return err
	}
	k.best = now
	return nil
}

// untouched returns an error if another program has changed the file of the best version.
func (k *keeper) untouched() error {
	if k.best == nil {
		return nil
	}
	there, err := projectfile.Read(k.file, projectfile.MaxText)
	if err == nil && !bytes.Equal(there, k.best.text) {
		err = fmt.Errorf("%s was changed in the meantime", k.file)
	}
	return err
}

// place writes a file at a path that the agent may have replaced.
func (k *keeper) place(name string, text []byte) error {
	return projectfile.In(k.dir, ".").Write(name, loopfiles.TempMark, text)
}

func reasonOf(err error) error {
	if e, is := err.(*fs.PathError); is {
		return e.Err
	}
	return err
}

// reportText returns a report as text.
func reportText(r *contract.Report) string {
	var b strings.Builder
	_ = contract.WriteText(&b, []*contract.Report{r}, contract.TextOptions{}) // a strings.Builder never fails
	return strings.TrimRight(b.String(), "\n")
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }
