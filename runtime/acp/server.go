// Package acp serves the Agent Client Protocol, version 1
// (https://agentclientprotocol.com, schema 1.x), as the agent, so that editors and other
// clients of the protocol can use ripple.
//
// A prompt starts a loop in the session's directory, in a separate process (Options.LoopCommand).
// The client receives its output and its questions, which may also be answered with
// `ripple answer`; the first answer counts. With Options.Agent a prompt is one turn of an
// agent.
//
// Server.Serve reads requests until its input ends, and then ends what they started.
// Invalid messages are answered with JSON-RPC errors.
package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/internal/rpc"
	"example.org/ripple/schema"
)

// protocolVersion is the version of the protocol that is spoken.
const protocolVersion = 1

// Options configures a server.
type Options struct {
	Version string // of this program

	// LoopCommand returns the command line of a loop that runs in its working directory and prints its
	// events as JSON. task is the file of the task, empty for the project's own; goOn continues
	// the loop that ended last.
	LoopCommand func(task string, goOn bool) []string

	Agent   *schema.Adapter        // takes one turn for each prompt; nil: a prompt starts a loop
	RunTurn TurnFunc               // takes the turns instead of Agent, and can continue any session; may be nil
	Claim   func(dir string) error // called with a directory before a prompt changes a loop's files in it; may be nil
	Log     io.Writer              // gets messages for debugging; may be nil

	// OnlyOwn is the reason why the client may not load sessions of other connections; "": it may.
	OnlyOwn string
}

// TurnFunc takes a turn. It returns when ctx ends.
type TurnFunc func(ctx context.Context, t Turn) (agent.Outcome, error)

// Turn is the turn that a prompt asks for.
type Turn struct {
	Session, Dir, Prompt string

	Emit func(event.Event) // reports events
	Ask  event.Ask         // asks the client; the ID of a question about a tool is that of the tool's use
}

func (o Options) single() bool { return o.Agent != nil || o.RunTurn != nil }

// Server is one connection with a client.
type Server struct {
	o    Options
	out  *outbox
	ctx  context.Context // ends with the connection
	work sync.WaitGroup  // prompts and histories

	faults fault.Reports

	mu       sync.Mutex // of what follows
	conn     rpc.Conn
	greeted  bool
	closing  bool
	sessions map[string]*session
}

// New makes a server of one connection.
func New(o Options) *Server {
	return &Server{o: o, sessions: map[string]*session{}}
}

const (
	maxLine   = 8 << 20         // bytes of a message of the client's
	lastWords = 2 * time.Second // how long a client that has ended its output may take to read
)

// Serve serves one client until its input ends, the client stops reading or the context
// ends. When it returns, nothing that a prompt started is still running.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.ctx, s.out = ctx, newOutbox(out)
	s.conn.Send = s.out.send
	ended := make(chan error, 1)
	go func() { ended <- s.read(in) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	case <-s.out.gone:
		err = s.out.failed()
	}
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	cancel()
	s.work.Wait()
	s.out.end(lastWords)
	return err
}

func (s *Server) read(in io.Reader) error {
	l := rpc.Lines{Max: maxLine, Line: s.line, Long: s.long}
	b := make([]byte, 64<<10)
	for {
		n, err := in.Read(b)
		l.Feed(b[:n])
		if errors.Is(err, io.EOF) {
			l.End()
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading from the client: %w", err)
		}
	}
}

// line takes one message. A panic costs this message, not the connection.
func (s *Server) line(line []byte) {
	e := s.guard("handling a message", line, func() { s.message(line) })
	if e == nil {
		return
	}
	if m, is := rpc.Parse(line); is && m.IsRequest() {
		s.locked(func() { s.conn.Fail(m.ID, e) })
	}
}

func (s *Server) message(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, is := rpc.Parse(line)
	switch {
	case !is && !json.Valid(line):
		s.conn.Refuse(rpc.NoID, rpc.CodeNoJSON, "not JSON: a message is one line of JSON")
	case !is, string(m.Version) != `"2.0"`:
		s.conn.Refuse(rpc.IDOf(line), rpc.CodeNoRequest, `not a JSON-RPC message: expected an object with "jsonrpc": "2.0" and a method, or an answer`)
	case m.IsRequest():
		s.request(m)
	case m.Method != "":
		s.notification(m)
	default:
		s.conn.Response(m) // responses to unknown requests are ignored
	}
}

// long refuses what would not stay in bounds.
func (s *Server) long(begin []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn.Refuse(rpc.IDOf(begin), rpc.CodeNoRequest, fmt.Sprintf("the message has more than %d bytes", maxLine))
}

// guard calls f, which handles b, and stops a panic of it. The panic is logged, with a report in a file, and returned
// as an error for the client; nil: there was none.
func (s *Server) guard(doing string, b []byte, f func()) *rpc.Error {
	caught := fault.Catch(doing, b, f)
	if caught == nil {
		return nil
	}
	s.log("%s", s.faults.Keep(*caught, "the connection goes on without it"))
	return &rpc.Error{Code: rpc.CodeInternal, Message: caught.Error()}
}

// start runs what takes its time, unless the connection is over.
func (s *Server) start(do func()) bool {
	if s.closing {
		return false
	}
	s.work.Go(do)
	return true
}

// locked is for those that the reader did not call.
func (s *Server) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}
