package git

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// Since version 2.54, git also runs programs of its settings as hooks: hook.NAME.event says when, hook.NAME.command
// which. core.hooksPath does not concern them; hook.NAME.enabled switches one off. hook.EVENT.enabled of version 2.55
// is not enough: a setting hook.EVENT.command turns it into the switch of a hook with the name EVENT.

// hooksOff returns the arguments that switch off all hooks of some settings. Files that are included under a condition,
// which may hold only in a working tree that git adds, need approval, see risks.go.
func hooksOff(all []setting) (args []string) {
	for _, name := range hookNames(all) {
		args = append(args, set("hook."+name+".enabled", "false")...)
	}
	return args
}

// Variables of git's environment that have values of set.
const (
	offVariable   = "RIPPLE_HOOKS_OF_SETTINGS" // is "false"
	onVariable    = "RIPPLE_SETTING_TRUE"      // is "true"
	emptyVariable = "RIPPLE_SETTING_EMPTY"
)

// set returns the arguments that give a key the value "true", "false" or "".
func set(key, value string) []string {
	if strings.Contains(key, "=") { // as -c, it would end at its first =
		return []string{"--config-env=" + key + "=" + map[string]string{"false": offVariable, "true": onVariable, "": emptyVariable}[value]}
	}
	return []string{"-c", key + "=" + value}
}

// hookNames returns the names of the hooks in some settings.
func hookNames(all []setting) (names []string) {
	for _, s := range all {
		key, isEvent := strings.CutSuffix(s.key, ".event")
		name, isHook := strings.CutPrefix(key, "hook.")
		if isEvent && isHook && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// commitRuns reports whether a commit may run hooks, unless it is made without them, or filters. They may change the repository,
// its settings included.
func (r *Repo) commitRuns(all []setting, noHooks bool) bool {
	counts := func(s setting) bool {
		ours := s.scope == "command" && s.value == os.DevNull // see words
		return drivers().MatchString(s.key) || !noHooks && s.key == "core.hookspath" && !ours
	}
	if slices.ContainsFunc(all, counts) {
		return true
	}
	if noHooks {
		return false
	}
	dirs, err := dirsAt(r.Top)
	if err != nil || dirs == nil || len(hookNames(all)) > 0 {
		return true
	}
	dir := filepath.Join(dirs[len(dirs)-1], "hooks")
	if info, err := os.Stat(dir); err == nil && !info.IsDir() { // a pipe would not end
		return true
	}
	files, err := os.ReadDir(dir)
	return err != nil && !gone(err) || slices.ContainsFunc(files, func(f fs.DirEntry) bool { return filepath.Ext(f.Name()) != ".sample" })
}

// hooksPath returns the setting core.hooksPath of a repository, or "".
func hooksPath(ctx context.Context, top string) (path string) {
	out, _ := command(ctx, top, gitConfig, "--show-scope", "--type=path", "--get-all", "core.hooksPath") // it fails without the setting
	for line := range strings.Lines(out) {                                                               // the last one counts; "command" is our own, see words
		if scope, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); scope != "command" {
			path = value
		}
	}
	return path
}

// maxHookFiles limits the result of HookFiles.
const maxHookFiles = 1000

// HookFiles returns the files of the working tree, relative to its top, with slashes, that hooks consist of: all in the
// directory of core.hooksPath, or those to which symbolic links in the repository's own directory of hooks lead.
func (r *Repo) HookFiles(ctx context.Context) (names []string, err error) {
	dir := hooksPath(ctx, r.Top)
	if dir == "" {
		dirs, _, err := gitDirs(r.Top)
		if err != nil || len(dirs) == 0 {
			return nil, err
		}
		dir = filepath.Join(dirs[len(dirs)-1], "hooks")
	} else if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Top, dir)
	}
	top, err := filepath.EvalSymlinks(r.Top)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, nil // it is missing
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // it cannot be read, or was removed meanwhile
			return nil
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		case len(names) == maxHookFiles:
			return fs.SkipAll
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			if name, is := projectfile.Relative(top, real); is && !strings.HasPrefix(name, ".git/") {
				names = append(names, name)
			}
		}
		return nil
	})
	return names, err
}
