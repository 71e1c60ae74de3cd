package git

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/internal/projectfile"
)

// Git keeps what it has to continue in files and directories at the top of its directory: a merge, the commands of a rebase, changes
// that a commit applies at its end. An archive, or an agent in a box, may make some. The rule is that a name of git's
// namespace (capital letters, or one of stateDirs) needs approval, unless it is in harmless: git may use new names. Files
// and directories of other programs, such as lfs, are never read by git.

// stateNames matches the names that git gives to such files.
var stateNames = lazyregexp.New(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$`)

// messages matches the names of texts that are edited, also those of other programs.
var messages = lazyregexp.New(`_(?:EDITMSG|MSG)$`)

// harmless lists the names of gitrepository-layout(5), gitrevisions(7) and some other programs that no command of ripple obeys: the
// names of commits, and messages.
var harmless = []string{
	"HEAD", "ORIG_HEAD", "FETCH_HEAD", "REBASE_HEAD", "AUTO_MERGE", "MERGE_MODE", "EDIT_DESCRIPTION", "REPLACE_EDITOBJ",
	"GITGUI_BCK", "LAZYGIT_PENDING_COMMIT",
}

// operations are what somebody can begin in a repository and leave open, by the file or directory that git keeps of it. A commit
// would end it, or be taken for a part of it. The last word is the command.
var operations = map[string]string{
	"MERGE_HEAD":       "a merge",
	"CHERRY_PICK_HEAD": "a cherry-pick",
	"REVERT_HEAD":      "a revert",
	"rebase-merge":     "a rebase",
	"rebase-apply":     "a rebase",
	"sequencer":        "a series for git cherry-pick",
}

// obeyed are the names of further files by which a commit of git, or its user, goes on.
var obeyed = []string{"MERGE_AUTOSTASH", "MERGE_RR", "BISECT_LOG", "BISECT_START", "NOTES_MERGE_REF"}

// stateDirs lists the names of directories.
var stateDirs = []string{"rebase-merge", "rebase-apply", "sequencer"}

// families are the beginnings of names of which several belong to one operation, which changes them.
var families = map[string]string{
	"BISECT_":      "a search with git bisect is unfinished",
	"NOTES_MERGE_": "a merge of notes is unfinished",
}

// state is what git keeps in one place of an operation, or something of its namespace that ripple does not know.
type state struct {
	path      string
	operation string // of operations; "" if a commit does not become part of it
	does      string // for the user: the consequence
}

// String returns the state as a risk, see [Risks].
func (s state) String() string {
	return setting{file: s.path, key: "state", value: s.does}.String()
}

// statesIn returns the states in a git directory, that of one working tree. Errors: *projectfile.RefusedError.
func statesIn(dir string) (list []state, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, errUnexamined(dir, err)
	}
	for _, name := range namesOfStates(entries, func(name string) bool { return there(filepath.Join(dir, name)) }) {
		s, err := stateOf(dir, name)
		if err != nil {
			return nil, err
		}
		if s.does != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list, nil
}

// namesOfStates returns the names of states in a git directory with these entries. exists reports whether the system finds a file there
// by a name: it may have other names for one of the entries, as where case does not matter.
func namesOfStates(entries []fs.DirEntry, exists func(name string) bool) (names []string) {
	for _, e := range entries {
		name := e.Name()
		if (slices.Contains(stateDirs, name) || stateNames().MatchString(name)) && !slices.Contains(harmless, name) && !messages().MatchString(name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(operations)), obeyed) {
		if !slices.Contains(names, name) && exists(name) {
			names = append(names, name)
		}
	}
	return names
}

// stateOf returns the state with a name; its text is empty if git does nothing because of it.
func stateOf(dir, name string) (state, error) {
	s := state{path: filepath.Join(dir, name), operation: operations[name]}
	if s.operation != "" {
		if name == "rebase-apply" && there(filepath.Join(s.path, "applying")) {
			s.operation = "a series of patches for git am"
		}
		runs, err := execLines(filepath.Join(s.path, "git-rebase-todo"))
		s.does = s.operation + " is unfinished" + runs
		for _, file := range []string{"strategy", "strategy_opts", "gpg_sign_opt", "opts"} { // may name a program
			text, optionErr := shortText(filepath.Join(s.path, file))
			if err = cmp.Or(err, optionErr); text != "" {
				s.does += ", with " + file + " " + text
			}
		}
		return s, err
	}
	for begin, does := range families {
		if strings.HasPrefix(name, begin) {
			return state{path: filepath.Join(dir, begin+"*"), does: does}, nil
		}
	}
	text, err := shortText(s.path)
	switch {
	case err != nil:
		return s, err
	case name == "MERGE_AUTOSTASH":
		s.does = "after a commit, git applies these changes to the working tree: " + text
	case name != "MERGE_RR":
		s.does = "unknown to ripple: " + text
	case text != "": // git leaves an empty one
		s.does = "at a commit, git reads and may rewrite these files: " + text
	}
	return s, nil
}

// execLines returns the text about the commands of a list of a rebase that are programs, or "".
func execLines(file string) (text string, err error) {
	data, err := readState(file)
	var programs []string
	for line := range strings.Lines(data) {
		command, rest, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(line, "\t", " ")), " ")
		if command == "exec" || command == "x" {
			programs = append(programs, strings.TrimSpace(rest))
		}
	}
	if len(programs) > 0 {
		text = ", and runs when it is continued: " + shortened(strings.Join(programs, "; "))
	}
	return text, err
}

// readState returns the text of a file; "" if it is missing or not a regular one. A link is a risk of its own.
func readState(file string) (string, error) {
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return "", nil // git reports what it cannot read
	}
	data, err := projectfile.Read(file, maxSettings)
	if refused, is := errors.AsType[*projectfile.RefusedError](err); is {
		return "", refused
	}
	if err != nil && !gone(err) {
		return "", errUnexamined(file, err)
	}
	return string(data), nil
}

// maxState is how many bytes of a file are shown.
const maxState = 400

// shortText returns the text of a file, [shortened].
func shortText(file string) (string, error) {
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return "not a regular file", nil
	}
	text, err := readState(file)
	return shortened(strings.TrimSpace(text)), err
}

// shortened returns a text; of a long one, the beginning and a digest.
func shortened(text string) string {
	if len(text) > maxState {
		return fmt.Sprintf("%s… (SHA-256 %x)", text[:maxState], sha256.Sum256([]byte(text)))
	}
	return text
}

// states returns those of the working tree.
func (r *Repo) states(ctx context.Context) ([]state, error) {
	dir, err := dirOf(ctx, r.Top)
	if err != nil {
		return nil, err
	}
	return statesIn(dir)
}

// checkStates returns a *Conflict for the first state without an operation that is not in r.Accepted: a commit, or a rebase, would obey it.
func (r *Repo) checkStates(list []state) error {
	for _, s := range list {
		if s.operation == "" && r.notAccepted([]string{s.String()}) != "" {
			return &Conflict{
				"git keeps something in its directory that it may act on, and that nobody has approved: " + s.String(),
				"check it, and remove it if it is not yours; what is in the project, but not in the working tree of a loop, can be approved at the next start",
			}
		}
	}
	return nil
}

// Kept lists what git keeps in its directory to continue it, such as a merge, and that is not in r.Accepted: paths relative to the
// top of the working tree.
func (r *Repo) Kept(ctx context.Context) (names []string, err error) {
	list, err := r.states(ctx)
	for _, s := range list {
		if name, err := filepath.Rel(r.Top, s.path); err == nil && r.notAccepted([]string{s.String()}) != "" {
			names = append(names, filepath.ToSlash(name))
		}
	}
	return names, err
}

// Unfinished returns what is left open in the working tree, such as "a merge", and the command that continues or aborts
// it, such as "git merge"; both are empty if nothing is.
func (r *Repo) Unfinished(ctx context.Context) (what, command string, err error) {
	list, err := r.states(ctx)
	what, command = operationIn(list)
	return what, command, err
}

// operationIn is Unfinished for a list of states.
func operationIn(list []state) (what, command string) {
	i := slices.IndexFunc(list, func(s state) bool { return s.operation != "" })
	if i < 0 {
		return "", ""
	}
	what = list[i].operation
	return what, "git " + what[strings.LastIndexByte(what, ' ')+1:]
}

// underWay is nil when nothing is left open in the repository that a commit would end, or be taken for a part of, and nothing that
// git obeys at a commit and that nobody has approved.
func (r *Repo) underWay(ctx context.Context) error {
	list, err := r.states(ctx)
	if err != nil {
		return err
	}
	what, end := operationIn(list)
	if what == "" {
		return r.checkStates(list)
	}
	next := "end it with `" + end + " --continue` or `" + end + " --abort`"
	for _, s := range list {
		if s.operation == what && r.notAccepted([]string{s.String()}) != "" { // somebody else may have begun it
			next = "end it with `" + end + " --abort`, or with `" + end + " --continue` if you know what that does: " + s.does
		}
	}
	return &Conflict{what + " is unfinished in " + r.Top + ", and a commit would become part of it", next}
}

// Rebasing reports whether a rebase is unfinished in the working tree.
func (r *Repo) Rebasing(ctx context.Context) bool {
	dir, err := dirOf(ctx, r.Top)
	return err == nil && (there(filepath.Join(dir, "rebase-merge")) || there(filepath.Join(dir, "rebase-apply")))
}
