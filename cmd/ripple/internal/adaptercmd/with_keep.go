package adaptercmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/contract"
	"ripple/runtime/event"
	"ripple/runtime/launch"
	"ripple/runtime/loop"
	loopfiles "ripple/runtime/loop/layout"
	"ripple/schema"
)

// standing is an adapter with what its tests found.
type standing struct {
	text    []byte
	adapter *schema.Adapter
	report  *contract.Report
}

// usual is how many tests do not apply to a full adapter.
const usual = 6

// reaches says that all that applies passes, up to a level.
func (s *standing) reaches(level int) bool { return s.report.OK() && s.report.Level >= level }

// complete says that it does, and that no more tests than usual do not apply.
func (s *standing) complete(level int) bool {
	return s.reaches(level) && s.report.Count(contract.NotApplicable) <= usual
}

// keeper tests the adapter that an agent works on after each of its turns. The best one
// stands in the file that was asked for, at any moment: one that is worse never gets there.
type keeper struct {
	*helper
	stands  *standing // in the file; nil: no version yet that is worth it
	program string    // the path of what it starts
	reason  string    // why nothing was learnt; "": something was
	draft   string    // the file that the agent works on
	seen    []byte    // its text when it was tested last
	tested  *contract.Report
	verdict string
	idle    bool // the turn tested last added nothing
	worked  bool // the agent had a turn that did not fail
}

// testsOfTurn bounds the tests after a turn; what is left then is skipped, and no level
// counts that needs it.
const testsOfTurn = 5 * time.Minute

// around has each turn followed by the tests.
func (k *keeper) around(of loop.Agent, tell func(loop.Notice)) loop.Agent {
	return &testedAgent{k, of, tell}
}

// testedAgent is an agent whose every turn is tested.
type testedAgent struct {
	*keeper
	of   loop.Agent
	tell func(loop.Notice)
}

// Turn takes a turn of the agent and tests what it made of the adapter.
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
		return out, &loop.Stop{Reason: loop.ReasonError, Why: fmt.Sprintf("What the agent made is not kept: %v.", err), Err: err}
	}
	t.worked, t.idle = t.worked || !failed, t.idle && !failed
	t.tell(loop.Notice{Kind: loop.NoticeVerified, Turn: r.Turn, Text: t.verdict, OK: reached})
	return out, t.decide()
}

// unchanged says that the version is the one that was tested last.
func (k *keeper) unchanged() bool {
	text, err := loopfiles.ReadFile(k.draft)
	return err == nil && bytes.Equal(text, k.seen)
}

// decide ends the work where what stands is all that is wanted. Where more tests than usual
// do not apply to it, the agent goes on adding what the program can do, until it adds nothing.
func (k *keeper) decide() error {
	if k.stands == nil || !k.stands.complete(k.with.level) && !(k.idle && k.stands.reaches(k.with.level)) {
		return k.write(false)
	}
	return errors.Join(place(k.draft, k.stands.text), k.write(true))
}

// judge tests the agent's version and keeps it where it is better. It says whether it is
// all that is wanted.
func (k *keeper) judge(ctx context.Context) (reached bool, err error) {
	if err := k.untouched(); err != nil {
		return false, err
	}
	text, err := loopfiles.ReadFile(k.draft)
	if err != nil {
		k.verdict, k.seen, k.idle = fmt.Sprintf("%s cannot be read: %v", k.base(), reasonOf(err)), nil, false
		return false, nil
	}
	k.idle = bytes.Equal(text, k.seen)
	if k.idle && k.stands != nil && bytes.Equal(text, k.stands.text) {
		k.verdict = k.base() + " is unchanged"
		return k.stands.reaches(k.with.level), nil
	}
	k.seen = text
	ad, why := k.parse(text)
	if why != "" {
		return k.refuse(why)
	}
	bounded, cancel := context.WithTimeout(ctx, testsOfTurn)
	defer cancel()
	o := contract.Options{Require: true}
	if k.stands != nil {
		o.Like = k.stands.adapter
	}
	now := &standing{text: text, adapter: ad, report: contract.Run(bounded, ad, o)}
	if ctx.Err() != nil {
		return false, nil
	}
	k.tested = now.report
	summary := lastLine(reportText(now.report))
	if k.stands == nil && now.report.Level < 1 {
		return k.refuse(summary)
	}
	if worse := k.worse(now); worse != "" {
		return k.refuse(summary + ". " + worse)
	}
	k.verdict = summary + "; kept in " + k.file
	k.idle = k.stands != nil && now.report.Count(contract.Passed) <= k.stands.report.Count(contract.Passed)
	return now.reaches(k.with.level), k.replace(now)
}

