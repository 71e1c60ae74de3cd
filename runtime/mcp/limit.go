package mcp

import (
	"context"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxCalls is the maximum number of a client's calls in flight. On standard input, no more is read
// until one is answered; over HTTP, further ones wait.
const maxCalls = 256

// callLimit limits the calls of each client that are carried out at the same time.
type callLimit struct {
	turns *turns
	mu    sync.Mutex
	of    map[sdk.Session]*clientCalls
}

// clientCalls are the calls of a client.
type clientCalls struct {
	count   int           // running and waiting ones
	running chan struct{} // has an element for each running one
}

// wait delays a call until its turn, and then until fewer than maxCalls calls of its client are running. The
// turn comes first: otherwise calls that wait for an earlier call could take all places and keep it from
// running. The turn ends with the call: later calls of a batch over HTTP may wait for it, and the answer to
// the batch for them.
func (l *callLimit) wait(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		if call, ok := req.(*sdk.CallToolRequest); ok {
			if t, _ := l.turns.find(call); t != nil {
				defer l.turns.end(t)
			}
			if _, err := l.turns.await(ctx, call); err != nil {
				return nil, err
			}
		}
		client := req.GetSession()
		calls := l.enter(client)
		defer l.leave(client)
		select {
		case calls.running <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		defer func() { <-calls.running }()
		return next(ctx, method, req)
	}
}

func (l *callLimit) enter(client sdk.Session) *clientCalls {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[client] == nil {
		l.of[client] = &clientCalls{running: make(chan struct{}, maxCalls)}
	}
	l.of[client].count++
	return l.of[client]
}

func (l *callLimit) leave(client sdk.Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[client].count--; l.of[client].count == 0 {
		delete(l.of, client)
	}
}
