package ui

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/ripple/cmd/ripple/internal/trust"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/runtime/registry"
)

// TrustVariable names the environment variable for projects without a decision: always uses their
// files; never uses none, not even approved ones. Otherwise a user is asked.
const TrustVariable = "RIPPLE_TRUST"

const trustAlways, trustNever = "always", "never"

// Trust asks for, stores and looks up the user's decisions about the files of projects.
type Trust struct {
	getenv func(string) string
	in     io.Reader
	err    io.Writer
	note   func(format string, args ...any)

	flag      trustFlag
	neverAsks bool // nobody is asked
	origin    func() *Origin
	told      sync.Map // paths of the project's adapters that have been reported
}

// trustFlag is the flag --trust of several commands.
type trustFlag struct {
	given bool
	of    []*pflag.FlagSet // the one that has been parsed belongs to the running command
}

// Flag adds --trust to a command that may run files of a project.
func (t *Trust) Flag(cmd *cobra.Command) {
	t.flag.of = append(t.flag.of, cmd.Flags())
	cmd.Flags().BoolFunc("trust", "approve what this project would run, for this command only", func(value string) (err error) {
		t.flag.given, err = strconv.ParseBool(value)
		return err
	})
}

// Given reports whether --trust was given, and counts.
func (t *Trust) Given() bool { return t.flag.given && !t.byAgent() }

// Origin returns the origin of this command; nil if there is none.
func (t *Trust) Origin() *Origin { return t.origin() }

// mode returns always, never, or empty, from the command line and the environment.
func (t *Trust) mode() string {
	mode := t.getenv(TrustVariable)
	switch {
	case t.flag.given && !t.byAgent():
		return trustAlways
	case mode == trustAlways && t.byAgent():
		return ""
	}
	return mode
}

// byAgent reports whether the approval of everything, by --trust or RIPPLE_TRUST, was not the user's: it
// comes from a process that a loop or an agent started, and was not set when all of these began. Where the
// environment with which they began is unknown, RIPPLE_TRUST counts as the user's.
func (t *Trust) byAgent() bool {
	o := t.Origin()
	if o == nil || o.hadValue(TrustVariable, trustAlways) {
		return false
	}
	return t.flag.given || proctree.Complete
}

// Store returns the store of this user's decisions.
func (t *Trust) Store() (*trust.Store, error) { return trust.StoreOf(t.getenv) }

// Agreed returns the user's approvals in a project; none if unknown. It reports, once, those that do not count.
func (t *Trust) Agreed(project string) (trust.Record, error) {
	store, err := t.Store()
	if err != nil {
		return trust.Record{Project: project}, err
	}
	record, err := store.Load(project)
	if record.Ignored != "" {
		t.reportOnce(record.Ignored, "the approvals in "+Quote(record.Ignored)+" do not count: they were copied, as with an archive, an image or a backup, or are those of an older ripple")
	}
	return record, err
}

// Trusts reports whether an adapter of the current project may be used.
func (t *Trust) Trusts(e *registry.Entry) bool {
	project, err := Project()
	return err == nil && t.Approved(adapterItem(project, e))
}

// Approved reports whether items of the current project may be used. It asks nobody.
func (t *Trust) Approved(items ...trust.Item) bool {
	if t.mode() == trustAlways {
		return true
	}
	project, err := Project()
	if err != nil {
		return false
	}
	record, _ := t.usable(project) // empty if it cannot be read
	return len(record.Missing(items)) == 0
}

// usable is Agreed without the approvals that do not count with RIPPLE_TRUST=never.
func (t *Trust) usable(project string) (trust.Record, error) {
	record, err := t.Agreed(project)
	if t.mode() == trustNever {
		record.Items = slices.DeleteFunc(record.Items, func(i trust.Item) bool {
			return i.Kind == trust.Adapter || i.Kind == trust.Settings || i.Kind == trust.Git || i.Kind == trust.Home
		})
	}
	return record, err
}

