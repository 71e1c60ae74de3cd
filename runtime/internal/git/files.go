package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/projectfile"
)

// Git opens whatever has the name of one of its files, and reads all of it: from a pipe that nobody
// writes to, it waits forever. A repository from an archive, or one in which an agent works, may
// have such a file. checkFiles looks at those that nearly every command reads, before git starts;
// waiting looks at all others, once git takes long.

const (
	maxFile   = 64 << 20 // bytes of a file of lines, such as config
	maxTable  = 1 << 30  // of a file with an entry for each file, branch or object
	maxStores = 16       // directories of objects from which a repository borrows, counted as often as they are named
	maxLinks  = 5        // from HEAD to a branch, and from one store of objects to the next
	maxInner  = 500      // directories in which submodules are looked for

	maxSettings = 1 << 20 // bytes of a file of settings that is searched for names of files
	maxIncluded = 100     // files of settings that another one includes
	maxNamed    = 1000    // names of files in one
)

// Files that git reads in the directory of a repository, and in that of a working tree.
var (
	ofRepository = []string{
		"config", "packed-refs", "shallow", "info/exclude", "info/attributes", "info/grafts",
	}
	ofTree = []string{"index", "config.worktree", "commondir", "gitdir", "info/sparse-checkout"}
	inTree = []string{".gitignore", ".gitattributes"} // git follows no link there
)

// checkFiles returns a *projectfile.RefusedError for a file that git would read in its directories, which gitDirs has returned, and
// that is not a regular file, or too large. program is git. It opens only files that it has examined. When ctx ends, it
// stops, and git is not started with that ctx.
func checkFiles(ctx context.Context, program string, dirs []string) error {
	for _, d := range dirs {
		if err := checkGitDir(ctx, program, d); err != nil {
			return err
		}
	}
	return nil
}

// gitDirs examines a directory and those above it, as git does, up to the one with the repository.
// It returns the directories in which git keeps its files, and the top of the working tree; both
// are empty outside of a repository.
func gitDirs(dir string) (dirs []string, top string, err error) {
	if dir, err = filepath.Abs(dir); err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, "", nil // git reports it
	}
	if env := os.Getenv("GIT_DIR"); env != "" {
		if !filepath.IsAbs(env) {
			env = filepath.Join(dir, env)
		}
		if info, err := os.Stat(env); err == nil && info.Mode().IsRegular() {
			if env, err = firstLine(env, "gitdir: ", filepath.Dir(env)); err != nil || env == "" {
				return nil, "", err
			}
		}
		return withCommon(env, dir)
	}
	for at := dir; ; at = filepath.Dir(at) {
		gitDir, err := gitDirIn(at)
		if err != nil {
			return nil, "", err
		}
		if gitDir != "" {
			if err := checkTree(dir, at); err != nil {
				return nil, "", err
			}
			return withCommon(gitDir, at)
		}
		if at == filepath.Dir(at) {
			return nil, "", nil
		}
	}
}

// gitDirIn returns where git keeps the files of the working tree with this top, or "" if the
// directory is not a top.
func gitDirIn(dir string) (string, error) {
	at := filepath.Join(dir, ".git")
	switch info, err := os.Stat(at); {
	case err == nil && info.IsDir():
		if err := check(filepath.Join(at, "HEAD"), os.Lstat); err != nil || isRepositoryDir(at) {
			return at, err
		}
	case err == nil && info.Mode().IsRegular():
		return firstLine(at, "gitdir: ", dir)
	}
	// Git tries whether the directory itself is a bare repository.
	return "", check(filepath.Join(dir, "HEAD"), os.Lstat)
}

// isRepositoryDir reports whether git takes a directory .git for a repository.
func isRepositoryDir(dir string) bool {
	if os.Getenv("GIT_OBJECT_DIRECTORY") != "" || os.Getenv("GIT_COMMON_DIR") != "" { // objects and refs may be anywhere
		return projectfile.IsGitHead(filepath.Join(dir, "HEAD"))
	}
	common, err := firstLine(filepath.Join(dir, "commondir"), "", dir)
	return err != nil || projectfile.IsGitDir(dir, cmp.Or(common, dir)) // an error is reported by withCommon
}

// checkTree examines the files that git reads in a directory of a working tree and in those above
// it.
func checkTree(dir, top string) error {
	if err := check(filepath.Join(top, ".gitmodules"), os.Stat); err != nil {
		return err
	}
	for at := dir; ; at = filepath.Dir(at) {
		for _, name := range inTree {
			if err := check(filepath.Join(at, name), os.Lstat); err != nil {
				return err
			}
		}
		if at == top {
			return nil
		}
	}
}

