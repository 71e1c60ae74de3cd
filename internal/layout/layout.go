// Package layout defines the names and locations of a loop's files in a project.
package layout

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// Dir is the directory of the loop's files, relative to the project.
const Dir = ".ralph"

// Files under Dir. The names are those of the Ralph reference implementation; names from
// EventsFile on are ripple's own. docs/running-a-loop.md describes all of them.
const (
	PromptFile = "PROMPT.md"
	PlanFile   = "@fix_plan.md"
	AgentFile  = "@AGENT.md"

	// Current names of the Ralph reference, for projects without the older ones above.
	BarePlanFile  = "fix_plan.md"
	bareAgentFile = "AGENT.md"

	RCFile      = ".ralphrc"   // under Dir and in the project
	IgnoreFile  = ".gitignore" // keeps Dir out of git
	MarkFile    = ".made_here" // for each user, distinguishes a Dir that the user made or trusts from any other
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
	CallsFile    = ".calls"         // the sliding window of one hour
	SnapshotFile = ".turn_snapshot" // the tree before the turn, a digest of the prompt and the number of tasks
	PathsFile    = ".commit_paths"  // paths of the last commit
	WritingFile  = ".commit_git"    // the running git commit
	MakingFile   = ".new_worktree"  // the working tree being created
	InboxFile    = ".topics"        // topics published by a command in the turn
	InboxLock    = ".topics.lock"
	RepliesFile  = ".answers" // users' answers that the record does not have yet
	RepliesLock  = ".answers.lock"
	FaceFile     = ".acp_session" // the editor session that started the run
	TaskFile     = ".acp_task.md" // the task given in that session
)

// Ignore is the content of IgnoreFile.
const Ignore = "# Nothing here is the project's. To have the prompt and the plan in git all the same:\n# git add -f .ralph/PROMPT.md .ralph/@fix_plan.md\n*\n"

// Written are the files that users and agents write.
var Written = []string{PromptFile, PlanFile, AgentFile, BarePlanFile, bareAgentFile, RCFile, IgnoreFile}

// Records are the files that the loop itself writes: they do not count as progress and are never
// committed.
var Records = []string{
	StatusFile, BreakerFile, SessionFile, HistoryFile, IDFile, StartFile, LiveFile, LogsDir,
	EventsFile, LockFile, CallsFile, SnapshotFile, PathsFile, WritingFile, MakingFile, InboxFile, InboxLock,
	RepliesFile, RepliesLock, FaceFile, TaskFile, MarkFile,
}

const (
	TempMark       = ".ripple-tmp-" // in the name of a temporary file
	CorruptMark    = ".corrupt"     // suffix of a file that could not be read
	worktreeSuffix = "-worktree"
)

// Files returns a project's loop files, by their names under Dir.
func Files(project string) projectfile.Dir { return projectfile.In(project, Dir) }

// maxListing limits the size, in bytes, of files that list a whole tree.
const maxListing = 512 << 20

// Read reads a loop file of a project. Errors: *projectfile.RefusedError and those of the system.
func Read(project, name string) ([]byte, error) {
	limit := int64(projectfile.MaxText)
	if name == SnapshotFile || name == PathsFile {
		limit = maxListing
	}
	return Files(project).Read(name, limit)
}

// Check returns an error if Dir exists in the project and is not a directory.
func Check(project string) error { return Files(project).Check() }

// IsRecord reports whether path, relative to the project and with slashes, is a file that the
// loop itself writes.
func IsRecord(name string) bool {
	rest, inside := strings.CutPrefix(name, Dir+"/")
	if !inside {
		return name == Dir+"/"
	}
	top, _, _ := strings.Cut(rest, "/")
	return slices.Contains(Records, strings.TrimSuffix(top, CorruptMark)) ||
		strings.HasPrefix(path.Base(rest), TempMark) || strings.Contains(rest+"/", worktreeSuffix+"/")
}

// There reports whether name exists; a dangling link counts.
func There(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsLoops reports whether path is under Dir, including the prompt and the plan.
func IsLoops(name string) bool { return strings.HasPrefix(name, Dir+"/") }

// Worktree returns the location of a branch's working tree, relative to the project.
func Worktree(branch string) string { return path.Join(Dir, branch+worktreeSuffix) }

// BranchOf returns the branch of such a working tree, or "" if dir is not one.
func BranchOf(dir string) string {
	rest, inside := strings.CutPrefix(filepath.ToSlash(dir), Dir+"/")
	branch, is := strings.CutSuffix(rest, worktreeSuffix)
	if !inside || !is {
		return ""
	}
	return branch
}

// bareNames maps file names to their alternatives in projects of the Ralph reference.
var bareNames = map[string]string{PlanFile: BarePlanFile, AgentFile: bareAgentFile}

// NameIn returns the name that PlanFile or AgentFile has in a directory of loop files: the one
// with the @, unless only the one without it exists.
func NameIn(files projectfile.Dir, name string) string {
	if bare := bareNames[name]; bare != "" && !files.Exists(name) && files.Exists(bare) {
		return bare
	}
	return name
}

// TwoPlans reports whether files has a plan under both names.
func TwoPlans(files projectfile.Dir) bool {
	return files.Exists(PlanFile) && files.Exists(BarePlanFile)
}

// PlanIn returns the name, under Dir, of the task list for an agent that works in dir: the one in
// dir if it exists, as in a worktree, otherwise the project's.
func PlanIn(project, dir string) string {
	if rel, inside := projectfile.Relative(filepath.Join(project, Dir), dir); inside {
		own := NameIn(projectfile.In(project, path.Join(Dir, rel, Dir)), PlanFile)
		if own = path.Join(rel, Dir, own); Files(project).Exists(own) {
			return own
		}
	}
	return NameIn(Files(project), PlanFile)
}
