package mcpcmd

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/internal/projectfile"
)

// packages are the files of each package, as templates filled with a setup.
//
//go:embed all:packages
var packages embed.FS

// Packages that consist of more than their template files.
const (
	bundleKind   = "mcpb"     // https://github.com/modelcontextprotocol/mcpb: a zip with the program
	registryKind = "registry" // https://modelcontextprotocol.io/registry: where a bundle is published
)

func packageNames() []string {
	entries, err := packages.ReadDir("packages")
	if err != nil {
		panic(err) // the templates are embedded
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// packaging are the flags for a package.
type packaging struct{ out, name, url, bundle string }

// serverName matches the names that the registry accepts.
var serverName = lazyregexp.New(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

// check returns an error for flags that do not belong to a package, or are missing.
func (p packaging) check(kind string) error {
	known := slices.Contains(packageNames(), kind)
	registry := kind == registryKind
	switch {
	case p.out != "" && (!known || registry):
		return ui.UsageError("to write it to a file: redirect standard output", "--output does not apply to %s, which is printed", kind)
	case known && !registry && p.out == "":
		return ui.UsageError("ripple mcp config "+kind+" -o PATH", "--output is missing")
	case !registry && p.name+p.url+p.bundle != "":
		return ui.UsageError("", "--name, --url and --bundle apply to ripple mcp config %s", registryKind)
	case !registry:
		return nil
	case !serverName().MatchString(p.name):
		return ui.UsageError("use a reversed domain name, a slash and a word: --name org.example/ripple", "--name %q is not a valid server name", p.name)
	case p.bundle == "":
		return ui.UsageError("to create one: ripple mcp config mcpb -o ripple.mcpb", "--bundle is missing")
	}
	if u, err := url.Parse(p.url); err != nil || u.Scheme != "https" || u.Host == "" {
		return ui.UsageError("--url https://example.org/ripple.mcpb", "--url %q is not an address from which the bundle can be downloaded", p.url)
	}
	return nil
}

// write creates a package; if it fails, it leaves nothing behind.
func (p packaging) write(a *ui.App, kind string, s setup) error {
	if kind == registryKind {
		return p.printRegistry(a, s)
	}
	if _, err := os.Lstat(p.out); !errors.Is(err, fs.ErrNotExist) {
		return ui.UsageError("give another path, or remove it", "%s already exists", p.out)
	}
	if err := ui.Outside(p.out); err != nil {
		return ui.UsageError("give the path of that place, or remove the link", "%w", err)
	}
	make := writeTree
	if kind == bundleKind {
		make = writeBundle
	}
	if err := make(p.out, kind, s); err != nil {
		if _, outside := errors.AsType[*ui.OutsideError](err); !outside { // a link was made meanwhile: nothing was written there
			err = errors.Join(err, os.RemoveAll(p.out))
		}
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	a.Printf("%s\n", p.out)
	return nil
}

// each calls f with every filled file of a package.
func each(kind string, s setup, f func(name string, content []byte) error) error {
	root := path.Join("packages", kind)
	return fs.WalkDir(packages, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := packages.ReadFile(name)
		if err != nil {
			return err
		}
		content, err := s.fill(string(text))
		if err != nil {
			return err
		}
		return f(strings.TrimPrefix(name, root+"/"), content)
	})
}

func writeTree(dir, kind string, s setup) error {
	return each(kind, s, func(name string, content []byte) error {
		return ui.CreateFile(filepath.Join(dir, filepath.FromSlash(name)), content, 0o644)
	})
}

// writeBundle writes a zip file with the manifest and this program.
func writeBundle(file, kind string, s setup) error {
	s.Binary, s.Platform = "server/"+filepath.Base(s.Ripple), runtime.GOOS
	if s.Platform == "windows" {
		s.Platform = "win32"
	}
	var bundle bytes.Buffer
	z := zip.NewWriter(&bundle)
	if err := each(kind, s, func(name string, content []byte) error {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		return err
	}); err != nil {
		return err
	}
	if err := addProgram(z, s.Binary, s.Ripple); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return ui.CreateFile(file, bundle.Bytes(), 0o644)
}

func addProgram(z *zip.Writer, name, program string) error {
	in, err := os.Open(program)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // opened for reading only
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	h.SetMode(0o755)
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return err
}

func (p packaging) printRegistry(a *ui.App, s setup) error {
	bundle, err := projectfile.OpenNamed(p.bundle)
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	defer bundle.Close() // only read from
	sum := sha256.New()
	if _, err := io.Copy(sum, bundle); err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	s.Name, s.URL, s.SHA256 = p.name, p.url, hex.EncodeToString(sum.Sum(nil))
	return each(registryKind, s, func(_ string, content []byte) error {
		a.Printf("%s", content)
		return nil
	})
}

// semantic matches a version with three numbers, ignoring what follows them.
var semantic = lazyregexp.New(`^v?([0-9]+\.[0-9]+\.[0-9]+)\b`)

// plainVersion returns a version in the form that packages require; a build without a version is
// 0.0.0.
func plainVersion(version string) string {
	if m := semantic().FindStringSubmatch(version); m != nil {
		return m[1]
	}
	return "0.0.0"
}