// withCommon adds the directory that a linked working tree shares with others.
func withCommon(gitDir, top string) (dirs []string, _ string, err error) {
	common, err := firstLine(filepath.Join(gitDir, "commondir"), "", gitDir)
	real, evalErr := filepath.EvalSymlinks(gitDir)
	if err != nil || common == "" || filepath.Clean(common) == filepath.Clean(gitDir) || evalErr == nil && common == real {
		return []string{gitDir}, top, err
	}
	return []string{gitDir, common}, top, nil
}

// firstLine is [projectfile.GitPath] for a file that is examined first. A path that exists is returned with its links resolved, because
// git resolves ".." after links. Errors: *projectfile.RefusedError.
func firstLine(file, prefix, base string) (string, error) {
	if err := check(file, os.Stat); err != nil {
		return "", err
	}
	path, err := projectfile.GitPath(file, prefix, base)
	if err != nil || path == "" || base == "" {
		return path, err
	}
	if _, err := os.Stat(path); err != nil {
		return filepath.Clean(path), nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", errUnexamined(path, err)
	}
	return real, nil
}

// errUnexamined is the error for files of a git directory that cannot be examined.
func errUnexamined(path string, err error) error {
	return &projectfile.RefusedError{Path: path, Why: "cannot be examined, and git may write there (" + err.Error() + ")", Do: "make a new clone of the repository"}
}

// checkGitDir examines the files in a git directory, in those of its submodules, and in the
// stores of objects that it borrows from.
func checkGitDir(ctx context.Context, program, dir string) error {
	if err := checkNames(ctx, program, dir); err != nil {
		return err
	}
	if _, err := stores(filepath.Join(dir, "objects"), maxLinks); err != nil {
		return err
	}
	inner := filepath.Join(dir, "modules") // a submodule's name may have slashes
	for left, list := maxInner, []string{inner}; len(list) > 0 && left > 0 && ctx.Err() == nil; left-- {
		at := list[0]
		list = list[1:]
		if at != inner && there(filepath.Join(at, "HEAD")) {
			if err := checkNames(ctx, program, at); err != nil {
				return err
			}
			at = filepath.Join(at, "modules")
		}
		entries, _ := os.ReadDir(at) // none, mostly
		for _, e := range entries {
			if e.IsDir() {
				list = append(list, filepath.Join(at, e.Name()))
			}
		}
	}
	return nil
}

