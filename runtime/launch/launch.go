// Package launch turns an adapter and the facts of a host into a [Plan]: the file to
// execute, its arguments, environment, directory and staged files.
//
// [Build] is the main path. It starts nothing and writes nothing, so every rule
// here is tested as a table; the session writes Plan.Files and starts the rest.
// [Examiner] checks, without a turn or a session, whether a program can be used here.
//
// # Command line
//
// process.command_template is split into words first, and each word is expanded
// afterwards, so a value can never add, remove or split an argument. A word that consists
// only of {init_invocation} or of the path of a staged file is left out if the adapter
// does not define them; this depends on the adapter alone. The caller's Args follow
// unchanged, or else process.args, each expanded as one word.
//
// # Environment
//
// From the lowest precedence to the highest: the host's environment, without the
// variables that describe its terminal and those of agent.unset_env (or, with
// inherit_environment: false, only the variables of [minimalEnvironment]); PAGER,
// GIT_PAGER and MANPAGER = cat, TERM, and LC_CTYPE=C.UTF-8 if no locale is set, because
// the encoding is always UTF-8; process.env; the caller's Env. COLUMNS and LINES are
// never inherited, because the terminal has its own size. A caller cannot set the
// dir_env_var of rc_file: that value becomes {rc_dir_previous}, for the script to restore.
//
// The nonce never goes into the environment, because every program started from
// the session could read it there and forge markers.
package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/schema"
)

// Request describes one start of a program.
type Request struct {
	From       string   // directory of the user, absolute, if another process acts for it; empty: the host's
	Dir        string   // working directory; empty: that of the user
	Env        []string // KEY=value; takes precedence over everything else
	Args       []string // arguments at the end of the command line; nil: the adapter's
	Cols, Rows int      // size of the terminal in character cells; 0: the adapter's
	Executable string   // path or name; empty: found by the adapter's rules
	Nonce      string   // required: authenticates this session's markers
	ScratchDir string   // required: absolute, private to the session (mode 0700)
	Banner     string   // shown at startup as init.banner_injection says
	Box        Box      // where the program runs; nil: without a box
	Reason     string
}

// Plan is everything needed to start the program.
type Plan struct {
	Path   string   // absolute path of the file to execute
	Argv   []string // Argv[0] is Path
	Env    []string // KEY=value, sorted
	Dir    string   // absolute, exists
	Files  []File   // files to write before the start
	Inject string   // text to type when the first output has settled, without a line ending
	Banner string   // text to show to the user before the program's output
	TTY    schema.TTY
	// Values are the values of the placeholders, for templates that are expanded later
	// (input.tempfile, marker prompts).
	Values map[string]string
}

// File is a file of a plan.
type File struct {
	Path string
	Body []byte
}

// Write writes the file with mode 0600, and creates missing directories with mode 0700.
func (f File) Write() error {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(f.Path, f.Body, 0o600)
}

// DirError is returned for a working directory that does not exist or, if Closed is set, that
// this user may not enter.
type DirError struct {
	Dir    string
	Closed bool
}

func (e *DirError) Error() string {
	if e.Closed {
		return fmt.Sprintf("working directory %q: permission denied: choose one that this user may enter", e.Dir)
	}
	return fmt.Sprintf("working directory %q is not a directory: create it or choose another", e.Dir)
}

// Build plans the start of an adapter's program. The program is found as Locate describes, but also not in the project
// around its working directory. Errors: *MissingError if the program is not installed, *DirError for the working
// directory; other errors name the key of the adapter that cannot be applied.
func Build(a *schema.Adapter, h Host, r Request) (Plan, error) {
	p, err := buildPlan(a, h, r)
	if err == nil {
		return p, nil
	}
	var missing *MissingError
	if errors.As(err, &missing) {
		return Plan{}, err // says the adapter's name itself
	}
	return Plan{}, fmt.Errorf("%s: %w", a.Name, err)
}

