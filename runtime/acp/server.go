// Package acp speaks the Agent Client Protocol, version 1
// (https://agentclientprotocol.com, schema 1.x), as the agent: an editor, or whatever
// else is a client of the protocol, becomes a face of ripple.
//
// A prompt begins a loop in the session's directory: a process of its own
// (Options.Loop), of which the client gets what it prints, and whose questions the
// client is asked; they are answered where `ripple answer` answers them, once. With
// Options.Agent a prompt is one turn of an agent.
//
// Server.Serve reads requests until its input ends, and then ends what they began.
// What no client should send is answered with an error of JSON-RPC.
package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"ripple/runtime/agent"
	"ripple/runtime/event"
	"ripple/runtime/internal/rpc"
	"ripple/schema"
)

// Version is the version of the protocol that is spoken.
const Version = 1

// Options say what a server offers.
type Options struct {
	Version string // of this program

	// Loop is the command that runs a loop in its working directory, and prints its
	// events as JSON. task is the file that has the task, empty for the project's own;
	// goOn: the loop that ended last is gone on with.
	Loop func(task string, goOn bool) []string

	Agent *schema.Adapter // takes one turn a prompt; nil: a prompt begins a loop
	Play  Play            // takes the turns, in the place of an agent; any session can be gone on with. May be nil
	Log   io.Writer       // gets what is for people who look for the cause of something; may be nil
}

// Play takes a turn, and ends when ctx does.
type Play func(ctx context.Context, t Turn) (agent.Outcome, error)

// Turn is what a prompt asks for.
type Turn struct {
	Session, Dir, Prompt string

	Emit func(event.Event) // tells what happens
	Ask  event.Ask         // has the client asked; the ID of a question is that of the use of a tool which it is about
}

func (o Options) single() bool { return o.Agent != nil || o.Play != nil }

// Server is one connection with a client.
type Server struct {
	o    Options
	out  *outbox
	ctx  context.Context // ends with the connection
	work sync.WaitGroup  // prompts and histories

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

// Serve serves one client until its input ends, it reads no more, or the context ends.
// When it returns, nothing runs any more that a prompt began.
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
			return fmt.Errorf("the client cannot be read: %w", err)
		}
	}
}

// line takes one message.
func (s *Server) line(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, is := rpc.Parse(line)
	switch {
	case !is && !json.Valid(line):
		s.conn.Refuse(rpc.NoID, rpc.CodeNoJSON, "this line is no JSON; a message is one line of JSON")
	case !is, string(m.Version) != `"2.0"`:
		s.conn.Refuse(rpc.IDOf(line), rpc.CodeNoRequest, `this is no message of JSON-RPC: an object with "jsonrpc": "2.0" and a method, or an answer`)
	case m.IsRequest():
		s.request(m)
	case m.Method != "":
		s.notification(m)
	default:
		s.conn.Response(m) // what answers nothing of ours is nothing
	}
}

// long refuses what would not stay in bounds.
func (s *Server) long(begin []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn.Refuse(rpc.IDOf(begin), rpc.CodeNoRequest, fmt.Sprintf("the message has more than %d bytes", maxLine))
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