// parse is the agent's version as it would stand in the file, or why it cannot.
func (k *keeper) parse(text []byte) (*schema.Adapter, string) {
	options := schema.Options{Scripts: k.AdapterSources().Scripts}.Beside(k.file)
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
		return nil, fmt.Sprintf("it is %s, a %s, and has to stay %s, a program with a prompt", ad.Name, ad.Family, k.name)
	}
	if program := ad.Process.Executable; strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		return nil, fmt.Sprintf("process.executable is %s, which is no file where the agent works: it needs the whole path, or a name that is in PATH", program)
	}
	path, err := launch.Locate(ad, launch.OSHost(), "")
	if err != nil {
		return nil, err.Error()
	}
	if k.program != "" && path != k.program {
		return nil, fmt.Sprintf("it starts %s, and has to start %s", path, k.program)
	}
	return ad, ""
}

// worse says why a version does not replace what stands; "": it is better.
func (k *keeper) worse(now *standing) string {
	if k.stands == nil {
		return ""
	}
	passed := func(r *contract.Report, name string) bool {
		return slices.ContainsFunc(r.Tests, func(t contract.TestResult) bool { return t.Name == name && t.Status == contract.Passed })
	}
	before := k.stands.report
	for _, t := range before.Tests {
		if t.Status == contract.Passed && !passed(now.report, t.Name) {
			return fmt.Sprintf("%q passed before", t.Name)
		}
	}
	for _, t := range now.report.Tests {
		if strings.HasSuffix(t.Name, " (as in "+k.stands.adapter.Source+")") {
			return strings.TrimSuffix(t.Name, " (as in "+k.stands.adapter.Source+")") + ": " + t.Failure.Message
		}
	}
	switch more := now.report.Count(contract.Passed) > before.Count(contract.Passed); {
	case now.report.Level < before.Level:
		return fmt.Sprintf("Level %d was reached before", before.Level)
	case now.report.Level == before.Level && !more && !now.reaches(k.with.level):
		return "No more passes than before"
	}
	return ""
}

// refuse leaves what stands as it is.
func (k *keeper) refuse(why string) (reached bool, err error) {
	if k.idle {
		why = k.base() + " is unchanged: " + why
	}
	if k.stands == nil {
		k.verdict = why + "; nothing is kept yet"
	} else {
		k.verdict = why + "; " + k.file + " stays as it was"
	}
	return false, nil
}

// replace puts a version where the best one stands, unless somebody else has written there.
func (k *keeper) replace(now *standing) error {
	kept := *now.adapter
	kept.Source = k.file // which is not where the agent works
	now.adapter = &kept
	if k.stands == nil {
		k.stands = now
		return errors.Join(writeNew(k.file, now.text), writeNew(k.evidenceFile(), k.evidence))
	}
	if err := k.untouched(); err != nil {
		return err
	}
	if err := ui.ReplaceFile(k.file, now.text); err != nil {
		return err
	}
	k.stands = now
	return nil
}

// untouched says that nobody else has written where the best version stands.
func (k *keeper) untouched() error {
	if k.stands == nil {
		return nil
	}
	there, err := os.ReadFile(k.file)
	if err == nil && !bytes.Equal(there, k.stands.text) {
		err = fmt.Errorf("%s was changed by somebody else meanwhile", k.file)
	}
	return err
}

// place writes a file that the agent may have made something else of.
func place(path string, text []byte) error {
	err := ui.ReplaceFile(path, text)
	if errors.Is(err, fs.ErrNotExist) {
		err = ui.CreateFile(path, text)
	}
	return err
}

func reasonOf(err error) error {
	if e, is := err.(*fs.PathError); is {
		return e.Err
	}
	return err
}

// reportText is a report as people read it.
func reportText(r *contract.Report) string {
	var b strings.Builder
	_ = contract.WriteText(&b, []*contract.Report{r}, contract.TextOptions{}) // a Builder takes all
	return strings.TrimRight(b.String(), "\n")
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }
