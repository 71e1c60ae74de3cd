package loop

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
)

// readPrompt reads PROMPT.md. It is called before each turn, because users edit the file while the loop runs.
func (l *Loop) readPrompt() (string, error) {
	if l.o.Prompt != "" {
		return l.o.Prompt, nil
	}
	path := l.promptPath()
	data, err := l.readTask(path)
	blank := err == nil && strings.TrimSpace(string(data)) == ""
	switch how := l.state.Prompt; {
	case how != "" && (blank || errors.Is(err, fs.ErrNotExist)):
		return "", l.noPrompt(fmt.Sprintf("%s was %s.", path, how))
	case errors.Is(err, fs.ErrNotExist):
		return "", l.noPrompt("There is no " + path + ".")
	case errors.Is(err, syscall.EISDIR):
		return "", l.noPrompt(path + " is a directory.")
	case blank:
		return "", l.noPrompt(path + " is empty.")
	}
	if refused, is := errors.AsType[*projectfile.RefusedError](err); is && l.o.PromptFile != "" {
		return "", l.noPrompt(refused.Error() + ".")
	}
	l.prompt = digest(data)
	return string(data), err
}

func (l *Loop) promptPath() string {
	return cmp.Or(l.o.PromptFile, l.store.Path(layout.PromptFile))
}

// readTask reads a file that the user or the project named, or one of the loop's own files. A file of the project that the user
// named remains one: a link in its place may not give an agent a file that, for example, its box does not show. Nor does a path that the
// user names in a project, or in another directory that its box can write, lead out of it by a link, which an agent in a box may
// have made in an earlier run.
func (l *Loop) readTask(path string) ([]byte, error) {
	if name, own := projectfile.Relative(l.store.Path(""), absolute(path)); own {
		return layout.Read(l.project, name)
	}
	data, err := projectfile.ReadInside(l.project, path, projectfile.MaxText)
	l.inProject = l.inProject || l.o.PromptInside || err == nil
	if _, refused := errors.AsType[*projectfile.RefusedError](err); refused && !l.inProject {
		if l.o.Box != nil {
			if dir := l.o.Box.Writable(path); dir != "" {
				return projectfile.ReadInside(dir, path, projectfile.MaxText)
			}
		}
		return projectfile.ReadNamed(path, projectfile.MaxText)
	}
	return data, err
}

// absolute returns an absolute path without symbolic links in its directory.
func absolute(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

func (l *Loop) noPrompt(why string) *Stop {
	s := &Stop{Reason: ReasonPromptMissing, Message: why}
	if l.o.PromptFile != "" {
		s.Fix = "write the task into it, or name another file"
	}
	return s
}

// comparePrompt reports that the task changed while a turn ran: the agent may have rewritten it. before is the digest of the
// earlier content. following is the turn that is taken afterwards, "next" or "repeated".
func (l *Loop) comparePrompt(e *ended, before, following string) {
	if l.o.Prompt != "" {
		return
	}
	data, err := l.readTask(l.promptPath())
	how, then := "", "the "+following+" turn gets it as it is now"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		how, then = "removed", "without it, the loop takes no further turn"
	case err != nil:
		return // the next turn reports it
	case digest(data) == before, e.outcome.Prompt != "" && string(data) == e.outcome.Prompt:
		return
	case strings.TrimSpace(string(data)) == "":
		how, then = "emptied", "without it, the loop takes no further turn"
	default:
		how = "changed"
	}
	l.state.Prompt, l.state.PromptTurn = fmt.Sprintf("%s while turn %d ran", how, e.turn), e.turn
	l.note(fmt.Sprintf("%s was %s, by you or by the agent: %s", l.promptName(), l.state.Prompt, then))
}
