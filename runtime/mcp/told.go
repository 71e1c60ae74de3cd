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
	state   console.State // as last reported
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

// state returns the state of a running command if a client has been told of it and it may last until somebody
// else acts, as when a user has to type a secret; otherwise it is empty.
func (t *seenOutput) state(p place, s console.Status) console.State {
	switch s.State {
	case console.WaitingSecret, console.Stopped, console.Fullscreen:
	default:
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, cmd := t.of[p], s.Command; cmd.Running() && at.command == cmd.ID && at.started.Equal(cmd.Started) && at.state == s.State {
		return s.State
	}
	return ""
}

// note records that a client has seen a command and the console's state.
func (t *seenOutput) note(p place, cmd *console.Command, state console.State) {
	if cmd == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of[p] = position{cmd.ID, cmd.Started, cmd.Bytes, state}
}

// forgetAfter removes a client when its session has ended.
func (t *seenOutput) forgetAfter(client *sdk.ServerSession) {
	_ = client.Wait() // however it ended
	t.mu.Lock()
	defer t.mu.Unlock()
	for p := range t.of {
		if p.session == client.ID() {
			delete(t.of, p)
		}
	}
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
