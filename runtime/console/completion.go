package console

import (
	"os"
	"path/filepath"
	"strings"

	"example.org/ripple/internal/owner"
	"example.org/ripple/runtime/internal/lineedit"
)

// completion returns the sources of completions: the words on the user's screen and the names in
// the file system, which the program shares. In further lines of a command, Tab indents.
func (e *LineEditor) completion() lineedit.Completion {
	return lineedit.Completion{
		Indents: func() bool { return e.prompt.Continuation },

		Text: func() string { return string(e.paint.screen.AppendText(nil)) },
		Files: func(word string) []string {
			if !e.prompt.Shell && !strings.Contains(word, "/") { // a name in the program's language
				return nil
			}
			home := ""
			if e.getenv != nil {
				home, _ = owner.Home(e.getenv) // "": names in it are not completed
			}
			return filesNamed(word, e.prompt.Cwd, home)
		},
	}
}

// furtherLine reports whether a line that is entered now, or one after the first of pasted text, continues a command. For text that
// is pasted at a first prompt this is unknown; outside of shells, a line that begins with a blank is rarely a command.
func (e *LineEditor) furtherLine(pasted bool) bool {
	return e.prompt.Continuation || pasted && !e.prompt.Shell
}

// filesNamed returns the files whose names begin with word, spelled as in word; names of
// directories end with a slash. Hidden files are included only if word asks for them.
func filesNamed(word, cwd, home string) (names []string) {
	slash := strings.LastIndexByte(word, '/') + 1
	folder, begin := word[:slash], word[slash:]
	in := folder
	switch rest, atHome := strings.CutPrefix(folder, "~/"); {
	case atHome && home != "":
		in = filepath.Join(home, rest)
	case strings.HasPrefix(word, "~"):
		return nil
	case !filepath.IsAbs(in):
		if cwd == "" {
			return nil
		}
		in = filepath.Join(cwd, in)
	}
	entries, _ := os.ReadDir(in) // an unreadable directory has no completions
	for _, f := range entries {
		name := f.Name()
		if !strings.HasPrefix(name, begin) || begin == "" && name[0] == '.' {
			continue
		}
		if is, err := os.Stat(filepath.Join(in, name)); err == nil && is.IsDir() {
			name += "/"
		}
		names = append(names, folder+name)
	}
	return names
}
