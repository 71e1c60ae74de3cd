package registry

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"example.com/ripple/schema"
)

// The adapters that come with the binary are also precompiled: parsed, validated and
// written as compressed JSON when ripple is built (Generate), with the YAML that they were
// made from. A test compares both with the current files.
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

// load reads the precompiled form; it returns nil if that cannot be read.
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

// deflate compresses (RFC 1951) to about a third. Text in dictionary (nil: none) need not
// be repeated in the result.
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

// Generate makes the precompiled form of all adapters in fsys, and their compressed text.
// It returns contents by file name, to be written beside the adapters.
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

// packTestdata adds the files below testdata, compressed together for each directory there, as
// JSON by name: their text would be a fortieth of the binary.
func packTestdata(fsys fs.FS, files map[string][]byte) error {
	dirs, err := fs.Glob(fsys, "testdata/*")
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		texts := map[string]string{}
		err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := fs.ReadFile(fsys, name)
			if !utf8.Valid(data) {
				return fmt.Errorf("%s is not UTF-8", name)
			}
			texts[strings.TrimPrefix(name, dir+"/")] = string(data)
			return err
		})
		if err != nil {
			return err
		}
		data, err := json.Marshal(texts)
		if err != nil {
			return err
		}
		if files[readyDir+"/"+path.Base(dir)+".testdata.deflate"], err = deflate(data, nil); err != nil {
			return err
		}
	}
	return nil
}
