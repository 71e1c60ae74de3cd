package launch

import (
	"slices"
	"strings"

	"example.org/ripple/schema"
)

// offer is a manager that has the program, with the commands that install it.
type offer struct {
	manager  string // as a phrase: "with npm"
	commands []string
}

// offers are those of an adapter, the first that is advised first.
func offers(i schema.Install) []offer {
	all := []offer{
		{"on Debian or Ubuntu", together("apt-get install ", i.Debian)},
		{"with Python", each("pipx install ", i.PyPI)},
		{"with npm", together("npm install -g ", i.NPM)},
		{"with Go", each("go install ", versioned(i.Go))},
		{"with Cargo", together("cargo install ", i.Crates)},
		{"with Coursier", bootstrap(i.Maven)},
	}
	return slices.DeleteFunc(all, func(o offer) bool { return len(o.commands) == 0 })
}

// together is one command for all packages, each is one for each.
func together(command string, packages []string) []string {
	if len(packages) == 0 {
		return nil
	}
	return []string{command + strings.Join(packages, " ")}
}

func each(command string, packages []string) (commands []string) {
	for _, p := range packages {
		commands = append(commands, command+p)
	}
	return commands
}

// versioned is what "go install" takes outside a module.
func versioned(modules []string) (all []string) {
	for _, module := range modules {
		if !strings.Contains(module, "@") {
			module += "@latest"
		}
		all = append(all, module)
	}
	return all
}

// bootstrap makes a launcher in the current directory
// (https://get-coursier.io/docs/cli-bootstrap).
func bootstrap(m *schema.Maven) []string {
	if m == nil {
		return nil
	}
	return []string{"cs bootstrap " + strings.Join(m.Artifacts, " ") + " -M " + m.Main + " -o " + m.Command}
}

// InstallLine returns the first way to install a program, in one line; "" if the adapter
// declares none or i is nil.
func InstallLine(i *schema.Install) string {
	if i == nil {
		return ""
	}
	if all := offers(*i); len(all) > 0 {
		return strings.Join(all[0].commands, " && ")
	}
	if i.Hint != "" {
		return i.Hint
	}
	return i.URL
}

// installAdvice returns InstallLine and where to read more.
func installAdvice(i *schema.Install) string {
	line := InstallLine(i)
	if i == nil || i.URL == "" || line == i.URL {
		return line
	}
	return line + "; see " + i.URL
}
