package loopcmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/registry"
)

// guardedPaths lists paths below the home directory that no adapter of a project may open in a box: those of secrets, which
// a box hides, and files that shells, desktops or git run when they start.
var guardedPaths = append(box.Secrets(), strings.Fields(`
	.profile .bash_profile .bash_login .bash_logout .bashrc .bash_aliases .inputrc
	.zshenv .zprofile .zshrc .zlogin .zlogout .zsh .oh-my-zsh .kshrc .mkshrc .cshrc .tcshrc .login .logout
	.config/fish .local/share/fish .config/nushell .config/powershell .config/xonsh .xonshrc .elvish .config/elvish
	.gitconfig .config/git .xprofile .xinitrc .xsession .xsessionrc .pam_environment
	.config/autostart .config/environment.d .config/systemd .local/share/systemd
	bin .local/bin .cargo/bin
`)...)

// checkState refuses an adapter of a project that opens a guarded path in a box, or a directory around one. home is the home
// directory without symbolic links.
func checkState(e *registry.Entry, home string) error {
	if e.Origin != registry.OriginProject {
		return nil
	}
	for _, state := range e.Adapter.Agent.State {
		for _, guarded := range guardedPaths {
			if !overlap(places(home, state), places(home, guarded)) {
				continue
			}
			return ui.FailWith(ui.ExitUsage, fmt.Errorf("%s is this project's adapter, and its agent.state names ~/%s: a box opens ~/%s, which may hold secrets or commands that a shell runs when it starts, only for an adapter of yours or one given by its path",
				e.Name, ui.Harmless(state), guarded), "read the adapter; to use it all the same, move it to ~/.config/ripple/adapters, or give its path with --adapter")
		}
	}
	return nil
}

// places returns a path below the home directory, and where its symbolic links lead.
func places(home, name string) []string {
	path := filepath.Join(home, name)
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		return []string{path, real}
	}
	return []string{path}
}

// overlap reports whether a path of one list is, contains or is in a path of the other.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(a string) bool {
		return slices.ContainsFunc(b, func(b string) bool { return strings.HasPrefix(a+"/", b+"/") || strings.HasPrefix(b+"/", a+"/") })
	})
}
