package adaptercmd

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/contract"
	loopfiles "ripple/runtime/loop/layout"
	"ripple/schema"
)

// taskTemplate is what the agent is told in each turn.
//
//go:embed task.md.tmpl
var taskTemplate string

// prepare writes what the agent works with: the adapter, the evidence, the schema, the task.
func (k *keeper) prepare(begin []byte, ad *schema.Adapter) error {
	k.seen = begin
	if k.stands != nil {
		k.tested = k.stands.report
	}
	return errors.Join(
		k.writeEvidence(),
		k.writeScript(ad),
		os.WriteFile(k.draft, begin, 0o600),
		os.WriteFile(filepath.Join(k.dir, "adapter.schema.json"), schema.JSON(), 0o600),
		os.Mkdir(filepath.Join(k.dir, loopfiles.Dir), 0o700),
		k.write(false),
	)
}

// writeEvidence puts what the experiments showed, if there were any, beside the draft.
func (k *keeper) writeEvidence() (err error) {
	evidence := k.evidence
	if evidence == nil {
		evidence, err = os.ReadFile(k.evidenceFile())
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return errors.Join(err, os.WriteFile(filepath.Join(k.dir, k.evidenceName()), evidence, 0o600))
}

// writeScript puts the script of an adapter, where it has a file of its own, beside the draft.
func (k *keeper) writeScript(ad *schema.Adapter) error {
	if ad.Init.ScriptResource == "" {
		return nil
	}
	path := filepath.Join(k.dir, filepath.FromSlash(ad.Init.ScriptResource))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(ad.Script), 0o600)
}

// write writes the task as things stand now. A plan that is ticked off is what ends the
// loop, once what is claimed is verified.
func (k *keeper) write(reached bool) error {
	box := " "
	if reached {
		box = "x"
	}
	text, err := k.words()
	if err != nil {
		return err
	}
	return errors.Join(
		place(filepath.Join(k.dir, loopfiles.Dir, loopfiles.PromptFile), []byte(text)),
		place(filepath.Join(k.dir, loopfiles.Dir, loopfiles.PlanFile), fmt.Appendf(nil, "- [%s] %s (ripple ticks this)\n", box, k.goal())),
	)
}

// goal is what there is to do.
func (k *keeper) goal() string {
	if k.stands != nil && k.stands.reaches(k.with.level) {
		return k.base() + " says what else the program can do"
	}
	return fmt.Sprintf("%s reaches level %d", k.base(), k.with.level)
}

// maxReport bounds what the task tells of the tests, in bytes.
const maxReport = 12_000

func (k *keeper) words() (string, error) {
	report := "no test was run yet"
	if k.tested != nil {
		report = shortenedReport(reportText(k.tested))
	}
	evidence := ""
	if isFile(filepath.Join(k.dir, k.evidenceName())) {
		evidence = k.evidenceName()
	}
	kept, err := filepath.Abs(k.file)
	if err != nil {
		return "", err
	}
	more := ""
	if k.stands != nil && k.stands.reaches(k.with.level) {
		more = fmt.Sprint(k.stands.report.Count(contract.NotApplicable))
	}
	return ui.Fill(taskTemplate, map[string]string{
		"more": more, "command": k.command, "file": k.base(), "reason": k.reason, "check": k.check(), "level": fmt.Sprint(k.with.level), "kept": kept,
		"verdict": k.verdict, "report": report, "program": k.program, "evidence": evidence, "ripple": self(),
	})
}

// shortenedReport keeps the beginning and the summary of a report that is too long for a task.
func shortenedReport(text string) string {
	if len(text) <= maxReport {
		return text
	}
	head := text[:maxReport]
	return head[:strings.LastIndexByte(head, '\n')+1] + "…\n" + lastLine(text)
}

// check is the command that says whether the work is done, as it is run where the agent works.
func (p probed) check() string {
	words := []string{self(), "adapter test", ui.ShellQuote(p.base()), "--require", fmt.Sprintf("--level %d", p.with.level)}
	if kept, err := filepath.Abs(p.file); err == nil && isFile(kept) {
		words = append(words, "--like", ui.ShellQuote(kept))
	}
	return strings.Join(words, " ")
}

// self is this program in a command line: by its name where that leads to it.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return "ripple"
	}
	if found, err := exec.LookPath("ripple"); err == nil && sameFile(found, path) {
		return "ripple"
	}
	return ui.ShellQuote(path)
}

func sameFile(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}
