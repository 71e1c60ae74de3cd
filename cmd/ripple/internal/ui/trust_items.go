package ui

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"example.org/ripple/cmd/ripple/internal/trust"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/registry"
)

// Items returns all files of the project that run programs or select what is run. It runs nothing.
func (t *Trust) Items(project string) ([]trust.Item, error) {
	r, err := open(t.sources())
	if err != nil {
		return nil, err
	}
	ours, err := t.withoutProject()
	if err != nil {
		return nil, err
	}
	var items []trust.Item
	if why := r.LimitExceeded(); why != "" {
		items = append(items, trust.Item{Kind: trust.Adapter, Path: filepath.Join(project, ".ripple", "adapters"), Broken: why})
	}
	for _, e := range r.Project() {
		item := adapterItem(project, e)
		item.Runs = adapterRuns(e, ours)
		items = append(items, item)
	}
	items = append(items, t.SettingsItems(project, config.Files(project))...)
	items = append(items, LoopItems(project)...)
	git, _ := GitItems(project)
	items = append(items, git...)
	return append(items, t.RunItems(project)...), nil
}

// withoutProject returns the registry of embedded adapters and the user's.
func (t *Trust) withoutProject() (*registry.Registry, error) {
	sources := t.sources()
	sources.ProjectDir = ""
	return open(sources)
}

// usableItems removes items that cannot be used at all.
func usableItems(items []trust.Item) []trust.Item {
	return slices.DeleteFunc(slices.Clone(items), func(i trust.Item) bool { return i.Broken != "" })
}

// adapterItem returns the item of an adapter file, including its script.
func adapterItem(project string, e *registry.Entry) trust.Item {
	path := e.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(project, path)
	}
	above := filepath.Dir(filepath.Dir(filepath.Dir(path)))    // of .ripple/adapters
	if real, err := filepath.EvalSymlinks(above); err == nil { // like Project
		path = filepath.Join(real, strings.TrimPrefix(path, above))
	}
	if e.Adapter == nil {
		i := trust.Item{Kind: trust.Adapter, Path: path, Broken: "it does not load"}
		if len(e.Diagnostics) > 0 {
			i.Broken = e.Diagnostics[0].String()
		}
		return i
	}
	return trust.New(trust.Adapter, path, nil, e.Text, []byte(e.Adapter.Script))
}

// SettingsItems returns the items of settings files that run programs; files that only set limits
// are omitted.
func SettingsItems(files []config.File) (items []trust.Item) {
	for _, f := range files {
		path := settingsPath(f)
		switch {
		case f.Err != nil:
			items = append(items, trust.Item{Kind: trust.Settings, Path: path, Broken: f.Err.Error()})
		case len(f.Runs) > 0:
			items = append(items, trust.New(trust.Settings, path, f.Runs, f.Text))
		}
	}
	return items
}

// settingsPath returns the path of a settings file in a record.
func settingsPath(f config.File) string {
	if real, err := filepath.EvalSymlinks(filepath.Dir(f.Path)); err == nil { // like Project
		return filepath.Join(real, filepath.Base(f.Path))
	}
	return f.Path
}

// SettingsItems returns the items of all settings files of a project that need approval. These include each one that the user has
// approved and that is not among the files now, or only sets limits: what it asked for, such as a box, a check or a denial, is not
// taken away unasked.
func (t *Trust) SettingsItems(project string, files []config.File) []trust.Item {
	items := SettingsItems(files)
	record, _ := t.Agreed(project) // nothing is known to be approved if it cannot be read
	for _, known := range record.Items {
		if known.Kind != trust.Settings || known.IsWithdrawn() || slices.ContainsFunc(items, func(i trust.Item) bool { return i.Path == known.Path }) {
			continue
		}
		why, text := "was approved and is no longer found from here", []byte(nil)
		if at := slices.IndexFunc(files, func(f config.File) bool { return settingsPath(f) == known.Path }); at >= 0 {
			why, text = "was approved and only sets limits now", files[at].Text
		} else if !layout.There(known.Path) {
			why = "was approved and is gone"
		}
		items = append(items, known.Withdrawn(why, text))
	}
	return items
}

// GitItems returns the item of a repository that makes git run programs, or write files outside of it, if that of a
// project does, and its risks as [loop.Options] expects them.
func GitItems(project string) (items []trust.Item, risks []string) {
	top, risks, err := loop.GitRisks(context.Background(), project)
	if err != nil {
		return []trust.Item{{Kind: trust.Git, Path: filepath.Join(project, ".git"), Broken: err.Error()}}, nil
	}
	if len(risks) == 0 {
		return nil, nil
	}
	var runs []string
	for _, risk := range risks {
		runs = append(runs, "git uses "+risk)
	}
	return []trust.Item{trust.New(trust.Git, filepath.Join(top, ".git"), runs, []byte(strings.Join(risks, "\n")+"\n"))}, risks
}

