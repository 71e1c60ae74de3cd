package conformance

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// byPath are the functions of package os that open or change a file by its path.
var byPath = []string{
	"Open", "OpenFile", "Create", "CreateTemp", "ReadFile", "WriteFile", "ReadDir", "DirFS", "OpenRoot",
	"Mkdir", "MkdirAll", "MkdirTemp", "Rename", "Remove", "RemoveAll", "Link", "Symlink", "Truncate", "Chmod", "CopyFS",
}

// opensByPath are the files that may use them, each with the reason.
var opensByPath = map[string]string{
	"cmd/ripple/internal/loopcmd/replay.go":    "replay EVENTS: a file named by the user, which may be a pipe",
	"cmd/ripple/internal/loopcmd/init_from.go": "init --from FILE: a file named by the user",
}

// TestFilesOfAProjectAreOpenedInOnePlace checks that files of a project are opened by the package
// that does not follow links or wait for pipes.
func TestFilesOfAProjectAreOpenedInOnePlace(t *testing.T) {
	used := map[string]bool{}
	eachNode(t, func(file string, line int, n ast.Node) {
		file = strings.ReplaceAll(file, "\\", "/")
		if dir := path.Dir(file); dir != "cmd/ripple/internal/loopcmd" && dir != "runtime/acp" && dir != "runtime/loop" && !strings.HasPrefix(dir, "runtime/loop/") {
			return
		}
		s, is := n.(*ast.SelectorExpr)
		if !is {
			return
		}
		pkg, is := s.X.(*ast.Ident)
		if !is || pkg.Name != "os" && pkg.Name != "ioutil" || !slices.Contains(byPath, s.Sel.Name) {
			return
		}
		used[file] = true
		assert.NotEmptyf(t, opensByPath[file], "%s:%d: os.%s follows the links of a project: use layout.Files or internal/projectfile", file, line, s.Sel.Name)
	})
	for file := range opensByPath {
		assert.Truef(t, used[file], "%s opens nothing by path: remove it from the list", file)
	}
}
