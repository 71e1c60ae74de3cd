package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"example.org/ripple/internal/projectfile"
	"example.org/ripple/schema"
)

// layer is the files of one origin, sorted by file name.
type layer struct {
	origin  string
	files   []*file
	notices []Notice
}

// file is an adapter file that is parsed on demand.
type file struct {
	origin, path string
	header       func() header
	beside       fs.FS   // the other files of its directory
	scripts      []fs.FS // where its integration script is looked for
	size         int64   // of a project's file that was read
	load         func() (*schema.Adapter, []byte, []schema.Diagnostic)
	trusts       func(*Entry) bool // nil: it needs no trust

	once    sync.Once
	entry   Entry
	trusted bool
}

// Limits of a project's adapters, whose files are read before anybody trusts the project. The
// adapters that come with ripple have 6 KB on average, and the largest has 26 KB.
const (
	maxProjectFiles = 200
	maxProjectBytes = 1 << 20
)

// openProject looks into a directory with a project's adapters, such as .ripple/adapters. No link of one
// leads out of the project.
func openProject(dir string, o schema.Options, trusts func(*Entry) bool) *layer {
	l, names := listDir(OriginProject, dir)
	if excess := excess(dir, names); excess != "" {
		l.notices = append(l.notices, Notice{
			Kind: NoticeTooMany, Path: dir,
			Message: fmt.Sprintf("none of the project's adapters is used: %s has %s", dir, excess),
		})
		return l
	}
	project, size := filepath.Dir(filepath.Dir(dir)), int64(0)
	for _, name := range names {
		f := readFile(project, filepath.Join(dir, name), maxProjectBytes-size)
		f.origin, f.trusts, size = OriginProject, trusts, size+f.size
		for _, beside := range schema.ScriptDirs(f.path) {
			f.scripts = append(f.scripts, projectfile.FS(project, beside))
		}
		f.scripts = append(f.scripts, o.Scripts...)
		l.files = append(l.files, f)
	}
	return l
}

// openUser looks into the directory with the user's adapters.
func openUser(dir string, o schema.Options) *layer {
	l, names := listDir(OriginUser, dir)
	for _, name := range names {
		f := diskFile(OriginUser, filepath.Join(dir, name), o)
		f.header = headerOf(os.DirFS(dir), name, maxHead)
		l.files = append(l.files, f)
	}
	return l
}

// listDir returns the layer of a directory on disk, without files yet, and the names of its files.
func listDir(origin, dir string) (*layer, []string) {
	l := &layer{origin: origin}
	names, err := yamlFiles(os.DirFS(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.notices = append(l.notices, Notice{
			Kind: NoticeUnreadable, Path: dir,
			Message: fmt.Sprintf("%s adapters in %s cannot be listed: %v", origin, dir, err),
		})
	}
	return l, names
}

// namedFile returns the adapter file that a user named by its path. In a project, links that lead out
// of it are not followed.
func namedFile(path string, o schema.Options) *file {
	full, project, cwd, err := projectfile.Named(path)
	if err != nil {
		f := fileOf(filepath.Dir(path), path, path, nil, err)
		f.origin = OriginFile
		return f
	}
	joined := path
	if !filepath.IsAbs(path) {
		joined = filepath.Join(cwd, path)
	}
	if filepath.Clean(joined) != full { // it has ".." after a link
		path = full
	}
	if project == "" {
		return diskFile(OriginFile, path, o)
	}
	text, err := projectfile.ReadInside(project, full, projectfile.MaxText)
	f := fileOf(project, full, path, text, err)
	f.origin = OriginFile
	for _, beside := range schema.ScriptDirs(full) {
		around := project
		if _, inside := projectfile.Relative(absolute(project), absolute(beside)); !inside {
			around = filepath.Dir(beside) // ../integration-scripts, of a file in the working directory
		}
		f.scripts = append(f.scripts, projectfile.FS(around, beside))
	}
	f.scripts = append(f.scripts, o.Scripts...)
	return f
}

// readFile reads an adapter file of a project, once: an agent or another program may replace it
// at any time. It does not open one that links lead out of the project.
func readFile(project, path string, limit int64) *file {
	text, err := projectfile.ReadInside(project, path, limit)
	return fileOf(project, path, path, text, err)
}

// fileOf returns an adapter file of a project whose content was read, or could not be. Messages have the path shown.
func fileOf(project, path, shown string, text []byte, err error) *file {
	f := &file{path: shown, beside: projectfile.FS(project, filepath.Dir(path))}
	f.header = sync.OnceValue(func() header { return readHeader(text) })
	if err != nil {
		f.load = func() (*schema.Adapter, []byte, []schema.Diagnostic) { return nil, nil, schema.Unreadable(shown, err) }
		return f
	}
	f.size = int64(len(text))
	f.load = func() (*schema.Adapter, []byte, []schema.Diagnostic) {
		a, diagnostics := schema.Parse(shown, text, schema.Options{Scripts: f.scripts})
		return a, text, diagnostics
	}
	return f
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// excess says which limit of a project's adapters the files exceed; "" means none.
func excess(dir string, names []string) string {
	if len(names) > maxProjectFiles {
		return fmt.Sprintf("%d of them, and at most %d are read", len(names), maxProjectFiles)
	}
	var size int64
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			size += info.Size()
		}
	}
	if size > maxProjectBytes {
		return fmt.Sprintf("%d KB of them, and at most %d KB are read", size>>10, maxProjectBytes>>10)
	}
	return ""
}

