package git

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// Since version 2.54, git also runs programs of its settings as hooks: hook.NAME.event says when, hook.NAME.command
// which. core.hooksPath does not concern them; hook.NAME.enabled switches one off. hook.EVENT.enabled of version 2.55
// is not enough: a setting hook.EVENT.command turns it into the switch of a hook with the name EVENT.

// hooksOff returns the arguments that switch off all hooks of settings: of those that git reads in the working tree,
// and of all that the repository includes, because a condition may hold only in a working tree that git adds.
func (r *Repo) hooksOff(ctx context.Context) (args []string, err error) {
	out, err := command(ctx, r.Top, gitConfig, "--null", "--get-regexp", `^hook\..*\.event$`)
	if err != nil && !Ended(err) { // it ends with 1 if there are none
		return nil, err
	}
	included, err := includedHooks(ctx, r.Top)
	for _, name := range hookNames(out + included) {
		if name = "hook." + name + ".enabled"; strings.Contains(name, "=") {
			args = append(args, "--config-env="+name+"="+offVariable) // as -c, it would end at its first =
		} else {
			args = append(args, "-c", name+"=false")
		}
	}
	return args, err
}

const offVariable = "RIPPLE_HOOKS_OF_SETTINGS" // is "false" for git

// includedHooks lists the hooks in the settings of a repository as hookNames expects them.
func includedHooks(ctx context.Context, top string) (list string, err error) {
	err = ownSettings(ctx, top, []string{"[hook"}, func(key, value string) { list += key + "\n" + value + "\x00" })
	return list, err
}

// ownSettings calls each with the settings of a repository, and of all files that they include under any condition. It
// leaves out files without any of some texts in lower case: to list settings takes a process.
func ownSettings(ctx context.Context, dir string, texts []string, each func(key, value string)) error {
	dirs, _, err := gitDirs(dir)
	if err != nil {
		return err
	}
	var files []string
	for _, d := range dirs {
		files = append(files, filepath.Join(d, "config"), filepath.Join(d, "config.worktree"))
	}
	for i := 0; i < len(files) && ctx.Err() == nil; i++ {
		if len(files) > maxIncluded {
			why := fmt.Sprintf("includes more than %d files", maxIncluded)
			return &projectfile.RefusedError{Path: files[0], Why: why, Do: "remove some of them"}
		}
		if err := check(files[i], os.Stat); err != nil {
			return err
		}
		text, err := projectfile.Read(files[i], maxFile)
		if err != nil {
			continue // there is none; git reports anything else
		}
		lower := bytes.ToLower(text)
		if slices.ContainsFunc(texts, func(t string) bool { return bytes.Contains(lower, []byte(t)) }) {
			for entry := range strings.SplitSeq(settings(ctx, text), "\x00") {
				if key, value, _ := strings.Cut(entry, "\n"); key != "" {
					each(key, value)
				}
			}
		}
		for _, s := range namedFiles(ctx, text) {
			for _, path := range s.places(filepath.Dir(files[i])) {
				if s.included && !slices.Contains(files, path) {
					files = append(files, path)
				}
			}
		}
	}
	return ctx.Err()
}

// hookNames returns the names of the hooks in settings that git lists as "key\nvalue\x00".
func hookNames(list string) (names []string) {
	for entry := range strings.SplitSeq(list, "\x00") {
		key, _, _ := strings.Cut(entry, "\n")
		key, isEvent := strings.CutSuffix(key, ".event")
		name, isHook := strings.CutPrefix(key, "hook.")
		if isEvent && isHook && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