// Project returns the working directory without symbolic links, because a record belongs to a
// place.
func Project() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// Agree ensures that the user has approved items of the current project. On a terminal the user is
// asked about all items of the project; without one they are listed, and it is an error.
func (t *Trust) Agree(need []trust.Item) error {
	switch mode := t.mode(); mode {
	case trustAlways:
		return nil
	case "", trustNever:
	default:
		return UsageError("set it to always or never, or unset it", "%s must be always or never, not %q", TrustVariable, mode)
	}
	project, err := Project()
	if err != nil {
		return FailWith(ExitFailed, err, "")
	}
	record, err := t.usable(project)
	missing := record.Missing(need)
	if len(missing) == 0 {
		return nil
	}
	if err != nil {
		return FailWith(ExitUsage, err, "")
	}
	if t.mode() == trustNever || !t.canAsk() {
		if all, err := t.Items(project); err == nil && len(record.Missing(all)) > 0 {
			missing = record.Missing(all) // what ripple trust approves
		}
		ShowItems(t.err, record, missing)
		why := "this project would run commands that have not been approved"
		if !slices.ContainsFunc(missing, func(i trust.Item) bool { return !i.IsWithdrawn() }) {
			why = "approved settings of this project no longer apply"
		}
		return FailWith(ExitUsage, errors.New(why), howToAgree(t))
	}
	all, err := t.Items(project)
	if err != nil {
		return err
	}
	if yes, err := t.ask(record, all); err != nil || !yes {
		return errors.Join(err, FailWith(ExitUsage, errors.New("not approved: nothing was run"), ""))
	}
	if record, err = t.Record(record, all); err != nil {
		return err
	}
	files := slices.DeleteFunc(slices.Clone(need), func(i trust.Item) bool { return i.Kind == trust.Loop }) // which has a new mark
	if still := record.Missing(files); len(still) > 0 {                                                     // the files shown differ from those read before
		return FailWith(ExitUsage, fmt.Errorf("%s changed while you were asked: nothing was run", place(project, still[0].Path)), "to see it again: ripple trust --show")
	}
	return nil
}

// CheckLoop returns an error if there is a directory of a loop's files in a project that this user neither made nor approved. It asks
// nobody.
func (t *Trust) CheckLoop(project string) error {
	if t.mode() == trustAlways {
		return nil
	}
	project, err := filepath.EvalSymlinks(project) // like Project
	if err != nil {
		return FailWith(ExitFailed, err, "")
	}
	record, err := t.usable(project)
	if len(record.Missing(LoopItems(project))) == 0 {
		return nil
	}
	return errors.Join(err, fmt.Errorf("%s has not been approved: an agent would follow the instructions in it\nin %s:\n%s",
		filepath.Join(project, layout.Dir), project, howToAgree(t)))
}

// howToAgree returns the hint that names the commands for approval.
func howToAgree(t *Trust) string {
	lines := "to see all of it: ripple trust --show\nto approve it: ripple trust"
	switch o := t.Origin(); {
	case o != nil:
		return fmt.Sprintf("to see all of it: ripple trust --show\nonly a user can approve it, in a terminal that no loop and no agent has started; this command comes from %s", o)
	case t.mode() == trustNever:
		return "to see all of it: ripple trust --show\nto be able to approve it: unset " + TrustVariable + ", which is \"never\""
	}
	if i := slices.IndexFunc(t.flag.of, (*pflag.FlagSet).Parsed); i >= 0 {
		lines += "\nto approve it for this command only: " + cmp.Or(trustedRun(t.flag.of[i]), "add --trust to it")
	}
	return lines
}

// trustedRun returns the command that begins or continues a loop, with its flags and --trust; "" if the flags are not those of
// such a command, or the command has more than one line.
func trustedRun(flags *pflag.FlagSet) string {
	resumes, err := flags.GetBool("resume")
	if err != nil {
		return ""
	}
	words := "ripple run "
	if resumes {
		words += "--resume "
	}
	flags.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch {
			case f.Name == "resume":
			case f.Value.Type() == "bool" && v == "true":
				words += "--" + f.Name + " "
			default:
				words += "--" + f.Name + "=" + quote.Shell(Harmless(v)) + " "
			}
		}
	})
	if strings.Contains(words, "\n") {
		return ""
	}
	return words + "--trust"
}

// canAsk reports whether the user can be asked: standard input and error are terminals, and no
// agent runs this command.
func (t *Trust) canAsk() bool {
	return !t.neverAsks && IsTerminal(t.in) && IsTerminal(t.err) && t.Origin() == nil
}

