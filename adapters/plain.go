//go:build !packed

package adapters

import (
	"embed"
	"io/fs"
)

//go:embed testdata
var plain embed.FS

func testdata() (fs.FS, error) { return plain, nil }
