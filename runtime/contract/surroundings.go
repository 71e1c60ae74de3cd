package contract

import (
	"fmt"
	"os"
	"path/filepath"

	"example.org/ripple/runtime/internal/scratch"
	"example.org/ripple/schema"
)

// surroundings holds the private directories of one run. Each session has a different HOME, because
// a program writes its history there when it ends.
type surroundings struct {
	private          *scratch.Dir
	root, work, temp string
}

func newSurroundings() (*surroundings, error) {
	scratch.SweepOnce("", 0)
	private, err := scratch.New("", "contract")
	if err != nil {
		return nil, err
	}
	root := private.Path
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved // a program that reports its cwd reports the real path
	}
	s := &surroundings{private, root, filepath.Join(root, "work"), filepath.Join(root, "tmp")}
	for _, dir := range []string{s.work, s.temp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			s.remove()
			return nil, fmt.Errorf("private directory for the run: %w", err)
		}
	}
	return s, nil
}

func (s *surroundings) remove() {
	s.private.Remove()
}

// newHome creates an empty HOME.
func (s *surroundings) newHome() (string, error) {
	home, err := os.MkdirTemp(s.root, "home-")
	if err != nil {
		return "", fmt.Errorf("private HOME: %w", err)
	}
	return home, nil
}

// env returns variables that a session of the run gets in addition to the adapter's own
// environment; variables that the adapter sets itself are left out.
func (s *surroundings) env(a *schema.Adapter, home string) []string { return Environ(a, home, s.temp) }

// Environ returns variables that a program gets in addition to the adapter's environment, so that
// it neither reads nor changes its user's files: the caller's home and directory for temporary
// files, no history, no readline settings. Variables that the adapter sets are left out.
func Environ(a *schema.Adapter, home, temp string) []string {
	ours := [][2]string{
		{"HOME", home},
		{"XDG_CONFIG_HOME", filepath.Join(home, ".config")},
		{"XDG_DATA_HOME", filepath.Join(home, ".local", "share")},
		{"XDG_STATE_HOME", filepath.Join(home, ".local", "state")},
		{"XDG_CACHE_HOME", filepath.Join(home, ".cache")},
		{"TMPDIR", temp},
		{"HISTFILE", filepath.Join(home, ".history")},
		{"INPUTRC", os.DevNull},
		{"LC_ALL", "C.UTF-8"},
	}
	var env []string
	for _, kv := range ours {
		if _, declared := a.Process.Env[kv[0]]; !declared {
			env = append(env, kv[0]+"="+kv[1])
		}
	}
	return env
}
