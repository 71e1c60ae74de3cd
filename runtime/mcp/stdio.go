package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerTimeout is how long the end of input waits for calls in flight, whose answers the SDK would
// otherwise drop (modelcontextprotocol/go-sdk, issue 1061).
const answerTimeout = time.Second

// ServeStdio serves one client on standard streams until its input or the context ends. A line that
// is not a JSON-RPC message is answered with an error.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	defer s.consoles.Close()
	f := newFlight(s.turns)
	answers := &clientWriter{WriteCloser: out, f: f}
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: &clientReader{closer: in, in: bufio.NewReader(in), f: f, refuse: answers.refuse}, Writer: answers})
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		return nil
	}
	return err
}

// flight tracks the calls without an answer.
type flight struct {
	turns    *turns
	mu       sync.Mutex
	calls    map[any]*turn  // by idKey; nil: it has no turn
	canceled map[any]bool   // calls canceled by the client, which expects no answer
	batches  map[any]*batch // by idKey of a call
	version  string         // version of the protocol, once negotiated
	answered chan struct{}  // receives a token after each answer
}

func newFlight(t *turns) *flight {
	return &flight{turns: t, calls: map[any]*turn{}, canceled: map[any]bool{}, batches: map[any]*batch{}, answered: make(chan struct{}, 1)}
}

// message is the relevant part of a JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result *struct {
		ProtocolVersion string `json:"protocolVersion"`
	} `json:"result"`
}

// begins records a message from the client and returns it in the form for the SDK.
func (f *flight) begins(line []byte) []byte {
	var m message
	if json.Unmarshal(line, &m) != nil {
		return line // check has refused such lines
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case m.Method == "notifications/cancelled":
		var p struct {
			ID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			if _, inFlight := f.calls[idKey(p.ID)]; inFlight {
				f.canceled[idKey(p.ID)] = true
			}
		}
	case m.Method != "" && idKey(m.ID) != nil:
		var t *turn
		line, t = f.turns.take(line, m)
		f.calls[idKey(m.ID)] = t
	}
	return line
}

// ends records a message to the client and returns the line to send, or nil. The answers to a batch
// are sent in one line, when the last of them is there.
func (f *flight) ends(line []byte) []byte {
	var m message
	if json.Unmarshal(line, &m) != nil || idKey(m.ID) == nil || m.Method != "" {
		return line
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if m.Result != nil && m.Result.ProtocolVersion != "" {
		f.version = m.Result.ProtocolVersion
	}
	id := idKey(m.ID)
	if t := f.calls[id]; t != nil {
		f.turns.end(t)
	}
	if f.canceled[id] {
		line = nil
	}
	delete(f.calls, id)
	delete(f.canceled, id)
	select {
	case f.answered <- struct{}{}:
	default:
	}
	if b := f.batches[id]; b != nil {
		delete(f.batches, id)
		return b.add(id, line)
	}
	return line
}

func (f *flight) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}

// clientReader reads the client's messages line by line; it reports the end of input only after the
// last answer.
type clientReader struct {
	closer io.Closer
	in     *bufio.Reader
	f      *flight
	refuse func(*refusal)
	batch  []json.RawMessage // messages of a batch that the SDK has not read
	rest   []byte            // rest of the line that the SDK is reading
}

// Close closes the client's stream.
func (d *clientReader) Close() error { return d.closer.Close() }

// Read reads the next messages.
func (d *clientReader) Read(b []byte) (int, error) {
	for len(d.rest) == 0 {
		if len(d.batch) > 0 {
			d.pass(d.batch[0])
			d.batch = d.batch[1:]
			break
		}
		line, err := readLine(d.in)
		if errors.Is(err, errLongLine) {
			d.refuse(refusalOf(nil, codeInvalid, err))
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if r := check(line, d.f.agreed()); r != nil {
				d.refuse(r)
				continue
			}
			if isBatch(line) {
				if d.batch, err = d.f.split(line); err != nil {
					d.refuse(refusalOf(nil, codeInvalid, err))
				}
				continue
			}
			d.pass(line)
			break
		}
		if err != nil {
			d.awaitAnswers()
			return 0, err
		}
	}
	n := copy(b, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// pass gives the SDK a message, as soon as the calls in flight permit.
func (d *clientReader) pass(line []byte) {
	for d.f.count() >= maxCalls {
		<-d.f.answered
	}
	d.rest = append(d.f.begins(line), '\n')
}

// awaitAnswers waits a moment for the calls in flight.
func (d *clientReader) awaitAnswers() {
	t := time.NewTimer(answerTimeout)
	defer t.Stop()
	for d.f.count() > 0 {
		select {
		case <-d.f.answered:
		case <-t.C:
			return
		}
	}
}

// clientWriter writes answers.
type clientWriter struct {
	io.WriteCloser
	f    *flight
	mu   sync.Mutex // one line at a time
	rest []byte
}

// Write writes the complete lines of b and buffers the rest.
func (a *clientWriter) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rest = append(a.rest, b...)
	for {
		line, after, found := bytes.Cut(a.rest, []byte("\n"))
		if !found {
			a.rest = bytes.Clone(a.rest)
			return len(b), nil
		}
		a.rest = after
		line = a.f.ends(line)
		if line == nil {
			continue
		}
		if _, err := a.WriteCloser.Write(append(bytes.Clone(line), '\n')); err != nil {
			return len(b), err
		}
	}
}

// refuse answers an invalid line.
func (a *clientWriter) refuse(r *refusal) {
	line, err := json.Marshal(r)
	if err != nil {
		return // marshaling a refusal cannot fail
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = a.WriteCloser.Write(append(line, '\n')) // if the client is gone, reading reports it
}
