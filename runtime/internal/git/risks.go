package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/internal/projectfile"
)

// Git runs the programs of some settings when it compares files, or writes them. They cannot be switched
// off: without its filters, every file of Git LFS would look changed. The settings of the user's own
// files are the user's; a repository has settings of its own, which an archive or an agent may have written.
// Which these are, git itself is asked, in the same directory and environment as for the command that follows.
// Other risks of a repository are in outside.go.

// riskySettings matches the keys of settings with programs that git, or Git LFS as its filter, may run in addition
// to those that ripple switches off, see words and hooksOff, and with directories in which they write. A file that is
// included may have more of them, and may appear while git runs, for example during a rebase. A rebase takes its strategy, which may be a program,
// from those of pull.
var riskySettings = lazyregexp.New(`^(?:filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|gpg\.(?:.*\.)?program|gpg\..*\.defaultkeycommand` +
	`|include\.path|includeif\..*\.path|lfs\.extension\..*\.(?:clean|smudge)|lfs\.customtransfer\..*\.(?:path|args)` +
	`|lfs\.(?:.*\.)?standalonetransferagent|lfs\.storage|pull\.(?:twohead|octopus))$`)

// fetchSettings matches those with which git fetches the objects that a partial clone lacks, and filters their files. With
// the one on cookies the server writes a file.
var fetchSettings = lazyregexp.New(`^(?:core\.(?:sshcommand|gitproxy|askpass|alternaterefscommand)|credential\.(?:.*\.)?helper|protocol\.(?:.*\.)?allow|http\.(?:.*\.)?(?:cookiefile|savecookies)|remote\..*\.(?:uploadpack|vcs))$`)

// servers matches those that say from which server a partial clone gets its objects.
var servers = lazyregexp.New(`^(?:remote\..*\.(?:url|proxy)|url\..*\.insteadof|http\..*)$`)

// promises matches the keys of the settings of a partial clone.
var promises = lazyregexp.New(`^(?:extensions\.partialclone|remote\..*\.promisor)$`)

// filters matches those of filters that write files, and may fetch them, as that of Git LFS does.
var filters = lazyregexp.New(`^filter\..*\.(?:smudge|process)$`)

// setting is one of git's settings.
type setting struct{ scope, file, key, value string }

// own reports whether the setting is neither the user's nor on the command line.
func (s setting) own() bool {
	return s.scope != "system" && s.scope != "global" && s.scope != "command"
}

// plainSetting matches the parts that are shown as they are.
var plainSetting = lazyregexp.New(`^[\w./@+*~-]+$`)

// String returns the file, the key and the value. No other setting has the same text.
func (s setting) String() string {
	parts := []string{s.file, s.key}
	for i, p := range parts {
		if !plainSetting().MatchString(p) {
			parts[i] = strconv.Quote(p)
		}
	}
	value := strconv.Quote(s.value)
	if value == `"`+s.value+`"` {
		value = s.value
	}
	return parts[0] + ": " + parts[1] + " = " + value
}

// repository is one as a command of git enters it: in this directory, with these variables.
type repository struct {
	dir string
	env []string
}

// ask runs a command there that only reads.
func (r repository) ask(ctx context.Context, sub subcommand, args ...string) (string, error) {
	return (&Repo{Top: r.dir}).run(ctx, call{env: r.env}, sub, args...)
}

// settings lists all settings. Those of a file of the user that the project may have brought count as the repository's.
func (r repository) settings(ctx context.Context) (list []setting, err error) {
	out, err := r.ask(ctx, gitConfig, "--list", "--null", "--show-scope", "--show-origin")
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if err == nil && len(fields)%3 != 0 {
		err = fmt.Errorf("the settings of the repository in %s cannot be listed: git 2.26 or a newer one is needed", r.dir)
	}
	if err != nil {
		return nil, err
	}
	brought := map[string]bool{}
	for f := range slices.Chunk(fields, 3) {
		key, value, _ := strings.Cut(f[2], "\n")
		file, isFile := strings.CutPrefix(f[1], "file:")
		if !filepath.IsAbs(file) {
			file = r.dir + string(filepath.Separator) + file // not cleaned: a link may be part of it
		}
		s := setting{f[0], file, key, value}
		if _, known := brought[file]; !known && isFile && !s.own() {
			brought[file] = r.brings(file)
		}
		if brought[file] {
			s.scope = "local"
		}
		list = append(list, s)
	}
	return list, nil
}

