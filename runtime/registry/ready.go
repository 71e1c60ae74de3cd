package registry

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"ripple/schema"
)

// The adapters that come with the binary are also there ready-made: parsed,
// validated and written as compressed JSON when ripple was made (Generate), with
// the YAML that it was made of. A test holds both to what the files say now.
const (
	readyDir   = "ready"
	readyExt   = ".json.deflate"
	readyIndex = readyDir + "/index" // a line each: file, name and aliases
)

// ready is a line of the index.
type ready struct {
	file   string
	header header
}

// readyMade reads the index; there is none in most file systems.
func readyMade(fsys fs.FS) map[string]ready {
	index, err := fs.ReadFile(fsys, readyIndex)
	if err != nil {
		return nil
	}
	list := map[string]ready{}
	for line := range bytes.Lines(index) {
		if f := strings.Fields(string(line)); len(f) >= 2 {
			list[f[0]] = ready{f[0], header{plain: true, text: strings.Join(f[1:], "\n"), name: f[1]}}
		}
	}
	return list
}

// load reads the ready-made form; nil if it cannot be read.
func (r ready) load(fsys fs.FS, source string, o schema.Options) *schema.Adapter {
	packed, err := fs.ReadFile(fsys, readyFile(r.file))
	if err != nil {
		return nil
	}
	data, err := inflate(packed, nil)
	if err != nil {
		return nil
	}
	a, err := schema.ParseReady(source, data, o)
	if err != nil {
		return nil
	}
	return a
}

func readyFile(name string) string {
	return readyDir + "/" + strings.TrimSuffix(name, path.Ext(name)) + readyExt
}

// deflate compresses (RFC 1951): a ready-made form is a third of its text then. What
// dictionary has need not be said again (nil: there is none).
func deflate(data, dictionary []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriterDict(&b, flate.BestCompression, dictionary)
	if err != nil {
		return nil, err
	}
	if _, err = w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

func inflate(packed, dictionary []byte) ([]byte, error) {
	return io.ReadAll(flate.NewReaderDict(bytes.NewReader(packed), dictionary))
}

// Generate makes the ready-made form of all adapters in fsys, and their compressed
// text: contents by file name, to be written beside them.
func Generate(fsys fs.FS, o schema.Options) (map[string][]byte, error) {
	names, err := yamlFiles(fsys)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	var index bytes.Buffer
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		a, diagnostics := schema.Parse(OriginEmbedded+"/"+name, data, o)
		if a == nil {
			return nil, fmt.Errorf("%s does not load: %v", name, diagnostics[0])
		}
		text, err := a.MarshalReady()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if files[readyFile(name)], err = deflate(text, nil); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if files[readyDir+"/"+name+".deflate"], err = deflate(data, text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintln(&index, name, strings.Join(append([]string{a.Name}, a.Aliases...), " "))
	}
	files[readyIndex] = index.Bytes()
	return files, packTestdata(fsys, files)
}

// packTestdata adds what stands below testdata, a zip for each directory there: their
// text would be a fortieth of the binary.
func packTestdata(fsys fs.FS, files map[string][]byte) error {
	dirs, err := fs.Glob(fsys, "testdata/*")
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		sub, err := fs.Sub(fsys, dir)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
		if err := errors.Join(packDir(z, sub), z.Close()); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		files[readyDir+"/"+path.Base(dir)+".zip"] = b.Bytes()
	}
	return nil
}

// packDir adds the files of a directory without their times.
func packDir(z *zip.Writer, dir fs.FS) error {
	return fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	})
}
