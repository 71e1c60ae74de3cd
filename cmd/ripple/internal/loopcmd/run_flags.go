package loopcmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop/config"
)

// aloneArg takes the argument after a flag that stands alone for its value: a flag whose
// value may be missing gets one only after "=".
func aloneArg(cmd *cobra.Command, args []string) error {
	var alone []*pflag.Flag
	for _, s := range config.Settings() {
		if f := cmd.Flags().Lookup(s.Flag); s.Alone != "" && f.Changed && f.Value.String() == s.Alone {
			alone = append(alone, f)
		}
	}
	if len(args) != 1 || len(alone) != 1 {
		return ui.NoArgs(cmd, args)
	}
	return alone[0].Value.Set(args[0])
}

// checkRunFlags rejects flags with an empty value, which is most often an unset variable of a script,
// and flags that exclude each other.
func checkRunFlags(flags *pflag.FlagSet) error {
	for _, name := range []string{"prompt", "prompt-file", "model", "adapter", "worktree", "verify", "fallback", "allow", "deny", "on-question", "box-write", "box-read", "box-net", "box-env"} {
		values := []string{flags.Lookup(name).Value.String()}
		if list, err := flags.GetStringArray(name); err == nil {
			values = list
		}
		isEmpty := func(v string) bool { return strings.TrimSpace(v) == "" }
		if flags.Changed(name) && (len(values) == 0 || slices.ContainsFunc(values, isEmpty)) { // pflag returns no values for one empty value
			return ui.UsageError("omit the flag, or give it a value", "--%s is empty", name)
		}
	}
	for _, two := range [][2]string{{"prompt", "prompt-file"}, {"fresh", "continue-session"}} {
		if flags.Changed(two[0]) && flags.Changed(two[1]) {
			return ui.UsageError("give one of them", "--%s and --%s cannot be combined", two[0], two[1])
		}
	}
	return nil
}

// changed returns the settings given on the command line, by flag.
func changed(flags *pflag.FlagSet) map[string]string {
	given := map[string]string{}
	for _, s := range config.Settings() {
		if f := flags.Lookup(s.Off); s.Off != "" && f != nil && f.Changed {
			given[s.Off] = f.Value.String()
		}
		f := flags.Lookup(s.Flag)
		if s.Flag == "" || f == nil || !f.Changed {
			continue
		}
		given[s.Flag] = f.Value.String()
		if s.Repeats {
			list, _ := flags.GetStringArray(s.Flag) // it is one
			given[s.Flag] = strings.Join(list, "\n")
		}
	}
	return given
}