// checkNames examines the files that nearly every command reads, and the branch of HEAD.
func checkNames(ctx context.Context, program, dir string) error {
	head := filepath.Join(dir, "HEAD")
	if err := check(head, os.Lstat); err != nil { // git reads where a link leads, and nothing there
		return err
	}
	for _, names := range [][]string{ofRepository, ofTree} {
		for _, name := range names {
			if err := check(filepath.Join(dir, name), os.Stat); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{"config", "config.worktree"} {
		if err := checkNamedFiles(ctx, program, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for range maxLinks { // a branch may refer to another
		ref, err := firstLine(head, "ref: ", "")
		if err != nil || !filepath.IsLocal(ref) {
			return err
		}
		head = filepath.Join(dir, ref)
	}
	return nil
}

// checkNamedFiles examines the files that a file of settings names, and those that it includes.
func checkNamedFiles(ctx context.Context, program, config string) error {
	seen := map[string]bool{config: true}
	for list := []string{config}; len(list) > 0 && len(seen) <= maxIncluded && ctx.Err() == nil; list = list[1:] {
		text, err := projectfile.Read(list[0], maxSettings)
		if refused, large := errors.AsType[*projectfile.RefusedError](err); large {
			return refused
		}
		if err != nil {
			continue // there is none; git reports anything else
		}
		dir := strings.TrimSuffix(list[0], string(filepath.Separator)+filepath.Base(list[0]))
		for _, s := range namedFiles(ctx, program, text) {
			for _, path := range s.places(dir) {
				err := check(path, os.Stat)
				if refused, ok := errors.AsType[*projectfile.RefusedError](err); ok {
					if real, err := filepath.EvalSymlinks(path); err == nil && path != filepath.Clean(path) {
						refused.Path = real // without ".."
					}
					return &projectfile.RefusedError{Path: refused.Path, Why: refused.Why + " (" + s.key + " in " + list[0] + " names it)", Do: "change that setting"}
				}
				if s.included && !seen[path] {
					seen[path] = true
					list = append(list, path)
				}
			}
		}
	}
	return nil
}

// namedFile is a setting whose value is the path of a file that git reads.
type namedFile struct {
	key, path string
	included  bool // as settings
}

// places returns the paths that a setting in a file of dir may mean: an included file is looked for
// beside that file, others in the working tree, whose directory with git's files this may be. The
// directory that %(prefix) means, git's own, belongs to no project. The paths are not cleaned: a part may be a link.
func (s namedFile) places(dir string) []string {
	const sep = string(filepath.Separator)
	if rest, ofUser := strings.CutPrefix(s.path, "~"); ofUser {
		name, path, _ := strings.Cut(rest, "/")
		if home, err := homeOf(name); err == nil {
			return []string{home + sep + path}
		}
	}
	switch {
	case filepath.IsAbs(s.path):
		return []string{s.path}
	case s.included:
		return []string{dir + sep + s.path}
	}
	return []string{dir + sep + s.path, filepath.Dir(dir) + sep + s.path}
}

// homeOf returns the home of a user; "" is the one who runs ripple.
func homeOf(name string) (string, error) {
	if name == "" {
		return owner.Home(os.Getenv)
	}
	u, err := user.Lookup(name)
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}

// fileSetting is a setting whose value is the path of a file that git reads.
type fileSetting struct {
	section, name string // in lower case, as git lists them
	included      bool   // the file has settings, too
}

var fileSettings = []fileSetting{
	{"include", "path", true},
	{"includeif", "path", true}, // with a condition between section and name
	{"core", "excludesfile", false},
	{"core", "attributesfile", false},
	{"commit", "template", false},
	{"blame", "ignorerevsfile", false},
	{"diff", "orderfile", false},
	{"user", "signingkey", false}, // with gpg.format=ssh
}

// mayBeIn reports whether a text of settings, in lower case, may contain the setting: git allows no
// blank within its names.
func (s fileSetting) mayBeIn(text []byte) bool {
	return bytes.Contains(text, []byte("["+s.section)) && bytes.Contains(text, []byte(s.name))
}

// has reports whether a key is that of the setting.
func (s fileSetting) has(key string) bool {
	rest, is := strings.CutPrefix(key, s.section+".")
	condition, ends := strings.CutSuffix(rest, s.name)
	return is && ends && (condition == "" || s.section == "includeif" && strings.HasSuffix(condition, "."))
}

// namedFiles returns the files that a text of settings names, at most maxNamed.
func namedFiles(ctx context.Context, program string, text []byte) (list []namedFile) {
	lower := bytes.ToLower(text)
	if !slices.ContainsFunc(fileSettings, func(s fileSetting) bool { return s.mayBeIn(lower) }) {
		return nil // as in most files: they need no process
	}
	for entry := range strings.SplitSeq(settings(ctx, program, text), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		i := slices.IndexFunc(fileSettings, func(s fileSetting) bool { return s.has(key) })
		if i >= 0 && value != "" && len(list) < maxNamed {
			list = append(list, namedFile{key: key, path: value, included: fileSettings[i].included})
		}
	}
	return list
}

// stores returns a directory of objects, and those from which it borrows, as deep as git follows their lists. It
// examines the files that nearly every command reads there.
func stores(objects string, left int) (list []string, err error) {
	for _, name := range []string{"info/alternates", "info/commit-graph", "pack/multi-pack-index"} {
		if err := check(filepath.Join(objects, name), os.Stat); err != nil {
			return nil, err
		}
	}
	list = []string{objects}
	text, err := projectfile.Read(filepath.Join(objects, "info", "alternates"), 1<<20)
	if _, refused := errors.AsType[*projectfile.RefusedError](err); refused {
		return nil, err
	}
	if err != nil || left == 0 {
		return list, nil // it has none
	}
	if bytes.HasPrefix(text, []byte(`"`)) || bytes.Contains(text, []byte("\n\"")) || bytes.ContainsRune(text, 0) {
		return nil, &projectfile.RefusedError{Path: filepath.Join(objects, "info", "alternates"), Why: "has a quoted path or a NUL byte", Do: "write the path without quotes, or make a new clone of the repository"}
	}
	for path := range strings.SplitSeq(string(text), "\n") {
		if path == "" || strings.HasPrefix(path, "#") {
			continue
		}
		path, err := storeAt(objects, path)
		if err != nil {
			return nil, err
		}
		more, err := stores(path, left-1)
		if err != nil {
			return nil, err
		}
		if list = append(list, more...); len(list) > maxStores {
			return nil, &projectfile.RefusedError{Path: objects, Why: fmt.Sprintf("borrows objects from more than %d directories", maxStores), Do: "remove some of its info/alternates"}
		}
	}
	return list, nil
}

// storeAt returns the path without links of a directory of objects that the list of another one names. Git before 2.39 removed ".."
// with the name before it, and newer versions follow a link there. Errors: *projectfile.RefusedError if that makes a difference, or if
// ripple cannot resolve the path, while git may.
func storeAt(objects, path string) (string, error) {
	list := filepath.Join(objects, "info", "alternates")
	if !filepath.IsAbs(path) {
		base, err := filepath.EvalSymlinks(objects)
		if err != nil {
			return "", errUnexamined(objects, err)
		}
		path = base + string(filepath.Separator) + path // not cleaned: a part may be a link
	}
	resolve := func(path string) (string, error) {
		real, err := filepath.EvalSymlinks(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return filepath.Clean(path), nil
		case err != nil:
			return "", &projectfile.RefusedError{Path: list, Why: "names a directory that cannot be examined (" + err.Error() + ")", Do: "remove it, or make a new clone of the repository"}
		}
		return real, nil
	}
	newer, err := resolve(path)
	if err != nil {
		return "", err
	}
	older, err := resolve(filepath.Clean(path))
	if err == nil && older != newer {
		err = &projectfile.RefusedError{Path: list, Why: "has .. after a symbolic link", Do: "write the path without links, or make a new clone of the repository"}
	}
	return newer, err
}

// check returns the error for a file that git cannot read to its end. stat is os.Lstat if git does
// not follow a link there.
func check(path string, stat func(string) (fs.FileInfo, error)) error {
	info, err := stat(path)
	if err != nil {
		return nil // there is none; git reports anything else
	}
	limit := int64(maxFile)
	switch filepath.Base(path) {
	case "index", "packed-refs", "commit-graph", "multi-pack-index":
		limit = maxTable
	case "config", "config.worktree":
		limit = maxSettings
	}
	const do = "remove it, or get the file from another clone"
	switch mode := info.Mode(); {
	case mode&fs.ModeDevice != 0 && isNull(info): // a sandbox covers files with it
		return nil
	case mode.IsRegular() && info.Size() > limit:
		return &projectfile.RefusedError{Path: path, Why: fmt.Sprintf("has %d MB, and git would read all of it", info.Size()>>20), Do: do}
	case mode&fs.ModeNamedPipe != 0:
		return &projectfile.RefusedError{Path: path, Why: "is a pipe, and git would wait until somebody writes to it", Do: do}
	case mode&fs.ModeSocket != 0:
		return &projectfile.RefusedError{Path: path, Why: "is a socket, and git expects a file", Do: do}
	case mode&fs.ModeDevice != 0:
		return &projectfile.RefusedError{Path: path, Why: "is a device, and git would read it without end", Do: do}
	}
	return nil
}

// isNull reports whether a file is the device that is always empty. In a container it may be the host's.
func isNull(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && sameDevice(info, null)
}

// patience is how long a command of git may take before ripple looks for a file that it waits for.
const patience = time.Second

// clockTick is more than the time that passes between two ticks of the clock that stamps files.
const clockTick = 20 * time.Millisecond

// waiting waits until a command takes longer than patience, and then calls end with the error for
// a pipe or a device that git may be reading, if there is one. Hooks make pipes for themselves: for a
// command that runs hooks, before is when it began, and newer files are ignored; otherwise it is zero.
func waiting(ctx context.Context, top string, before time.Time, end func(error)) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return
	case <-timer.C:
	}
	if err := anyBlocking(ctx, top, before); err != nil {
		end(err)
	}
}

// anyBlocking looks at every file in the directories of git, and at those files of the working
// tree that git reads in each directory; unless before is zero, only at those last written before
// that time. It ends with ctx.
func anyBlocking(ctx context.Context, dir string, before time.Time) error {
	dirs, top, err := gitDirs(dir)
	if err != nil || top == "" {
		return err
	}
	places := append(slices.Clone(dirs), top)
	for _, d := range dirs {
		list, err := stores(filepath.Join(d, "objects"), maxLinks)
		if err != nil {
			return err
		}
		places = append(places, list[1:]...)
	}
	for _, place := range places {
		err := filepath.WalkDir(place, func(path string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil || d.Type()&(fs.ModeNamedPipe|fs.ModeDevice) == 0 || place == top && !reads(path) {
				return nil // what cannot be read holds up nobody
			}
			if info, err := d.Info(); err != nil || !before.IsZero() && !info.ModTime().Before(before) {
				return nil
			}
			return check(path, os.Lstat)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reads reports whether git reads a file of this name in any directory of a working tree.
func reads(path string) bool {
	switch filepath.Base(path) {
	case ".gitignore", ".gitattributes", ".gitmodules", ".git", "HEAD":
		return true
	}
	return strings.Contains(filepath.ToSlash(path), "/.git/") // of a repository in the project
}
