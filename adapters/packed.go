//go:build packed

package adapters

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"io/fs"
	"sync"
)

// A release has testdata as an archive, an eighth of the size. `release pack` writes it.
//
//go:embed testdata.zip.gz
var packed []byte

var testdata = sync.OnceValues(func() (fs.FS, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	archive, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
})
