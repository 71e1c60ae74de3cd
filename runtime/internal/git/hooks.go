package git

import (
	"slices"
	"strings"
)

// Since version 2.54, git also runs programs of its settings as hooks: hook.NAME.event says when, hook.NAME.command
// which. core.hooksPath does not concern them; hook.NAME.enabled switches one off. hook.EVENT.enabled of version 2.55
// is not enough: a setting hook.EVENT.command turns it into the switch of a hook with the name EVENT.

// hooksOff returns the arguments that switch off all hooks of some settings. Files that are included under a condition,
// which may hold only in a working tree that git adds, need approval, see risks.go.
func hooksOff(all []setting) (args []string) {
	for _, name := range hookNames(all) {
		if name = "hook." + name + ".enabled"; strings.Contains(name, "=") {
			args = append(args, "--config-env="+name+"="+offVariable) // as -c, it would end at its first =
		} else {
			args = append(args, "-c", name+"=false")
		}
	}
	return args
}

const offVariable = "RIPPLE_HOOKS_OF_SETTINGS" // is "false" for git

// hookNames returns the names of the hooks in some settings.
func hookNames(all []setting) (names []string) {
	for _, s := range all {
		key, isEvent := strings.CutSuffix(s.key, ".event")
		name, isHook := strings.CutPrefix(key, "hook.")
		if isEvent && isHook && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
