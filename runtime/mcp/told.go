package mcp

import (
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.org/ripple/runtime/console"
)

// seenOutput records how much of each console's latest command a client has seen.
type seenOutput struct {
	mu sync.Mutex
	of map[place]position
}

// place identifies a console of a client session.
type place struct{ session, console string }

// position is an offset in a command's output. A restarted console of the same name reuses the
// numbers of commands, so the start time is part of the key.
type position struct {
	command int
	started time.Time
	byte    int64
}

func placeOf(req *sdk.CallToolRequest, name string) place {
	return place{req.Session.ID(), name}
}

// until returns the number of bytes of a command's output that a client has received.
func (t *seenOutput) until(p place, cmd *console.Command) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.of[p]; cmd != nil && at.command == cmd.ID && at.started.Equal(cmd.Started) && at.byte <= cmd.Bytes {
		return at.byte
	}
	return 0
}

// note records that a client has seen a command in its current state.
func (t *seenOutput) note(p place, cmd *console.Command) {
	if cmd == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of[p] = position{cmd.ID, cmd.Started, cmd.Bytes}
}

// forget removes a console that has ended.
func (t *seenOutput) forget(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for p := range t.of {
		if p.console == name {
			delete(t.of, p)
		}
	}
}