// LoopItems returns the item of the directory of a loop's files, if it exists. A random mark in it
// identifies the directory that this user created or approved.
func LoopItems(project string) []trust.Item {
	dir := filepath.Join(project, layout.Dir)
	if !layout.There(dir) {
		return nil
	}
	item := trust.Item{Kind: trust.Loop, Path: dir, Runs: []string{"an agent follows the instructions in " + filepath.Join(layout.Dir, layout.PromptFile) + ", and continues from the state there"}}
	if mark := readMark(project); mark != nil {
		item.Sum = trust.Sum(mark)
	}
	return []trust.Item{item}
}

// markLine is a line of the file with the marks: each user of a shared project has one, after the
// user's ID. The mark is a rand.Text.
var markLine = lazyregexp.New(`^(-?\d+) ([A-Z2-7]{26})$`)

// maxMarks bounds the file with the marks: a project may bring one.
const maxMarks = 64

// readMark returns the mark of this user; nil: there is none.
func readMark(project string) []byte {
	text, err := layout.Read(project, layout.MarkFile)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if m := markLine().FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil && m[1] == strconv.Itoa(os.Getuid()) {
			return []byte(m[2])
		}
	}
	return nil
}

// marked writes a new mark of this user into the loop's directory, and returns its item.
func marked(project string) (trust.Item, error) {
	mark, user := rand.Text(), strconv.Itoa(os.Getuid())
	lines := []string{user + " " + mark}
	text, _ := layout.Read(project, layout.MarkFile) // one that cannot be read is replaced
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if m := markLine().FindStringSubmatch(line); m != nil && m[1] != user && len(lines) < maxMarks {
			lines = append(lines, line)
		}
	}
	if err := journal.NewStore(project, nil).Write(layout.MarkFile, []byte(strings.Join(lines, "\n")+"\n")); err != nil {
		return trust.Item{}, FailWith(ExitFailed, err, "")
	}
	item := LoopItems(project)[0]
	item.Sum = trust.Sum([]byte(mark))
	return item, nil
}

// ClaimLoop creates the directory of a loop's files like Claim, ignored by git.
func (t *Trust) ClaimLoop(project string) error {
	made, err := t.Claim(project)
	if err == nil && made {
		err = journal.NewStore(project, nil).Write(layout.IgnoreFile, []byte(layout.Ignore))
	}
	return err
}

// OwnDirectoryHint is the advice for a project that the user cannot write.
const OwnDirectoryHint = "change to a directory of your own: ripple keeps a loop's files in the current directory"

// WritableHint is the advice for a project on a file system that nobody can write.
const WritableHint = "make the file system writable, or work in a copy on another one"

// WriteHint returns the advice for an error of writing: WritableHint if the file system is read-only, else other.
func WriteHint(err error, other string) string {
	if errors.Is(err, syscall.EROFS) {
		return WritableHint
	}
	return other
}

// Claim creates the directory of a loop's files if it does not exist, and records that this user
// did. An existing one keeps its owner.
func (t *Trust) Claim(project string) (made bool, err error) {
	if project, err = filepath.Abs(project); err == nil { // like Project: a record is looked up by this path
		project, err = filepath.EvalSymlinks(project)
	}
	if err != nil {
		return false, FailWith(ExitFailed, err, "")
	}
	homes := t.Homes()[project]
	err = os.Mkdir(filepath.Join(project, layout.Dir), 0o777)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, FailWith(ExitFailed, err, WriteHint(err, OwnDirectoryHint))
	}
	item, err := marked(project)
	if err == nil {
		items := []trust.Item{item}
		if len(homes) == 0 { // the directory is a project only now, and has brought no home
			items = append(items, t.Homes()[project]...)
		}
		t.own(project, items...)
	}
	return true, err
}

// OwnSettings approves a settings file with the text that ripple wrote. Another program may have replaced it already. No file of
// a command that an agent started replaces what the user has approved.
func (t *Trust) OwnSettings(project, path string, text []byte) {
	record, _ := t.Agreed(project) // own reports the error
	items := slices.DeleteFunc(usableItems(SettingsItems(config.Files(project))), func(i trust.Item) bool {
		_, known := record.Changes(i)
		return place(project, i.Path) != path || i.Sum != trust.Sum(text) || known && t.Origin() != nil
	})
	if len(items) > 0 {
		t.own(project, items...)
	}
}
