// Package early starts the process that works before the rest of this one is
// initialised, where the command line says that there will be one. The process that
// only waits is then there in a third of the time. It imports nothing but what
// internal/keeper does, for the same reason.
package early

// Guarded tells of a command line, without the program's name, whether its command is
// one of those that ui.App.Guarded runs. It may err: whoever is not started early is
// started there, and nothing is wrong with a command that did not need it.
func Guarded(args []string) bool {
	switch {
	case len(args) > 0 && args[0] == "exec":
		return true
	case len(args) > 0 && args[0] == "run":
		return !has(args, "--dry-run")
	case len(args) > 1:
		switch args[0] + " " + args[1] {
		case "adapter test", "agent run", "console host":
			return true
		}
	}
	return false
}

func has(args []string, flag string) bool {
	for _, a := range args {
		if a == flag {
			return true
		}
	}
	return false
}
