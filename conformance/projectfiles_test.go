package conformance

import (
	"go/ast"
	"go/types"
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

// opensByPath are the files that may use them, and the functions, each with the reason.
var opensByPath = map[string]string{
	"cmd/ripple/internal/adaptercmd/lint.go ReadDir":        "adapter lint DIRECTORY: named by the user; a name that leads to a pipe is left out",
	"cmd/ripple/internal/adaptercmd/merge.go Open":          "adapter merge REPORT: a file named by the user, which may be a pipe",
	"cmd/ripple/internal/adaptercmd/table.go ReadFile":      "agent matrix --write FILE: a file named by the user",
	"cmd/ripple/internal/adaptercmd/with.go MkdirTemp":      "the directory of an agent that improves an adapter",
	"cmd/ripple/internal/adaptercmd/with.go RemoveAll":      "likewise",
	"cmd/ripple/internal/adaptercmd/with_task.go Mkdir":     "in that directory, before the agent starts",
	"cmd/ripple/internal/adaptercmd/with_task.go MkdirAll":  "likewise",
	"cmd/ripple/internal/adaptercmd/with_task.go WriteFile": "likewise",
	"cmd/ripple/internal/agentcmd/map.go Open":              "agent map --stderr FILE: a file named by the user, which may be a pipe",
	"cmd/ripple/internal/agentcmd/transcript.go Remove":     "agent run --transcript FILE: the file beside it; a link is removed, not followed",
	"cmd/ripple/internal/consolecmd/exec.go Open":           "console exec --file FILE: a file named by the user, which may be a pipe",
	"cmd/ripple/internal/execcmd/source.go Open":            "exec --file FILE: a file named by the user, which may be a pipe",
	"cmd/ripple/internal/loopcmd/replay.go Open":            "replay EVENTS: a file named by the user, which may be a pipe",
	"cmd/ripple/internal/mcpcmd/package.go Open":            "the program of ripple itself",
	"cmd/ripple/internal/mcpcmd/package.go RemoveAll":       "a package that was just made",
	"cmd/ripple/internal/mcpcmd/write.go MkdirAll":          "the directory of an AI client's file, whose path was resolved and shown before",
	"cmd/ripple/internal/notice/notice.go MkdirAll":         "the directory of a notice, in the user's home",
	"cmd/ripple/internal/trust/store.go MkdirAll":           "the user's records of approvals",
	"cmd/ripple/internal/trust/store.go ReadDir":            "likewise",
	"cmd/ripple/internal/trust/store.go Remove":             "likewise",
	"cmd/ripple/internal/ui/create.go MkdirAll":             "a file that is not below the current directory: where the user wants it",
	"cmd/ripple/internal/ui/create.go OpenFile":             "likewise",
	"cmd/ripple/internal/ui/create.go OpenRoot":             "below the current directory, links are followed only within it",
	"cmd/ripple/internal/ui/create.go Remove":               "the file that was just created",
	"cmd/ripple/internal/ui/private.go OpenFile":            "a file that is not below the current directory: where the user wants it",
	"cmd/ripple/internal/ui/private.go OpenRoot":            "below the current directory, links are followed only within it",
	"cmd/ripple/internal/ui/trust_items.go Mkdir":           "the directory .ralph, which must not exist",
	"cmd/ripple/manual.go MkdirAll":                         "the directory of the manual pages, named by who builds a package",
	"cmd/ripple/manual.go ReadFile":                         "a page that was just made",
	"cmd/ripple/manual.go WriteFile":                        "in the directory of the manual pages",
	"runtime/console/completion.go ReadDir":                 "names that complete the line of a user",
	"runtime/console/door.go Remove":                        "a socket; a link is removed, not followed",
	"runtime/console/linehistory.go MkdirAll":               "the directory of ripple's state, which may be a link of the user",
	"runtime/console/listen.go Chmod":                       "a socket that was just made",
	"runtime/console/locks_linux.go ReadDir":                "in /proc",
	"runtime/console/locks_linux.go ReadFile":               "likewise",
	"runtime/console/place/claim.go MkdirAll":               "the directory of results",
	"runtime/console/place/claim.go Remove":                 "a socket, a lock or an empty directory; a link is removed, not followed",
	"runtime/console/place/dir.go Mkdir":                    "the directory of sockets, which is checked afterwards",
	"runtime/console/place/dir.go MkdirAll":                 "likewise",
	"runtime/console/record.go OpenFile":                    "in a directory that was locked and emptied, or a file that must not exist",
	"runtime/console/record.go Remove":                      "a file of it; a link is removed, not followed",
	"runtime/console/record.go Rename":                      "files of it",
	"runtime/console/recorded.go ReadDir":                   "only names are used",
	"runtime/console/serve.go OpenFile":                     "in a directory that was locked and emptied",
	"runtime/internal/git/files.go ReadDir":                 "git's directory; only names are used, and the files are examined by check",
	"runtime/internal/git/hooks.go ReadDir":                 "the directory of hooks, which git follows if it is a link; only names are used",
	"runtime/internal/git/index.go Link":                    "the lock of the index, which must not exist; a link is not followed",
	"runtime/internal/git/index.go OpenFile":                "an index of the loop's own, or a lock: they must not exist",
	"runtime/internal/git/index.go Remove":                  "these files; a link is removed, not followed",
	"runtime/internal/git/index.go Rename":                  "the lock to the index; a link there is replaced",
	"runtime/internal/git/lacking.go ReadDir":               "only names are used",
	"runtime/internal/git/locks.go Remove":                  "a lock of git; a link is removed, not followed",
	"runtime/internal/git/outside.go ReadDir":               "git's directory; only names are used, and the files are read with projectfile",
	"runtime/internal/git/states.go ReadDir":                "git's directory; only names are used, and the files are read with projectfile",
	"runtime/internal/git/worktree.go ReadDir":              "the entries of working trees; only names are used",
	"runtime/internal/git/worktree.go Remove":               "a reference that a rebase left; a link is removed, not followed",
	"runtime/internal/git/worktree.go RemoveAll":            "the entry of a working tree that was not finished; links are not followed",
	"runtime/registry/file.go DirFS":                        "names of files; the files of a project are opened by internal/projectfile",
	"schema/load.go DirFS":                                  "a file named by the user and the scripts beside it; the registry replaces both for a project",
	"schema/load.go Open":                                   "a file named by the user and the scripts beside it; the registry replaces both for a project",
}

// ofProjects reports whether the code of a directory opens files of a project, or files of the user that a project may bring, as with
// HOME=$PWD/home.
func ofProjects(dir string) bool {
	switch dir {
	case "runtime/acp", "runtime/console", "runtime/console/place", "runtime/internal/git", "runtime/loop", "runtime/registry", "schema":
		return true
	}
	return strings.HasPrefix(dir, "runtime/loop/") || strings.HasPrefix(dir, "cmd/")
}

// TestFilesOfAProjectAreOpenedInOnePlace checks that files of a project are opened by the package
// that does not follow links or wait for pipes.
func TestFilesOfAProjectAreOpenedInOnePlace(t *testing.T) {
	used := map[string]bool{}
	eachNode(t, func(file string, line int, n ast.Node) {
		file = strings.ReplaceAll(file, "\\", "/")
		if !ofProjects(path.Dir(file)) {
			return
		}
		if c, is := n.(*ast.CallExpr); is && types.ExprString(c.Fun) == "flock.New" {
			locks := slices.ContainsFunc(c.Args, func(e ast.Expr) bool { return strings.Contains(types.ExprString(e), "projectfile.LockFlags") })
			assert.Truef(t, locks, "%s:%d: flock.New follows links and waits for pipes: give it projectfile.LockFlags", file, line)
		}
		s, is := n.(*ast.SelectorExpr)
		if !is {
			return
		}
		pkg, is := s.X.(*ast.Ident)
		if !is || pkg.Name != "os" && pkg.Name != "ioutil" || !slices.Contains(byPath, s.Sel.Name) {
			return
		}
		call := file + " " + s.Sel.Name
		used[call] = true
		assert.NotEmptyf(t, opensByPath[call], "%s:%d: os.%s follows the links of a project: use layout.Files or internal/projectfile", file, line, s.Sel.Name)
	})
	for call := range opensByPath {
		assert.Truef(t, used[call], "%s is not called: remove it from the list", call)
	}
}