// brings reports whether a file belongs to the working tree or one around it, and is not in the user's home directory, although
// a variable such as HOME or GIT_CONFIG_GLOBAL makes it one of the user's.
func (r repository) brings(file string) bool {
	top, err := filepath.EvalSymlinks(r.dir)
	return err != nil || projectfile.Brings(append(projectfile.Around(top), top), file)
}

// risksIn returns those of a repository's settings that are its own and risks.
func risksIn(all []setting) (list []string) {
	has := func(keys func() *regexp.Regexp) bool {
		return slices.ContainsFunc(all, func(s setting) bool { return keys().MatchString(s.key) })
	}
	partial := has(promises)
	fetches := partial || has(filters)
	for _, s := range all {
		if s.own() && (s.risky() || fetches && fetchSettings().MatchString(s.key) || partial && servers().MatchString(s.key)) {
			list = append(list, s.String())
		}
	}
	return list
}

// risky reports whether the setting is a risk in every repository.
func (s setting) risky() bool {
	refsElsewhere := s.key == "extensions.refstorage" && strings.Contains(s.value, "/") // in new versions, it may have a path
	return refsElsewhere || riskySettings().MatchString(s.key) || promises().MatchString(s.key)
}

// submodules returns the submodules that have a repository.
func (r repository) submodules(ctx context.Context) (list []repository, err error) {
	out, err := r.ask(ctx, gitListFiles, "--stage", "-z")
	if err != nil {
		return nil, err
	}
	last := ""
	for entry := range strings.SplitSeq(out, "\x00") {
		attributes, name, _ := strings.Cut(entry, "\t")
		if !strings.HasPrefix(attributes, "160000 ") || name == last || !IsName(name) {
			continue
		}
		last = name
		inner := repository{filepath.Join(r.dir, filepath.FromSlash(name)), []string{"GIT_DIR=.git"}} // as git enters it
		if _, err := os.Lstat(filepath.Join(inner.dir, ".git")); err != nil {
			continue // git does not enter it
		}
		if err := inner.inPlace(ctx); err != nil {
			return nil, err
		}
		list = append(list, inner)
	}
	return list, nil
}

// inPlace returns an error for a submodule whose files are not in its directory: git would look for its submodules
// elsewhere.
func (r repository) inPlace(ctx context.Context) error {
	top, err := r.ask(ctx, gitRevParse, "--show-toplevel")
	if hangs(err) || ctx.Err() != nil {
		return err
	}
	real, evalErr := filepath.EvalSymlinks(r.dir)
	if err != nil || evalErr != nil || filepath.FromSlash(strings.TrimSuffix(top, "\n")) != real {
		return &projectfile.RefusedError{Path: r.dir, Why: "is a submodule whose repository cannot be used, or has its files elsewhere", Do: "make a new clone of it, or remove its files"}
	}
	return nil
}

// withSubmodules returns all submodules that have a repository, also those inside of others.
func (r repository) withSubmodules(ctx context.Context) (list []repository, err error) {
	for queue := []repository{r}; len(queue) > 0; queue = queue[1:] {
		inner, err := queue[0].submodules(ctx)
		if err != nil {
			return nil, err
		}
		list, queue = append(list, inner...), append(queue, inner...)
		if len(list) > maxInner {
			return nil, &projectfile.RefusedError{Path: r.dir, Why: fmt.Sprintf("has more than %d submodules", maxInner), Do: "remove the files of some of them"}
		}
	}
	return list, nil
}

