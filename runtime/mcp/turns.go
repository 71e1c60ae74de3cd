package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http/httptrace"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// turns keeps the calls that type into a console in the order in which the client sent them: the
// SDK runs calls concurrently, in any order.
type turns struct {
	unnamed func() string // the console of a console_send without a name, or "" if none exists yet; may be nil

	mu    sync.Mutex
	count int
	last  map[string]*turn // by console name
	taken map[int]*turn
}

// turn is the place of a call in the order of its console.
type turn struct {
	number     int
	console    string
	before     *turn         // nil: it is the first
	laterEnded []*turn       // later calls that were refused or canceled before it ended
	ended      chan struct{} // closed when the next one may follow
}

// turnKey is the metadata key of a call's turn number.
const turnKey = "ripple/turn"

func newTurns() *turns { return &turns{last: map[string]*turn{}, taken: map[int]*turn{}} }

// take assigns the next turn to a call that types into a console, and returns the call's line with
// the number of its turn.
func (q *turns) take(line []byte, r *jsonrpc.Request) ([]byte, *turn) {
	if r.Method != "tools/call" {
		return line, nil
	}
	var call, params map[string]json.RawMessage
	var named struct {
		Name      string                     `json:"name"`
		Meta      map[string]json.RawMessage `json:"_meta"`
		Arguments struct {
			Console string `json:"console"`
		} `json:"arguments"`
	}
	if json.Unmarshal(line, &call) != nil || json.Unmarshal(r.Params, &params) != nil || json.Unmarshal(r.Params, &named) != nil {
		return line, nil // the SDK reports the error
	}
	if !types(named.Name) {
		return line, nil
	}
	if named.Arguments.Console == "" {
		named.Arguments.Console = q.consoleOf(named.Name)
	}
	t := q.add(named.Arguments.Console)
	if named.Meta == nil {
		named.Meta = map[string]json.RawMessage{}
	}
	named.Meta[turnKey] = encode(t.number)
	params["_meta"] = encode(named.Meta)
	call["params"] = encode(params)
	return encode(call), t
}

// encode encodes a number, or what was decoded from JSON. It escapes no characters for HTML: a long message
// would become too long for the SDK.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // cannot fail for such values
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// types reports whether a tool types into a console.
func types(tool string) bool { return tool == "console_exec" || tool == "console_send" }

// consoleOf returns the console in whose order a call without a name is: the one that it will use when its turn comes.
func (q *turns) consoleOf(tool string) string {
	q.mu.Lock()
	starting := slices.Collect(maps.Keys(q.last))
	q.mu.Unlock()
	if tool == "console_exec" || q.unnamed == nil || slices.Contains(starting, usualConsole) {
		return usualConsole
	}
	name := q.unnamed()
	if name == "" && len(starting) == 1 {
		return starting[0]
	}
	return cmp.Or(name, usualConsole)
}

func (q *turns) add(console string) *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count++
	t := &turn{number: q.count, console: console, before: q.last[console], ended: make(chan struct{})}
	q.last[console], q.taken[t.number] = t, t
	return t
}

// end lets the next turn follow. It may be called more than once.
func (q *turns) end(t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.taken[t.number] == nil {
		return
	}
	delete(q.taken, t.number)
	b := t.before
	if b == nil || b.over() {
		q.release(t)
		return
	}
	b.laterEnded = append(b.laterEnded, t) // no call overtakes b
	if q.last[t.console] == t {
		q.last[t.console] = b
	}
}

// over reports whether the next turn may follow.
func (t *turn) over() bool {
	select {
	case <-t.ended:
		return true
	default:
		return false
	}
}

// release lets the calls proceed that wait for this turn, or for a later one that has already
// ended. The caller holds the lock.
func (q *turns) release(t *turn) {
	if q.last[t.console] == t {
		delete(q.last, t.console)
	}
	t.before = nil
	close(t.ended)
	for _, o := range t.laterEnded {
		q.release(o)
	}
	t.laterEnded = nil
}

// find returns the turn of a call, nil if it has none or the turn has ended, and the turn before it. Only
// calls that type have a turn: for others, the client may have sent any number.
func (q *turns) find(req *sdk.CallToolRequest) (t, before *turn) {
	if !types(req.Params.Name) {
		return nil, nil
	}
	number, _ := req.Params.GetMeta()[turnKey].(float64)
	q.mu.Lock()
	defer q.mu.Unlock()
	if t = q.taken[int(number)]; t != nil {
		before = t.before
	}
	return t, before
}

// await waits for a call's turn. The returned context ends the turn as soon as a console's host
// starts to answer a request made with it: the host then has the request in order.
func (q *turns) await(ctx context.Context, req *sdk.CallToolRequest) (context.Context, error) {
	t, before := q.find(req)
	if t == nil {
		return ctx, nil
	}
	if before != nil {
		select {
		case <-before.ended:
		case <-ctx.Done():
			return ctx, ctx.Err()
		}
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { q.end(t) }}), nil
}
