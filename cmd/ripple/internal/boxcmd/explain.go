package boxcmd

import (
	"fmt"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/box"
)

// explain prints what a box allows and denies, and fails if this machine cannot run one.
func explain(a *ui.App, p box.Policy) error {
	s := a.NewSheet()
	for _, row := range rows(p) {
		s.Text(fmt.Sprintf("%-12s %-12s %s", row[0], row[1], row[2]))
	}
	if err := box.Check(); err != nil {
		return ui.BoxError(err)
	}
	a.Printf("%-12s %-12s %s\n", "this machine", "", "can run it")
	return nil
}

func rows(p box.Policy) [][3]string {
	return [][3]string{
		{"write", "allowed", paths(append([]string{p.Dir}, p.Write...))},
		{"", "temporary", p.Home + ", /tmp"},
		{"", "denied", "everything else, including git's settings and hooks in the working tree"},
		{"read", "allowed", paths(append([]string{"the system's programs, libraries and settings", "programs below the home directory"}, p.Read...))},
		{"", "denied", "everything else, including files in /etc that are not world-readable"},
		{"network", "allowed", hosts(p)},
		{"", "denied", "everything else: other hosts, UDP, DNS, private and link-local networks; each refusal is reported once"},
		{"environment", "allowed", names(p.Env)},
		{"", "denied", "everything else"},
		{"processes", "allowed", "those in the box, which end with it"},
		{"", "denied", "seeing, signaling or tracing others, and their sockets outside of the directories above"},
		{"system calls", "denied", systemCalls(p)},
		{"limits", "", limits(p.Limits)},
		{"not covered", "", "kernel vulnerabilities; data sent to allowed hosts; commands run in the working tree afterwards;"},
		{"", "", "total memory and disk space; sockets in the working tree. Programs that ignore the proxy have no network"},
	}
}

func paths(list []string) string { return strings.Join(list, ", ") }

func hosts(p box.Policy) string {
	var list []string
	for _, h := range p.Hosts {
		text := h.Name
		if h.Port != 0 {
			text = fmt.Sprintf("%s:%d", h.Name, h.Port)
		}
		if h.Via != "" {
			text += " (at " + h.Via + ")"
		}
		list = append(list, text)
	}
	if p.AnyHost {
		list = append(list, "every public host, ports 80 and 443")
	}
	if list == nil {
		return "loopback in the box only"
	}
	return "loopback in the box; through the proxy " + strings.Join(list, ", ")
}

func names(env []string) string {
	var list []string
	seen := map[string]bool{}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if !seen[name] {
			list = append(list, name)
		}
		seen[name] = true
	}
	return strings.Join(list, ", ")
}

func systemCalls(p box.Policy) string {
	text := "keyrings, bpf, perf, userfaultfd, io_uring, injecting terminal input, set-user-ID files, unusual sockets"
	if p.Nest {
		return text + " (--nest: namespaces are allowed)"
	}
	return text + ", namespaces, mounts"
}

func limits(l box.Limits) string {
	list := []string{"no core dumps"}
	for _, limit := range []struct {
		n    int64
		text string
	}{
		{l.Memory, "%d bytes of data memory per process"},
		{l.FileSize, "%d bytes per written file"},
		{l.Processes, "%d processes and threads (refused for root)"},
	} {
		if limit.n > 0 {
			list = append(list, fmt.Sprintf(limit.text, limit.n))
		}
	}
	return strings.Join(list, ", ") + " (kernel resource limits; no cgroup)"
}
