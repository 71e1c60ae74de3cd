// Package schema reads adapter files.
//
// Load and Parse turn a file into an immutable Adapter or into a list of diagnostics that
// contains all errors of the file, each with its position. Lint finds input that is valid
// but probably wrong. The keys, their types, forms and defaults are defined by the JSON
// Schema that AdapterJSON returns; rules between keys are in check.go. SCHEMA.md describes the
// meaning of the keys.
//
// Programs that read files must also import example.org/ripple/schema/validate, which adds
// the libraries for that. ParseValid works without it.
//
// The package also defines the two template languages of an adapter, SplitCommand and
// Expand, and the flavor of its patterns, CompilePattern.
package schema

//go:generate go test . -run "TestSchemaDoc|TestTheDefaultsAreTheSchemas" -update

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/projectfile"
)

// Options says where the integration scripts of adapter files are.
type Options struct {
	// Scripts are searched for init.script_resource, after the directories
	// near the adapter file that Load lists.
	Scripts []fs.FS
}

// Load reads an adapter file. Integration scripts are looked up in the
// directories integration-scripts, ../integration-scripts and . as seen from
// the file, then in o.Scripts. The adapter is nil if there is any error.
func Load(path string, o Options) (*Adapter, []Diagnostic) {
	a, _, diagnostics := LoadText(path, o)
	return a, diagnostics
}

// LoadText is like Load and also returns the file's content, which is read once.
func LoadText(path string, o Options) (*Adapter, []byte, []Diagnostic) {
	data, err := readFile(path)
	if err != nil {
		return nil, nil, Unreadable(path, err)
	}
	a, diagnostics := Parse(path, data, o.ForFile(path))
	return a, data, diagnostics
}

// Unreadable returns the diagnostic for a file that cannot be read.
func Unreadable(path string, err error) []Diagnostic {
	return []Diagnostic{{
		File: path, Line: 1, Column: 1, Kind: KindFile, Severity: SeverityError, Message: fmt.Sprintf("cannot be read: %v", reason(err)),
	}}
}

// reason is an error without the path, which the diagnostic has already.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// ForFile returns the options with the script directories that belong to an
// adapter file put first, as Load uses them.
func (o Options) ForFile(path string) Options {
	var scripts []fs.FS
	for _, dir := range ScriptDirs(path) {
		scripts = append(scripts, os.DirFS(dir))
	}
	return Options{Scripts: append(scripts, o.Scripts...)}
}

// ScriptDirs returns the directories in which the integration script of an adapter file is looked
// for, in this order. A directory that another user made where everybody may write, such as
// /tmp/integration-scripts, is left out, and so is a missing one, which another user could still make.
func ScriptDirs(path string) []string {
	dir := filepath.Dir(path)
	list := []string{filepath.Join(dir, "integration-scripts"), filepath.Join(dir, "..", "integration-scripts")}
	list = slices.DeleteFunc(list, func(beside string) bool {
		found, err := os.Lstat(beside)
		above, aboveErr := os.Stat(filepath.Dir(beside))
		if err != nil {
			return aboveErr == nil && owner.MayPlant(above)
		}
		return aboveErr == nil && owner.Planted(above, found)
	})
	return append(list, dir)
}

// readFile reads a regular file, or one that a shell opened for the command, as for <(program). It reads no more than the size limit
// and one byte, so that the limit is noticed, and nothing of a file without a size: reading one that the kernel makes, such as
// /proc/kmsg, may wait or have an effect.
func readFile(path string) ([]byte, error) {
	open, limit := projectfile.Open, int64(maxFileSize+1)
	opened := path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/") // the last one is zsh's
	if opened {
		open = os.Open
	}
	f, err := open(path)
	_, refused := errors.AsType[*projectfile.RefusedError](err)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, syscall.EISDIR // without the path, as in reason
	case refused:
		return nil, errNotRegular
	case err != nil:
		return nil, err
	}
	defer f.Close() // only read from: nothing to lose
	if info, err := f.Stat(); err == nil && !opened {
		limit = min(limit, info.Size())
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

var errNotRegular = errors.New("it is a pipe, socket or device, or a link to one; put a regular file there")

// regular is the error of what is neither a file nor a directory, which cannot be read anyway.
func regular(info fs.FileInfo) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	return errNotRegular
}

// Parse reads an adapter from memory; source is its name in messages. The
// adapter is nil if there is any error. Scripts come from o.Scripts only.
func Parse(source string, data []byte, o Options) (*Adapter, []Diagnostic) {
	a, d := parseAdapter(source, data, o)
	if len(d.diags) > 0 {
		return nil, sortDiagnostics(d.diags)
	}
	return a, nil
}

// ParseValid returns what Parse returns for a valid file in a tenth of the time: it reports
// YAML that cannot be read and a missing script, and checks nothing else. Use it for files
// that a test of the program has parsed, and for those that were parsed before.
func ParseValid(source string, data []byte, o Options) (*Adapter, []Diagnostic) {
	a, d := decodeValid(source, data)
	if a != nil {
		d.findScript(a, o.Scripts)
	}
	if len(d.diags) > 0 {
		return nil, sortDiagnostics(d.diags)
	}
	return a, nil
}

// decodeValid is ParseValid without the script.
func decodeValid(source string, data []byte) (*Adapter, *document) {
	d := newDocument(adapterGrammar, source)
	d.read(data)
	if d.root == nil {
		return nil, d
	}
	return d.adapter(nil), d
}

// parseAdapter returns what could be read of an adapter, and the document with all
// errors found.
func parseAdapter(source string, data []byte, o Options) (*Adapter, *document) {
	d := parseDocument(source, data)
	if d.root == nil {
		return nil, d
	}
	a := d.adapter(validation{d}.validate())
	if a == nil {
		return nil, d
	}
	adapterRules{d}.check(a)
	d.findScript(a, o.Scripts)
	return a, d
}

// adapter decodes the tree without the values at the given pointers. It returns nil if a
// value does not fit.
func (d *document) adapter(bad map[string]bool) *Adapter {
	fill(adapterDefaults(), d.root, "", bad)
	a := &Adapter{Source: d.source}
	if err := d.root.Decode(a); err != nil {
		if len(d.diags) == 0 {
			d.errorAt(1, 1, KindType, "cannot be read into the adapter: %v", err)
		}
		return nil
	}
	a.computeDefaults()
	d.setPositions(a)
	return a
}

// setPositions notes where tests and steps stand, for reports.
func (d *document) setPositions(a *Adapter) {
	if a.Probe != nil {
		a.Probe.Pos = d.position("/probe")
	}
	for i := range a.Tests {
		t := &a.Tests[i]
		t.Pos = d.position(fmt.Sprintf("/tests/%d", i))
		t.Step.Pos = t.Pos
		for j := range t.SetupSequence {
			t.SetupSequence[j].Pos = d.position(fmt.Sprintf("/tests/%d/setup_sequence/%d", i, j))
		}
	}
}

// position is where a value's key stands, or the value if it has none.
func (d *document) position(pointer string) Position {
	p := d.places[pointer]
	switch {
	case p.key != nil:
		return Position{p.key.Line, p.key.Column}
	case p.value != nil:
		return Position{p.value.Line, p.value.Column}
	}
	return Position{1, 1}
}
