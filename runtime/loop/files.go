package loop

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Dir is the directory of the loop's files, in the project.
const Dir = ".ralph"

// Files under Dir. The names are the seed's; those from EventsFile on are ours. All
// of them stand in docs/running-a-loop.md.
const (
	PromptFile  = "PROMPT.md"
	PlanFile    = "@fix_plan.md"
	AgentFile   = "@AGENT.md"
	RCFile      = ".ralphrc"   // under Dir and in the project
	IgnoreFile  = ".gitignore" // keeps Dir out of git
	StatusFile  = "status.json"
	BreakerFile = ".circuit_breaker_state"
	SessionFile = ".ralph_session"
	HistoryFile = ".ralph_session_history"
	IDFile      = ".claude_session_id"
	StartFile   = ".loop_start_sha"
	LiveFile    = "live.log"
	LogsDir     = "logs"

	EventsFile   = "events.jsonl"
	LockFile     = "loop.lock"
	callsFile    = ".calls"         // the sliding hour
	snapshotFile = ".turn_snapshot" // the tree before the turn
	pathsFile    = ".commit_paths"  // what the last commit was made of
	writingFile  = ".commit_git"    // the git that makes it
	makingFile   = ".new_worktree"  // the working tree that is being made
)

// Ignore is the content of IgnoreFile.
const Ignore = "# Nothing here is the project's. To have the prompt and the plan in git all the same:\n# git add -f .ralph/PROMPT.md .ralph/@fix_plan.md\n*\n"

// kept are the files that the loop writes itself: they are no progress and are
// never committed.
var kept = []string{
	StatusFile, BreakerFile, SessionFile, HistoryFile, IDFile, StartFile, LiveFile, LogsDir,
	EventsFile, LockFile, callsFile, snapshotFile, pathsFile, writingFile, makingFile,
}

const (
	tempMark       = ".ripple-tmp-"
	corruptMark    = ".corrupt"
	worktreeSuffix = "-worktree"
)

// CheckDir is the error of a project whose Dir is there and no directory.
func CheckDir(project string) error {
	path := filepath.Join(project, Dir)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file, and a loop keeps its own in a directory of that name: move it away", path)
	}
	return nil
}

// readFile reads a file that is one: a pipe could let the loop wait for ever.
func readFile(path string) ([]byte, error) {
	if err := notPipe(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func notPipe(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return fmt.Errorf("%s is a pipe or socket and should be a file: remove it", path)
	}
	return nil
}

// bookkeeping says whether a path, from the project and with slashes, is a file
// that the loop writes itself.
func bookkeeping(name string) bool {
	rest, inside := strings.CutPrefix(name, Dir+"/")
	if !inside {
		return name == Dir+"/"
	}
	top, _, _ := strings.Cut(rest, "/")
	return slices.Contains(kept, strings.TrimSuffix(top, corruptMark)) ||
		strings.HasPrefix(path.Base(rest), tempMark) || strings.Contains(rest+"/", worktreeSuffix+"/")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// ofLoop says whether a path is under Dir: the prompt and the plan too.
func ofLoop(name string) bool { return strings.HasPrefix(name, Dir+"/") }
