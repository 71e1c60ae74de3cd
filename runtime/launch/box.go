package launch

import (
	"os"
	"path/filepath"
	"strings"

	"example.org/ripple/internal/owner"
	"example.org/ripple/schema"
)

// Box starts programs in isolation; package box has one.
type Box interface {
	// Environ returns the part of environ that programs get: names are variables besides the usual ones.
	Environ(environ []string, names ...string) []string
	// Wrap returns the command line that starts a program in the box, in the directory dir with
	// the environment env, when it is started outside. The program may also read and write some
	// paths, which may be missing.
	Wrap(argv, env []string, dir string, read, write []string) ([]string, error)
}

// boxEnviron returns the host's environment as a program in a box inherits it: with the
// credentials that the adapter names.
func boxEnviron(a *schema.Adapter, h Host, b Box) func() []string {
	var login []string
	if a.Agent != nil {
		login = a.Agent.Auth.Env
	}
	return func() []string { return b.Environ(h.Environ(), login...) }
}

// wrap returns the command line that starts a program in the request's box. The program may read
// its private directory and, if it is an agent, write its own state.
func wrap(a *schema.Adapter, h Host, r Request, argv, env []string, dir string) ([]string, error) {
	var write []string
	home, err := owner.Home(h.Getenv)
	if err == nil {
		home, err = filepath.EvalSymlinks(home)
	}
	if a.Agent != nil && err == nil {
		for _, name := range a.Agent.State {
			path := filepath.Join(home, name)
			if strings.HasSuffix(name, "/") {
				_ = os.MkdirAll(path, 0o700) // without it, the agent's state ends with the box
			}
			write = append(write, path)
		}
	}
	return r.Box.Wrap(argv, env, dir, []string{r.ScratchDir}, write)
}