// NeverAsk ends all questions: a user who answers on the terminal of a server would not know which client's request it is about.
func (t *Trust) NeverAsk() { t.neverAsks = true }

// ask shows the new items and asks. Only an explicit yes approves.
func (t *Trust) ask(record trust.Record, all []trust.Item) (bool, error) {
	missing := record.Missing(all)
	ShowItems(t.err, record, missing)
	return t.confirmed(fmt.Sprintf("trust this project, with %s above?", Count(len(usableItems(missing)), "item"))), nil
}

// confirmed reads the answer to a question. Only an explicit yes approves.
func (t *Trust) confirmed(question string) bool {
	fmt.Fprintf(t.err, "ripple: %s [y/N] ", question)
	answer, err := bufio.NewReaderSize(oneByte{t.in}, 16).ReadString('\n')
	if err != nil && answer == "" {
		fmt.Fprintln(t.err)
		return false // end of input
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}

// Confirm asks the user if a terminal is available; asked reports whether it is.
func (t *Trust) Confirm(question string) (yes, asked bool) {
	if !t.canAsk() {
		return false, false
	}
	return t.confirmed(Harmless(question)), true
}

// oneByte reads single bytes, because the input after the answer belongs to the program.
type oneByte struct {
	from interface{ Read([]byte) (int, error) }
}

func (r oneByte) Read(b []byte) (int, error) { return r.from.Read(b[:min(len(b), 1)]) }

// Ask asks the user about items if a terminal is available; asked reports whether it is.
func (t *Trust) Ask(record trust.Record, all []trust.Item) (yes, asked bool, err error) {
	if !t.canAsk() {
		return false, false, nil
	}
	yes, err = t.ask(record, all)
	return yes, true, err
}

// Record stores the approval of items and returns the updated record.
func (t *Trust) Record(record trust.Record, items []trust.Item) (trust.Record, error) {
	for _, i := range usableItems(items) {
		if i.Kind == trust.Loop && !record.Has(i) {
			if _, through := owner.ThroughSudo(record.Project, t.getenv); through {
				continue // the mark would be root's, and root runs no loop there
			}
			var err error
			if i, err = marked(record.Project); err != nil {
				return record, err
			}
		}
		record.Put(i)
	}
	return record, t.save(record)
}

func (t *Trust) save(record trust.Record) error {
	store, err := t.Store()
	if err != nil {
		return FailWith(ExitUsage, err, "")
	}
	record.Agreed = time.Now().Round(0).UTC()
	if err := store.Save(record); err != nil {
		return FailWith(ExitFailed, fmt.Errorf("your decision cannot be written: %w", err), "")
	}
	return nil
}

// own approves files that ripple itself wrote on behalf of the user.
func (t *Trust) own(project string, items ...trust.Item) {
	record, err := t.Agreed(project)
	if err == nil {
		record.Put(items...)
		err = t.save(record)
	}
	if err != nil {
		t.note("%v: you will be asked whether you trust this project", err)
	}
}

// reportUnused reports, once, that a name refers to another adapter than the project's.
func (t *Trust) reportUnused(name string, e *registry.Entry) {
	dir, _ := os.Getwd() // on an error the path stays absolute
	why := "it has not been approved (to see it: ripple trust --show)"
	if e.Adapter == nil {
		why = "it does not load (to see why: ripple adapter lint " + Quote(place(dir, e.Path)) + ")"
	}
	t.reportOnce(e.Path, fmt.Sprintf("this project's own %s, %s, is not used: %s", name, place(dir, e.Path), why))
}

func (t *Trust) reportOnce(path, text string) {
	if _, before := t.told.LoadOrStore(path, true); !before {
		t.note("%s", text)
	}
}

// reportProject reports, once, that an adapter belongs to the project.
func (t *Trust) reportProject(e *registry.Entry) {
	if e.Origin != registry.OriginProject {
		return
	}
	dir, _ := os.Getwd() // on an error the path stays absolute
	t.reportOnce(e.Path, fmt.Sprintf("%s is this project's adapter: %s", e.Name, place(dir, e.Path)))
}
