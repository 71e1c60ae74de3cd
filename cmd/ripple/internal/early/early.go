// Package early starts the second process of a command, if the command line calls for one,
// before the rest of this process is initialized. The process that only waits is then
// there in a third of the time, and one that starts a console has its host beside it. It
// imports nothing but what internal/keeper does, for the same reason.
package early

// Guarded tells of a command line, without the program's name, whether its command is
// one of those that ui.App.Guarded runs. It may err: whoever is not started early is
// started there, and nothing is wrong with a command that did not need it.
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

// hosting tells of a command line whether it will start a console. It may err: a host that
// is told nothing ends, and who finds none starts one.
func hosting(args []string) bool {
	return len(args) > 1 && args[0] == "console" && args[1] == "start" && !has(args, "--help") && !has(args, "-h")
}

// PlainStart tells of a command line whether it starts a console with nothing said but
// the adapter, which may be left out, and a name.
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
	In, Out int  // descriptors: its standard input, closed once it is told, and output
	Told    bool // what console it is to be
}

var host *Host

// Hosted gives the host that was started and has not been taken; nil when there is none.
func Hosted() *Host { return host }

// TakeHost gives the host that was started, once; nil when none was.
func TakeHost() *Host {
	h := host
	host = nil
	return h
}

// Plain tells of a command line whether it is `exec` of an adapter by name, with code, and
// with no flag that the start of the adapter's program depends on.
func Plain(args []string) (adapter string, ok bool) {
	if len(args) < 3 || args[0] != "exec" || args[1] == "" || args[1][0] == '-' {
		return "", false
	}
	codes, lines := 0, false
	for i, a := range args[2:] {
		switch {
		case a == "--":
			codes += len(args[2:]) - i - 1
			return plain(args[1], codes, lines)
		case a == "--lines" || a == "--null" || a == "-0":
			lines = true
		case a == "--json":
		case a != "-" && a != "" && a[0] == '-':
			return "", false
		default:
			codes++
		}
	}
	return plain(args[1], codes, lines)
}

func plain(adapter string, codes int, lines bool) (string, bool) {
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
