package mcp

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"ripple/runtime/console"
)

// news is what a client has not been told of the consoles that it uses.
type news struct {
	getenv func(string) string
	mu     sync.Mutex
	known  map[string]string // consoles that were used, and the state that was told last
}

// used notes a console and what was told of it.
func (n *news) used(status console.Status) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.known[status.Name] = stateKey(status)
}

// stateKey is what a change of is news.
func stateKey(s console.Status) string {
	id := 0
	if s.Command != nil {
		id = s.Command.ID
	}
	return fmt.Sprintf("%s %d", s.State, id)
}

// since is a line for each other console that ended, finished a command or waits
// since it was last told of.
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
		c, err := console.Open(n.getenv, name)
		if err != nil {
			n.forget(name)
			continue
		}
		status, err := c.Status(ctx)
		c.Close()
		if err != nil {
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

// has says that a console that was used here came to something that has not been
// told.
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