// openEmbedded looks into the files that come with the binary.
func openEmbedded(fsys fs.FS, o schema.Options) (*layer, error) {
	names, err := yamlFiles(fsys)
	if err != nil {
		return nil, fmt.Errorf("the embedded adapters cannot be listed: %w", err)
	}
	l := &layer{origin: OriginEmbedded}
	for _, name := range names {
		f := &file{origin: OriginEmbedded, path: OriginEmbedded + "/" + name, beside: fsys, scripts: o.Scripts, header: headerOf(fsys, name, maxEmbeddedHead)}
		f.load = func() (*schema.Adapter, []byte, []schema.Diagnostic) { return loadEmbedded(fsys, name, f.path, o) }
		l.files = append(l.files, f)
	}
	return l, nil
}

func loadEmbedded(fsys fs.FS, name, source string, o schema.Options) (*schema.Adapter, []byte, []schema.Diagnostic) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, nil, []schema.Diagnostic{{File: source, Kind: schema.KindFile, Severity: schema.SeverityError, Message: err.Error()}}
	}
	a, diagnostics := schema.ParseValid(source, data, o)
	return a, data, diagnostics
}

func diskFile(origin, path string, o schema.Options) *file {
	return &file{
		origin: origin, path: path, beside: os.DirFS(filepath.Dir(path)), scripts: o.ForFile(path).Scripts,
		header: sync.OnceValue(func() header { return header{} }),
		load:   func() (*schema.Adapter, []byte, []schema.Diagnostic) { return schema.LoadText(path, o) },
	}
}

// yamlFiles lists the adapter files of a directory in order. Hidden files, which editors
// create, and files that are not regular are left out: a pipe would block the reader.
func yamlFiles(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
			continue
		}
		if !entry.Type().IsRegular() { // a link may lead to one
			if info, err := fs.Stat(fsys, name); err == nil && !info.Mode().IsRegular() {
				continue
			}
		}
		names = append(names, name) // a dangling link stays: loading it reports the error
	}
	return names, err
}

// result is the entry, or a *BrokenError.
func (f *file) result() (*Entry, error) {
	f.once.Do(f.parse)
	if f.entry.Adapter == nil {
		return nil, &BrokenError{Name: f.entry.Name, Path: f.path, Diagnostics: f.entry.Diagnostics}
	}
	return &f.entry, nil
}

func (f *file) parse() {
	a, text, diagnostics := f.load()
	f.entry = Entry{Adapter: a, Origin: f.origin, Path: f.path, Files: f.beside, Scripts: f.scripts, Diagnostics: diagnostics, Text: text}
	if a == nil {
		f.entry.Name = f.claimedName()
	} else {
		f.entry.Name, f.entry.Aliases = a.Name, a.Aliases
	}
	f.trusted = f.trusts == nil || a != nil && f.trusts(&f.entry)
}

// usable reports whether the file may stand for a name. One that a project brings has to
// be trusted for that, and to load: it takes no name from anybody else otherwise.
func (f *file) usable() bool {
	f.once.Do(f.parse)
	return f.trusted && (f.origin != OriginProject || f.entry.Adapter != nil)
}

// claimedName is the name that a file which does not load seems to have.
func (f *file) claimedName() string {
	if name := f.header().name; name != "" {
		return name
	}
	return f.base()
}

// base is the file's name without .yaml.
func (f *file) base() string {
	base := filepath.Base(f.path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

func (f *file) name() string {
	f.once.Do(f.parse)
	return f.entry.Name
}

func (f *file) aliases() []string {
	f.once.Do(f.parse)
	return f.entry.Aliases
}

// mayBe reports, without parsing, whether the file can have the name or alias.
func (f *file) mayBe(name string) bool {
	return f.header().mentions(name) || f.claimedName() == name
}

// mayBeOdd is like mayBe, and also true for each file that does not come with ripple: its header may be too unusual to be read.
func (f *file) mayBeOdd(name string) bool {
	return f.origin != OriginEmbedded || f.mayBe(name)
}

// names returns the file's name and its aliases. Files that come with ripple are not parsed for them.
func (f *file) names() []string {
	h := f.header()
	_, rest, aliased := strings.Cut(h.text, "\naliases:")
	list, ok := strings.CutPrefix(rest, " [")
	if f.origin != OriginEmbedded || !h.plain || aliased && (!ok || strings.ContainsAny(list, `"'#`)) {
		return append([]string{f.name()}, f.aliases()...)
	}
	list, _, _ = strings.Cut(list, "]")
	return append([]string{f.claimedName()}, strings.FieldsFunc(list, func(c rune) bool { return strings.ContainsRune(", \n", c) })...)
}
