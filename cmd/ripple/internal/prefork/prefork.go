// Package prefork starts the second process of a command, if the command line calls for one,
// before the rest of this process is initialized. A process that only waits for another then
// starts in a third of the time, and a console's host starts beside the command that needs it.
// For the same reason prefork imports only what internal/keeper imports.
package prefork

// Guarded reports whether a command line, without the program's name, has a command that
// ui.App.Guarded runs. It may be wrong: a command that is not started early is started
// there, and one that is started without need works as well.
func Guarded(args []string) bool {
	if len(args) > 0 && args[0] == "loop" { // its commands are there without it, too
		args = args[1:]
		return len(args) > 0 && args[0] == "run" && !has(args, "--dry-run")
	}
	switch {
	case len(args) > 0 && args[0] == "exec":
		return true
	case len(args) > 0 && args[0] == "run":
		return !has(args, "--dry-run")
	case len(args) > 1:
		switch args[0] + " " + args[1] {
		case "agent run": // its outer process may have a person's terminal to look after
			return !has(args, "--screen") && !has(args, "screen") && !has(args, "--transport=screen")
		case "adapter test", "console host":
			return true
		}
	}
	return false
}

// hosting reports whether a command line will start a console. It may be wrong: a host that
// gets no order ends, and a command that finds no host starts one.
func hosting(args []string) bool {
	return len(args) > 1 && args[0] == "console" && args[1] == "start" && !has(args, "--help") && !has(args, "-h")
}

// PlainStart reports whether a command line starts a console and has no arguments except the
// adapter, which may be missing, and a name.
func PlainStart(args []string) (adapter, name string, ok bool) {
	if !hosting(args) {
		return "", "", false
	}
	const flag = "--name"
	for i := 2; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--json":
		case a == flag && i+1 < len(args):
			i++
			name = args[i]
		case len(a) > len(flag) && a[:len(flag)+1] == flag+"=":
			name = a[len(flag)+1:]
		case a == "" || a[0] == '-' || adapter != "":
			return "", "", false
		default:
			adapter = a
		}
	}
	return adapter, name, true
}

// Host is the process of a console's host.
type Host struct {
	pid     int
	In, Out int  // descriptors of its standard input, closed after the order, and output
	Told    bool // it has its order
}

var startedHost *Host

// Hosted returns the host that was started and not taken, or nil.
func Hosted() *Host { return startedHost }

// TakeHost returns the host that was started, or nil. A host can be taken once.
func TakeHost() *Host {
	h := startedHost
	startedHost = nil
	return h
}

// Plain reports whether a command line is `exec` of an adapter by name, with code, and
// without a flag that affects the start of the adapter's program.
func Plain(args []string) (adapter string, ok bool) {
	if len(args) < 3 || args[0] != "exec" || args[1] == "" || args[1][0] == '-' {
		return "", false
	}
	codes, lines := 0, false
	for i, a := range args[2:] {
		switch {
		case a == "--":
			codes += len(args[2:]) - i - 1
			return hasPlainCode(args[1], codes, lines)
		case a == "--lines" || a == "--null" || a == "-0":
			lines = true
		case a == "--json":
		case a != "-" && a != "" && a[0] == '-':
			return "", false
		default:
			codes++
		}
	}
	return hasPlainCode(args[1], codes, lines)
}

func hasPlainCode(adapter string, codes int, lines bool) (string, bool) {
	if codes == 1 && !lines || codes == 0 && lines {
		return adapter, true
	}
	return "", false
}

func has(args []string, flag string) bool {
	for _, a := range args {
		if a == flag {
			return true
		}
	}
	return false
}
