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
		args = append(args, set("hook."+name+".enabled", "false")...)
	}
	return args
}

// Variables of git's environment that have values of set.
const (
	offVariable   = "RIPPLE_HOOKS_OF_SETTINGS" // is "false"
	onVariable    = "RIPPLE_SETTING_TRUE"      // is "true"
	emptyVariable = "RIPPLE_SETTING_EMPTY"
)

// set returns the arguments that give a key the value "true", "false" or "".
func set(key, value string) []string {
	if strings.Contains(key, "=") { // as -c, it would end at its first =
		return []string{"--config-env=" + key + "=" + map[string]string{"false": offVariable, "true": onVariable, "": emptyVariable}[value]}
	}
	return []string{"-c", key + "=" + value}
}

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
