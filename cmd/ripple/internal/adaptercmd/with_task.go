package adaptercmd

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	loopfiles "example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/schema"
)

// taskTemplate is the prompt of each turn.
//
//go:embed task.md.tmpl
var taskTemplate string

// prepare writes the agent's working files: the adapter, the evidence, the schema, the task.
func (k *keeper) prepare(begin []byte, ad *schema.Adapter) error {
	k.seen = begin
	if k.best != nil {
		k.tested = k.best.report
	}
	err := errors.Join(
		k.writeEvidence(),
		k.writeScript(ad),
		os.WriteFile(k.draft, begin, 0o600),
		os.WriteFile(filepath.Join(k.dir, "adapter.schema.json"), schema.AdapterJSON(), 0o600),
		os.Mkdir(filepath.Join(k.dir, loopfiles.Dir), 0o700),
	)
	if err != nil {
		return err
	}
	_, err = k.write(false)
	return err
}

// writeEvidence writes the evidence, if there is any, next to the draft.
func (k *keeper) writeEvidence() (err error) {
	evidence := k.evidence
	if evidence == nil {
		evidence, err = projectfile.ReadNamed(k.evidenceFile(), projectfile.MaxText)
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return os.WriteFile(filepath.Join(k.dir, k.evidenceName()), evidence, 0o600)
}

// writeScript writes the script of an adapter, if it has a separate file, next to the draft.
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

// write writes the current task and returns it. A plan with all items ticked ends the loop, once
// its claim is verified.
func (k *keeper) write(reached bool) (task string, err error) {
	box := " "
	if reached {
		box = "x"
	}
	text, err := k.words()
	if err != nil {
		return "", err
	}
	return text, errors.Join(
		k.place(path.Join(loopfiles.Dir, loopfiles.PromptFile), []byte(text)),
		k.place(path.Join(loopfiles.Dir, loopfiles.PlanFile), fmt.Appendf(nil, "- [%s] %s (ripple ticks this)\n", box, k.goal())),
	)
}

// goal describes the goal.
func (k *keeper) goal() string {
	if k.best != nil && k.best.reaches(k.with.level) {
		return k.base() + " declares what else the program can do"
	}
	return fmt.Sprintf("%s reaches level %d", k.base(), k.with.level)
}

// maxReport is the maximum length of the test report in the task, in bytes.
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
	if k.best != nil && k.best.reaches(k.with.level) {
		more = fmt.Sprint(k.best.report.Count(contract.NotApplicable))
	}
	return ui.Fill(taskTemplate, map[string]string{
		"more": more, "command": k.command, "file": k.base(), "reason": k.reason, "check": k.check(), "level": fmt.Sprint(k.with.level), "kept": kept,
		"verdict": k.verdict, "report": report, "program": k.program, "evidence": evidence, "ripple": self(),
	})
}

// shortenedReport returns the beginning and the summary of a report that is too long for a task.
func shortenedReport(text string) string {
	if len(text) <= maxReport {
		return text
	}
	head := text[:maxReport]
	return head[:strings.LastIndexByte(head, '\n')+1] + "…\n" + lastLine(text)
}

// check returns the command that checks whether the goal is reached, to be run in the agent's
// directory.
func (p probed) check() string {
	words := []string{self(), "adapter test", quote.Shell(p.base()), "--require", fmt.Sprintf("--level %d", p.with.level)}
	if kept, err := filepath.Abs(p.file); err == nil && isFile(kept) {
		words = append(words, "--like", quote.Shell(kept))
	}
	return strings.Join(words, " ")
}

// self returns this program as a word of a command line: its name if PATH leads to it.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return "ripple"
	}
	if found, err := exec.LookPath("ripple"); err == nil && sameFile(found, path) {
		return "ripple"
	}
	return quote.Shell(path)
}

func sameFile(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}
