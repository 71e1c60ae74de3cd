package box

import (
	"os"
	"slices"
	"strings"
)

// installers lists the commands that install bubblewrap, by ID or ID_LIKE of the distribution.
var installers = []struct{ ids, command string }{
	{"debian ubuntu", "apt-get install -y bubblewrap"},
	{"fedora rhel centos amzn", "dnf install -y bubblewrap"},
	{"arch", "pacman -S --noconfirm bubblewrap"},
	{"alpine", "apk add bubblewrap"},
	{"suse opensuse", "zypper install -y bubblewrap"},
	{"gentoo", "emerge sys-apps/bubblewrap"},
	{"void", "xbps-install -y bubblewrap"},
	{"nixos", "nix-env -iA nixos.bubblewrap"},
}

// installer returns the command that installs bubblewrap on this machine.
func installer() string {
	release, _ := os.ReadFile("/etc/os-release") // without the file, the distribution is unknown
	command := installerFor(string(release))
	if command == "" {
		return "install the package bubblewrap"
	}
	if os.Geteuid() != 0 && !strings.HasPrefix(command, "nix-env") {
		command = "sudo " + command
	}
	return command
}

func installerFor(release string) string {
	var ids []string
	for _, key := range []string{"ID=", "ID_LIKE="} {
		for line := range strings.Lines(release) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), key); ok {
				ids = append(ids, strings.Fields(strings.Trim(v, `"'`))...)
			}
		}
	}
	for _, id := range ids {
		for _, i := range installers {
			if slices.ContainsFunc(strings.Fields(i.ids), func(known string) bool { return id == known || known == "suse" && strings.HasPrefix(id, "opensuse") }) {
				return i.command
			}
		}
	}
	return ""
}

// switches lists kernel settings that disable user namespaces, with the value that does so.
var switches = []struct{ file, off, fix string }{
	{"/proc/sys/kernel/unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"},
	{"/proc/sys/user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"},
	{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"},
}

// namespacesFix returns what allows bubblewrap to create namespaces on this machine.
func namespacesFix() string {
	for _, s := range switches {
		text, err := os.ReadFile(s.file)
		if err == nil && strings.TrimSpace(string(text)) == s.off {
			return s.fix
		}
	}
	return "in a container, start it with user namespaces and mounts allowed (docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined)"
}