// Risks returns what makes git run programs of the repository of a directory, or use files outside of it: settings, also those of
// its submodules with files, as "FILE: key = value"; symbolic links in its directory, as "FILE: link = TARGET"; directories of
// objects elsewhere, as "FILE: alternate = DIR"; a file .git or commondir that names a repository elsewhere, as "FILE: gitdir =
// DIR" or "FILE: commondir = DIR"; what git keeps to continue it, such as a merge or a rebase, as "FILE: state = TEXT"; and in a partial clone, files that name a server, as "FILE: remote = TEXT". They are sorted. It also returns the top of the working tree. Both are empty outside of a
// repository. Errors: *projectfile.RefusedError, *TimeoutError, *Error, those of ctx.
func Risks(ctx context.Context, dir string) (top string, list []string, err error) {
	top, _, err = topOf(ctx, dir)
	if Ended(err) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	top = filepath.FromSlash(top)
	r := repository{dir: top}
	all, err := r.settings(ctx)
	if err != nil {
		return "", nil, err
	}
	list, err = r.outside(ctx, all)
	if err != nil {
		return "", nil, err
	}
	list = append(list, risksIn(all)...)
	kept, err := (&Repo{Top: top}).states(ctx)
	if err != nil {
		return "", nil, err
	}
	for _, s := range kept {
		list = append(list, s.String())
	}
	inner, err := r.withSubmodules(ctx)
	for _, at := range inner {
		if err == nil {
			all, err = at.settings(ctx)
			list = append(list, risksIn(all)...)
		}
	}
	slices.Sort(list)
	return top, slices.Compact(list), err
}

// mayRunPrograms reports whether a command compares files of the working tree, writes some, merges or signs.
func (sub subcommand) mayRunPrograms() bool {
	return sub == gitStatus || sub.writes()
}

// writes reports whether a command writes files of the repository or of the working tree.
func (sub subcommand) writes() bool { return sub.timeout() == writeTimeout }

// shows reports whether the output of a command has names of files, or depends on their contents.
func (sub subcommand) shows() bool { return sub == gitStatus || sub == gitDiff || sub == gitListTree }

// examine returns the settings of the repository, for a command with these variables, or a *Conflict if git would use files
// outside of it and that is not in r.Accepted, or, if settings count, if one of them is a risk and not there.
func (r *Repo) examine(ctx context.Context, env []string, settingsCount bool) ([]setting, error) {
	at := repository{r.Top, env}
	all, err := at.settings(ctx)
	if err != nil {
		return nil, err
	}
	list, err := at.outside(ctx, all)
	if risk := r.notAccepted(list); risk != "" {
		return nil, &Conflict{
			"git would use links in its directory, files outside of the repository, or a server, and nobody has approved that: " + risk,
			"check it, and remove it if it is not yours; what is in the project, but not in the working tree of a loop, can be approved at the next start",
		}
	}
	if err == nil && settingsCount {
		err = r.checkSettings(all)
	}
	return all, err
}

// checkSettings returns a *Conflict if one of a repository's settings is a risk and not in r.Accepted, or if there is a filter and
// r.NoFilters.
func (r *Repo) checkSettings(all []setting) error {
	isFilter := func(s setting) bool { return strings.HasPrefix(s.key, "filter.") }
	if r.NoFilters && slices.ContainsFunc(all, isFilter) {
		return &Conflict{"git would run a filter of its settings", "ask git itself"}
	}
	if risk := r.notAccepted(risksIn(all)); risk != "" {
		return &Conflict{
			"git would use a setting of the repository that runs a program, includes more settings, or lets git fetch objects, and that nobody has approved: " + risk,
			"check it, and remove it with `git config --unset` unless it is yours; settings of the project, but not those of the working tree of a loop, can be approved at the next start",
		}
	}
	return nil
}

// mayFetch reports whether git may fetch objects that the repository lacks: settings, which have been approved, say that it does.
// With the repository of a submodule it may not, because git would fetch for that, too, by settings of its own.
func (r *Repo) mayFetch(settings []setting) bool {
	dirs, _, err := gitDirs(r.Top)
	modules := func(dir string) bool {
		_, err := os.Lstat(filepath.Join(dir, "modules"))
		return err == nil
	}
	return err == nil && !slices.ContainsFunc(dirs, modules) && slices.ContainsFunc(settings, func(s setting) bool { return promises().MatchString(s.key) })
}

// notAccepted returns the first of some risks that is not in r.Accepted, or "".
func (r *Repo) notAccepted(risks []string) string {
	i := slices.IndexFunc(risks, func(s string) bool { return !slices.Contains(r.Accepted, s) })
	if i < 0 {
		return ""
	}
	return risks[i]
}

// checkSubmodules does the same for the submodules: git looks into them for changes, with their own settings.
func (r *Repo) checkSubmodules(ctx context.Context) error {
	list, err := repository{dir: r.Top}.withSubmodules(ctx)
	for _, at := range list {
		var all []setting
		if err == nil {
			all, err = at.settings(ctx)
		}
		if err == nil {
			err = r.checkSettings(all)
		}
	}
	return err
}
