package git

import (
	"context"
	"slices"
	"strings"
)

// Since version 2.54, git also runs programs of its settings as hooks: hook.NAME.event says when, hook.NAME.command
// which. core.hooksPath does not concern them; hook.NAME.enabled switches one off. hook.EVENT.enabled of version 2.55
// is not enough: a setting hook.EVENT.command turns it into the switch of a hook with the name EVENT.

// hooksOff returns the arguments that switch off all hooks of settings that git reads in the working tree. Files that
// are included under a condition, which may hold only in a working tree that git adds, need approval, see risks.go.
func (r *Repo) hooksOff(ctx context.Context) (args []string, err error) {
	out, err := command(ctx, r.Top, gitConfig, "--null", "--get-regexp", `^hook\..*\.event$`)
	if err != nil && !Ended(err) { // it ends with 1 if there are none
		return nil, err
	}
	for _, name := range hookNames(out) {
		if name = "hook." + name + ".enabled"; strings.Contains(name, "=") {
			args = append(args, "--config-env="+name+"="+offVariable) // as -c, it would end at its first =
		} else {
			args = append(args, "-c", name+"=false")
		}
	}
	return args, nil
}

const offVariable = "RIPPLE_HOOKS_OF_SETTINGS" // is "false" for git

// hookNames returns the names of the hooks in settings that git lists as "key\nvalue\x00".
func hookNames(list string) (names []string) {
	for entry := range strings.SplitSeq(list, "\x00") {
		key, _, _ := strings.Cut(entry, "\n")
		key, isEvent := strings.CutSuffix(key, ".event")
		name, isHook := strings.CutPrefix(key, "hook.")
		if isEvent && isHook && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
