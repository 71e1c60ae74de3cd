package git

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/internal/owner"
)

// Box isolates commands that run filters and merge drivers. If a program in a box may write the working tree, it can replace
// programs that are files of it, and modules that a program such as python3 -m loads from there.
type Box interface {
	// Holds reports whether git can use the repository of a working tree in the box.
	Holds(top string) bool
	// Environ returns the part of environ that programs get: names are variables besides the usual ones.
	Environ(environ []string, names ...string) []string
	// Wrap returns the command line that starts a program in the box, in the directory dir with the environment env, when it
	// is started outside. The program may also read and write some paths, which may be missing.
	Wrap(argv, env []string, dir string, read, write []string) ([]string, error)
	// Terminate sends SIGTERM to the processes of such a command line, which has this process ID.
	Terminate(pid int) error
}

// runsFilters reports whether a command may run filters and merge drivers. Others may run programs for signatures. git commit
// would run filters, too, to look for changes, which the commit does not contain; see filterArgs.
func (sub subcommand) runsFilters() bool {
	return sub == gitStatus || sub == gitIndex || sub == gitReadTree || sub == gitRebase
}

// drivers matches the keys of settings with filters or merge drivers, or with files that may have some in a submodule only.
var drivers = lazyregexp.New(`^(?:filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|includeif\..*)$`)

// boxed reports whether a command runs in the box: if there are filters or merge drivers. A rebase that signs does not, because
// keys are not visible there, and nothing does in a repository with objects elsewhere.
func (r *Repo) boxed(sub subcommand, all []setting) bool {
	if r.Box == nil || !sub.runsFilters() {
		return false
	}
	may, signs := false, false
	for _, s := range all {
		may = may || drivers().MatchString(s.key) || s.own() && s.key == "include.path"
		if s.key == "commit.gpgsign" {
			signs = !slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(s.value))
		}
	}
	accepted := func(keys ...string) bool { // also of submodules
		return slices.ContainsFunc(r.Accepted, func(risk string) bool {
			return slices.ContainsFunc(keys, func(key string) bool { return strings.Contains(risk, ": "+key) })
		})
	}
	may = may || accepted("filter.", `"filter.`, "merge.", `"merge.`, "include", `"include`)
	return may && !accepted("alternate = ") && !(sub == gitRebase && signs) && r.Box.Holds(r.Top)
}

// connections matches the keys of settings that may have secrets.
var connections = lazyregexp.New(`^(?:http|credential|url|sendemail|imap)\.`)

// boxEnviron returns the environment for git in the box: GIT_CONFIG_COUNT and the like have the settings that variables
// give, except those for connections.
func (r *Repo) boxEnviron(all []setting) []string {
	names := []string{"EMAIL", "XDG_CONFIG_HOME"}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		given := slices.ContainsFunc([]string{"COUNT", "KEY_", "VALUE_", "PARAMETERS"}, func(s string) bool { return strings.HasPrefix(name, "GIT_CONFIG_"+s) })
		if strings.HasPrefix(name, "GIT_") && !given {
			names = append(names, name)
		}
	}
	env, n := r.Box.Environ(os.Environ(), names...), 0
	for _, s := range all {
		if s.scope == "command" && !connections().MatchString(s.key) {
			env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s.value))
			n++
		}
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}

// wrap returns a command line for the box. Git also reads the files of its settings there, and Git LFS writes its own
// directory of the repository.
func (r *Repo) wrap(argv, env []string, all []setting) ([]string, error) {
	home, err := owner.Home(os.Getenv)
	if err != nil {
		return nil, err
	}
	dirs, _, err := gitDirs(r.Top)
	if err != nil {
		return nil, err
	}
	config := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	files := []string{filepath.Join(config, "git", "attributes"), filepath.Join(config, "git", "ignore")}
	for _, s := range all {
		if s.key == "core.attributesfile" || s.key == "core.excludesfile" {
			files = append(files, r.named(s.value, home))
		}
		if s.scope != "command" {
			files = append(files, s.file)
		}
	}
	slices.Sort(files)
	var read, write []string
	for _, path := range slices.Compact(files) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || real == os.DevNull || inAny(append(dirs, r.Top), path) {
			continue
		}
		if inAny([]string{"/dev", "/proc", "/run"}, real) {
			return nil, fmt.Errorf("git reads %q, which is not visible there; move the file elsewhere, for example below the home directory", path)
		}
		read = append(read, path)
	}
	for _, dir := range dirs[min(1, len(dirs)):] { // of all working trees; the first one is writable
		path := filepath.Join(dir, "lfs")
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			write = append(write, path)
		}
	}
	return r.Box.Wrap(argv, env, r.Top, read, write)
}

// named returns the path that a setting names.
func (r *Repo) named(path, home string) string {
	if rest, is := strings.CutPrefix(path, "~/"); is {
		return filepath.Join(home, rest)
	}
	return absolute(r.Top, path)
}

// filterArgs returns the arguments about filters and merge drivers for a command with these words, in the box or beside it.
//
// If a filter that should clean a file fails in the box, where its program may not be visible, git update-index fails: what the
// filter leaves out should be in no commit. Beside the box none is run, and a command that needs one for what it writes fails.
func filterArgs(all []setting, sub subcommand, words []string, inBox bool) (args []string) {
	needs := sub == gitIndex || !inBox && (sub == gitRebase || sub == gitReadTree && slices.Contains(words, "-u"))
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, s := range all {
		at := max(0, strings.LastIndexByte(s.key, '.'))
		name, key := s.key[:at], s.key[at:]
		switch isFilter := strings.HasPrefix(name, "filter."); {
		case inBox && isFilter && key == ".clean" && s.value != "":
			add(name)
		case !inBox && isFilter && slices.Contains([]string{".clean", ".smudge", ".process"}, key):
			add(name)
		case !inBox && strings.HasPrefix(name, "merge.") && key == ".driver":
			args = append(args, set(s.key, "false")...) // the program of this name: a conflict
		}
	}
	for _, name := range names {
		if !inBox {
			args = slices.Concat(args, set(name+".clean", ""), set(name+".smudge", ""), set(name+".process", ""))
		}
		if needs || !inBox {
			args = append(args, set(name+".required", strconv.FormatBool(needs))...)
		}
	}
	return args
}
