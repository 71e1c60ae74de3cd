// Package layout says which files a loop keeps in a project, and where.
package layout

import (
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
	CallsFile    = ".calls"         // the sliding hour
	SnapshotFile = ".turn_snapshot" // the tree before the turn
	PathsFile    = ".commit_paths"  // what the last commit was made of
	WritingFile  = ".commit_git"    // the git that makes it
	MakingFile   = ".new_worktree"  // the working tree that is being made
	InboxFile    = ".topics"        // what the turn publishes by a command
	InboxLock    = ".topics.lock"
	RepliesFile  = ".answers" // what people answer, until the record has it
	RepliesLock  = ".answers.lock"
	FaceFile     = ".acp_session" // which session of an editor began the run
	TaskFile     = ".acp_task.md" // what it was asked for there
)

// Ignore is the content of IgnoreFile.
const Ignore = "# Nothing here is the project's. To have the prompt and the plan in git all the same:\n# git add -f .ralph/PROMPT.md .ralph/@fix_plan.md\n*\n"

// Records are the files that the loop writes itself: they are no progress and are
// never committed.
var Records = []string{
	StatusFile, BreakerFile, SessionFile, HistoryFile, IDFile, StartFile, LiveFile, LogsDir,
	EventsFile, LockFile, CallsFile, SnapshotFile, PathsFile, WritingFile, MakingFile, InboxFile, InboxLock,
	RepliesFile, RepliesLock, FaceFile, TaskFile,
}

const (
	TempMark       = ".ripple-tmp-" // in the name of a file that is being written
	CorruptMark    = ".corrupt"     // behind the name of one that could not be read
	worktreeSuffix = "-worktree"
)

// Check is the error of a project whose Dir is there and no directory.
func Check(project string) error {
	path := filepath.Join(project, Dir)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file, and a loop keeps its own in a directory of that name: move it away", path)
	}
	return nil
}

// ReadFile reads a file that is one: a pipe could let the loop wait for ever.
func ReadFile(path string) ([]byte, error) {
	if err := NotPipe(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// NotPipe is the error of a path that leads to a pipe or socket.
func NotPipe(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return fmt.Errorf("%s is a pipe or socket and should be a file: remove it", path)
	}
	return nil
}

// IsRecord says whether a path, from the project and with slashes, is a file
// that the loop writes itself.
func IsRecord(name string) bool {
	rest, inside := strings.CutPrefix(name, Dir+"/")
	if !inside {
		return name == Dir+"/"
	}
	top, _, _ := strings.Cut(rest, "/")
	return slices.Contains(Records, strings.TrimSuffix(top, CorruptMark)) ||
		strings.HasPrefix(path.Base(rest), TempMark) || strings.Contains(rest+"/", worktreeSuffix+"/")
}

// There says whether something has a name, be it a link to nothing.
func There(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsLoops says whether a path is under Dir: the prompt and the plan too.
func IsLoops(name string) bool { return strings.HasPrefix(name, Dir+"/") }

// Worktree is where the working tree of a branch is, from the project.
func Worktree(branch string) string { return path.Join(Dir, branch+worktreeSuffix) }

// PlanIn is the task list that an agent sees which works in dir: its own, where it has
// one, as in a worktree, else the project's.
func PlanIn(project, dir string) string {
	own := filepath.Join(dir, Dir, PlanFile)
	if There(own) {
		return own
	}
	return filepath.Join(project, Dir, PlanFile)
}
