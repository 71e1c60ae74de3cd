package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/internal/projectfile"
)

// Git runs the programs of some settings when it compares files, or writes them. They cannot be switched
// off: without its filters, every file of Git LFS would look changed. The settings of the user's own
// files are the user's; a repository has settings of its own, which an archive or an agent may have written.

// programSettings matches the keys of settings with programs that git may run in addition to those that
// ripple switches off, see words and hooksOff.
var programSettings = lazyregexp.New(`^(?:filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|gpg\.(?:.*\.)?program|gpg\..*\.defaultkeycommand)$`)

// fetchSettings matches those with which git fetches the objects that a partial clone lacks.
var fetchSettings = lazyregexp.New(`^(?:core\.(?:sshcommand|gitproxy|askpass|alternaterefscommand)|credential\.(?:.*\.)?helper|protocol\.(?:.*\.)?allow|remote\..*\.(?:uploadpack|vcs))$`)

// Programs returns the settings of the repository of a directory, and of its submodules with files, that make git
// run programs, as "key = value", sorted, and the file of the repository's settings. Both are empty outside of a
// repository. Errors: *projectfile.RefusedError, *TimeoutError, those of ctx.
func Programs(ctx context.Context, dir string) (file string, list []string, err error) {
	dirs, top, err := gitDirs(dir)
	if err != nil || top == "" {
		return "", nil, err
	}
	if list, err = ownPrograms(ctx, top); err != nil {
		return "", nil, err
	}
	links, err := submodulesIn(ctx, top)
	for _, at := range links {
		if err == nil {
			var more []string
			more, err = ownPrograms(ctx, at)
			list = append(list, more...)
		}
	}
	slices.Sort(list)
	return filepath.Join(dirs[len(dirs)-1], "config"), slices.Compact(list), err
}

// ownPrograms returns the settings of one repository that make git run programs.
func ownPrograms(ctx context.Context, top string) (list []string, err error) {
	var fetches []string
	partial := false
	err = ownSettings(ctx, top, []string{"[filter", "[merge", "[gpg", "partialclone", "promisor"}, func(key, value string) {
		setting := key + " = " + value
		switch {
		case programSettings().MatchString(key) && value != "":
			list = append(list, setting)
		case fetchSettings().MatchString(key):
			fetches = append(fetches, setting)
		case key == "extensions.partialclone" || strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor"):
			partial = true
		}
	})
	if partial {
		list = append(list, fetches...)
	}
	return list, err
}

// submodulesIn returns the tops of the submodules that have a repository, also of those inside of others.
func submodulesIn(ctx context.Context, top string) (tops []string, err error) {
	for queue := []string{top}; len(queue) > 0; queue = queue[1:] {
		names, err := gitlinks(ctx, queue[0])
		if err != nil && (queue[0] == top || !Ended(err)) { // git cannot use a submodule that is damaged
			return nil, err
		}
		for _, name := range names {
			at := filepath.Join(queue[0], filepath.FromSlash(name))
			tops, queue = append(tops, at), append(queue, at)
		}
		if len(tops) > maxInner {
			return nil, &projectfile.RefusedError{Path: top, Why: fmt.Sprintf("has more than %d submodules", maxInner), Do: "remove the files of some of them"}
		}
	}
	return tops, nil
}

// gitlinks returns the paths in the index that stand for a commit of another repository and where one is.
func gitlinks(ctx context.Context, top string) (names []string, err error) {
	out, err := command(ctx, top, gitListFiles, "--stage", "-z")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		attributes, name, _ := strings.Cut(entry, "\t")
		if strings.HasPrefix(attributes, "160000 ") && there(filepath.Join(top, filepath.FromSlash(name), ".git")) {
			names = append(names, name)
		}
	}
	return slices.Compact(names), nil
}

// mayRunPrograms reports whether a command compares files of the working tree, writes some, merges or signs.
func (sub subcommand) mayRunPrograms() bool {
	return sub == gitStatus || sub != gitTag && sub.timeout() == writeTimeout
}

// checkPrograms returns a *Conflict if the settings of a repository make git run a program that is not in r.Programs.
func (r *Repo) checkPrograms(ctx context.Context, top string) error {
	list, err := ownPrograms(ctx, top)
	for _, setting := range list {
		if !slices.Contains(r.Programs, setting) {
			file := "the repository of " + top
			if dirs, _, err := gitDirs(top); err == nil && len(dirs) > 0 {
				file = filepath.Join(dirs[len(dirs)-1], "config")
			}
			return &Conflict{
				fmt.Sprintf("git would run a program that nobody has approved, because of a setting of %s: %s", file, setting),
				"check the setting, then remove it with `git config --unset`, or begin again to approve it",
			}
		}
	}
	return err
}

// checkSubmodules does the same for the submodules: git looks into them for changes, with their own settings.
func (t *Tree) checkSubmodules(ctx context.Context) error {
	now, known := t.indexNow()
	if known && now == t.noLinks {
		return nil
	}
	tops, err := submodulesIn(ctx, t.Repo.Top)
	for _, top := range tops {
		if err == nil {
			err = t.Repo.checkPrograms(ctx, top)
		}
	}
	if t.noLinks = (cached{}); err == nil && known && len(tops) == 0 {
		t.noLinks = now
	}
	return err
}

// indexNow returns the attributes of the index, if they stand for its content.
func (t *Tree) indexNow() (now cached, known bool) {
	dirs, _, err := gitDirs(t.Repo.Top)
	if err != nil || len(dirs) == 0 || os.Getenv("GIT_INDEX_FILE") != "" {
		return cached{}, false
	}
	info, err := os.Stat(filepath.Join(dirs[0], "index"))
	if err != nil || time.Since(info.ModTime()) <= settled {
		return cached{}, false
	}
	return attributes(info), true
}