func buildPlan(a *schema.Adapter, h Host, r Request) (Plan, error) {
	if r.Box != nil {
		h.Environ = boxEnviron(a, h, r.Box)
	}
	if err := r.check(); err != nil {
		return Plan{}, err
	}
	if r.From != "" {
		h.Getwd = func() (string, error) { return r.From, nil }
	}
	dir, err := workingDir(h, r.Dir)
	if err != nil {
		return Plan{}, err
	}
	h.Dirs = append(slices.Clip(h.Dirs), dir)
	words, err := schema.SplitCommand(a.Process.CommandTemplate)
	if err != nil {
		return Plan{}, fmt.Errorf("process.command_template: %w", err)
	}
	path, err := Locate(a, h, r.Executable)
	if err != nil {
		return Plan{}, err
	}
	env := newEnvironment(a, h)
	v := newValues(a, h, r, path)
	d, err := deliver(a, r, v, env)
	if err != nil {
		return Plan{}, err
	}
	if err := env.addAdapter(a.Process.Env, v); err != nil {
		return Plan{}, err
	}
	env.addCaller(r.Env)
	if d.rcVar != "" {
		env.set(d.rcVar, d.rcPath)
	}
	env.finish(dir)

	argv, err := expandWords(words, v)
	if err != nil {
		return Plan{}, err
	}
	if path, err = firstWord(a, h, argv[0], path); err != nil {
		return Plan{}, err
	}
	argv[0] = path
	args, err := arguments(a, r, v)
	if err != nil {
		return Plan{}, err
	}
	argv = append(argv, args...)
	if r.Box != nil {
		if argv, err = wrap(a, h, r, argv, env.list(), dir); err != nil {
			return Plan{}, err
		}
		path = argv[0]
	}
	return Plan{
		Path: path, Argv: argv, Env: env.list(), Dir: dir, Files: d.files,
		Inject: d.inject, Banner: d.banner, TTY: size(a.Process.TTY, r), Values: v.all,
	}, nil
}

// check returns an error for a request that is unsafe.
func (r Request) check() error {
	if r.Nonce == "" {
		return errors.New("launch: Request.Nonce is empty, so markers could not be distinguished from output")
	}
	if !filepath.IsAbs(r.ScratchDir) {
		return fmt.Errorf("launch: Request.ScratchDir %q is not an absolute path", r.ScratchDir)
	}
	// Scripts of any language put paths between quotes of any kind.
	if i := strings.IndexFunc(r.ScratchDir, unsafeInQuotes); i >= 0 {
		return fmt.Errorf("the private directory %q has %q in its name, which a script cannot quote: set TMPDIR to a plain path", r.ScratchDir, []rune(r.ScratchDir[i:])[0])
	}
	for _, kv := range r.Env {
		if key, _, ok := strings.Cut(kv, "="); !ok || key == "" {
			return fmt.Errorf("environment entry %q is not KEY=value", kv)
		}
		if strings.ContainsRune(kv, 0) {
			return fmt.Errorf("environment entry %q contains a NUL", kv)
		}
	}
	for _, arg := range r.Args {
		if strings.ContainsRune(arg, 0) {
			return fmt.Errorf("the argument %q contains a NUL", arg)
		}
	}
	return nil
}

// workingDir returns the absolute path of the directory to start in.
func workingDir(h Host, dir string) (string, error) {
	dir, err := absolute(h, dir)
	if err != nil {
		return "", err
	}
	if !h.IsDir(dir) {
		return "", &DirError{Dir: dir}
	}
	if h.Enters != nil && !h.Enters(dir) {
		return "", &DirError{Dir: dir, Closed: true}
	}
	return dir, nil
}

// absolute resolves a path against the host's working directory.
func absolute(h Host, path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	cwd, err := h.Getwd()
	if err != nil {
		return "", fmt.Errorf("the current directory is gone: %w", err)
	}
	return filepath.Join(cwd, path), nil
}

// size returns the adapter's terminal with the caller's size.
func size(t schema.TTY, r Request) schema.TTY {
	if r.Cols > 0 {
		t.Cols = r.Cols
	}
	if r.Rows > 0 {
		t.Rows = r.Rows
	}
	return t
}
