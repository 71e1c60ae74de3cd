package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// A repository from an archive, or one in which an agent works, may make git write files outside of it: git follows
// symbolic links in its directory, for example when it appends to a log in logs/ or writes a message, and a file .git or commondir names the
// directory of a repository anywhere. A list of other directories with objects makes git show what another repository has.
// Users make such links and files, too, so they can be approved.

// outside returns what makes git write, or read objects, outside of the repository with these settings, see [Risks].
func (r repository) outside(ctx context.Context, all []setting) (list []string, err error) {
	dirs, top, err := gitDirs(r.dir)
	if err != nil || top == "" {
		return nil, err
	}
	real := make([]string, len(dirs))
	for i, dir := range dirs {
		if real[i], err = filepath.EvalSymlinks(dir); err != nil {
			return nil, errUnexamined(dir, err)
		}
	}
	gitDir, common := real[0], real[len(real)-1]
	if belongs, err := r.belongs(ctx, all, gitDir, top); err != nil {
		return nil, err
	} else if !belongs {
		list = append(list, setting{file: filepath.Join(top, ".git"), key: "gitdir", value: gitDir}.String())
	}
	if common != gitDir && common != filepath.Dir(filepath.Dir(gitDir)) {
		list = append(list, setting{file: filepath.Join(gitDir, "commondir"), key: "commondir", value: common}.String())
	}
	places := slices.Compact([]string{common, gitDir})
	for _, place := range places {
		if list, err = appendLinks(ctx, list, place, places); err != nil {
			return nil, err
		}
	}
	for _, place := range places {
		borrowed, err := stores(filepath.Join(place, "objects"), maxLinks)
		if err != nil {
			return nil, err
		}
		for _, from := range borrowed[1:] {
			if !inAny(places, from) {
				list = append(list, setting{file: filepath.Join(place, "objects", "info", "alternates"), key: "alternate", value: from}.String())
			}
		}
	}
	if slices.ContainsFunc(all, func(s setting) bool { return promises().MatchString(s.key) }) {
		if list, err = appendRemotes(list, places); err != nil {
			return nil, err
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// appendRemotes appends the files of git directories that name the server of a partial clone if its settings do not.
func appendRemotes(list, places []string) ([]string, error) {
	for _, place := range places {
		for _, name := range []string{"remotes", "branches"} {
			files, _ := os.ReadDir(filepath.Join(place, name)) // if it cannot be read, git reads no file in it
			for _, f := range files {
				path := filepath.Join(place, name, f.Name())
				text, err := projectfile.Read(path, 1<<20)
				if refused, is := errors.AsType[*projectfile.RefusedError](err); is {
					return nil, refused
				}
				if err == nil {
					list = append(list, setting{file: path, key: "remote", value: string(text)}.String())
				}
			}
		}
	}
	return list, nil
}

// belongs reports whether the repository in gitDir is one of the working tree with this top: it is inside, it is that of
// a linked working tree and names this one, or it is a submodule's. Errors: *projectfile.RefusedError if git takes
// another directory for the working tree.
func (r repository) belongs(ctx context.Context, all []setting, gitDir, top string) (bool, error) {
	if os.Getenv("GIT_DIR") != "" { // the user has chosen it
		return true, nil
	}
	elsewhere := slices.ContainsFunc(all, func(s setting) bool { return s.key == "core.worktree" && s.own() })
	if elsewhere {
		out, err := r.ask(ctx, gitRevParse, "--show-toplevel")
		if err != nil {
			return true, nil // git uses no such repository, and says why
		}
		if err := checkTop(gitDir, top, strings.TrimSuffix(out, "\n")); err != nil {
			return false, err
		}
	}
	if inAny([]string{top}, gitDir) {
		return true, nil
	}
	back, err := firstLine(filepath.Join(gitDir, "gitdir"), "", gitDir)
	if err != nil {
		return false, err
	}
	if named, err := filepath.EvalSymlinks(filepath.Dir(back)); back != "" && err == nil {
		return filepath.Join(named, filepath.Base(back)) == filepath.Join(top, ".git"), nil
	}
	return elsewhere, nil // with that setting, git takes top for the working tree
}

// checkTop returns a *projectfile.RefusedError for the repository in gitDir if git takes another directory for the working
// tree than the one with the file .git: it would change files there.
func checkTop(gitDir, top, used string) error {
	if samePath(top, used) || os.Getenv("GIT_DIR") != "" || os.Getenv("GIT_WORK_TREE") != "" {
		return nil
	}
	return &projectfile.RefusedError{Path: gitDir, Why: "is a repository whose files are in " + used + " instead of " + top, Do: "remove its setting core.worktree"}
}

// appendLinks appends the symbolic links in a git directory. Git makes none, except an old HEAD, but writes through those that it
// finds, also into its own settings. Those of git-annex are not in the way of any file of git. It skips the directory hooks, in
// which git writes nothing.
func appendLinks(ctx context.Context, list []string, dir string, places []string) ([]string, error) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			return nil // it was removed
		case err != nil:
			return errUnexamined(path, err)
		case d.IsDir() && path == filepath.Join(dir, "hooks"):
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink == 0 || isOldHead(dir, path):
			return nil
		}
		target, resolved := targetOf(path)
		if annex := resolved && inAny(places, target) && inAny(annexes(dir, path), path); !annex {
			list = append(list, setting{file: path, key: "link", value: target}.String())
		}
		return nil
	})
	return list, err
}

// isOldHead reports whether a link is the HEAD of a git directory and leads to a branch, as git itself made it once.
func isOldHead(dir, link string) bool {
	to, err := os.Readlink(link)
	return err == nil && link == filepath.Join(dir, "HEAD") && strings.HasPrefix(to, "refs/heads/") && filepath.IsLocal(to) && filepath.Clean(to) == to
}

// annexes returns where git-annex has its files, in a git directory and in that of a linked working tree in which a path may be.
func annexes(dir, path string) []string {
	list := []string{filepath.Join(dir, "annex")}
	trees := filepath.Join(dir, "worktrees")
	if rel, err := filepath.Rel(trees, path); err == nil && filepath.IsLocal(rel) {
		name, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		list = append(list, filepath.Join(trees, name, "annex"))
	}
	return list
}

// targetOf returns the path of the file that a process writes through a symbolic link. The file need not exist. If resolved is
// false, the path is that of the link's text, because its directory does not exist, or cannot be resolved by ripple: the kernel may
// still find a file there, as if a path without links is too long.
func targetOf(link string) (path string, resolved bool) {
	for left := maxLinks; ; left-- {
		real, err := filepath.EvalSymlinks(link)
		if err == nil {
			return real, true
		}
		missing := errors.Is(err, fs.ErrNotExist)
		to, err := os.Readlink(link)
		if err != nil { // link is the path of a file that does not exist
			return link, missing
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(link) + string(filepath.Separator) + to // not cleaned: a part may be a link
		}
		dir, name := filepath.Split(to)
		if dir, err = filepath.EvalSymlinks(dir); err != nil || !missing || name == "" || name == "." || name == ".." || left == 0 {
			return to, false
		}
		link = filepath.Join(dir, name)
	}
}

// inAny reports whether a path is one of some directories or inside of one.
func inAny(dirs []string, path string) bool {
	for _, dir := range dirs {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
