package mcp

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"example.org/ripple/runtime/console"
)

// news tracks changes of used consoles that a client has not been informed of.
type news struct {
	consoles *console.ClientCache
	mu       sync.Mutex
	known    map[string]string // last reported states of used consoles, by name
}

// used records a console and its reported state.
func (n *news) used(status console.Status) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.known[status.Name] = stateKey(status)
}

// stateKey returns a key that differs for states that are worth reporting.
func stateKey(s console.Status) string {
	id := 0
	if s.Command != nil {
		id = s.Command.ID
	}
	return fmt.Sprintf("%s %d", s.State, id)
}

// since returns a line for each console other than but that has ended, finished a command or
// started to wait since the last report.
func (n *news) since(ctx context.Context, but string) []string {
	n.mu.Lock()
	names := make([]string, 0, len(n.known))
	for name := range n.known {
		if name != but {
			names = append(names, name)
		}
	}
	n.mu.Unlock()
	slices.Sort(names)
	var lines []string
	for _, name := range names {
		status, there := n.consoles.Status(ctx, name)
		if !there {
			n.forget(name)
			lines = append(lines, fmt.Sprintf("[%s] is gone", name))
			continue
		}
		if n.has(status) {
			n.used(status)
			lines = append(lines, headline(status, status.Command))
		}
	}
	return lines
}

// has reports whether a console that was used here has an unreported change.
func (n *news) has(status console.Status) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	told, used := n.known[status.Name]
	return used && told != stateKey(status) && status.State != console.Running
}

func (n *news) forget(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.known, name)
}
