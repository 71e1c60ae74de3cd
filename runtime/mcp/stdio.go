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

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: &clientReader{closer: in, in: bufio.NewReader(in), f: f, answer: answers.send}, Writer: answers})
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		return nil
	}
	return err
}

// flight tracks the calls without an answer.
type flight struct {
	turns    *turns
	mu       sync.Mutex
	calls    map[any]*turn  // by callID; nil: it has no turn
	canceled map[any]bool   // calls canceled by the client, which expects no answer
	batches  map[any]*batch // batches without an answer, by the callID of each call
	version  string         // version of the protocol, once negotiated
	answered chan struct{}  // receives a token after each answer
}

func newFlight(t *turns) *flight {
	return &flight{turns: t, calls: map[any]*turn{}, canceled: map[any]bool{}, batches: map[any]*batch{}, answered: make(chan struct{}, 1)}
}

// begins records a message from the client and returns it in the form for the SDK.
func (f *flight) begins(line []byte) []byte {
	m, _ := jsonrpc.DecodeMessage(line) // check has refused an invalid one
	r, isRequest := m.(*jsonrpc.Request)
	if !isRequest {
		return line
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch id := callID(r); {
	case r.Method == "notifications/cancelled":
		var p struct {
			ID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(r.Params, &p) == nil {
			if _, inFlight := f.calls[idKey(p.ID)]; inFlight {
				f.canceled[idKey(p.ID)] = true
			}
		}
	case id != nil:
		line, f.calls[id] = f.turns.take(line, r)
	}
	return line
}

// ends records a message to the client and returns the line to send, or nil. The answers to a batch
// are sent in one line, when the last of them is there.
func (f *flight) ends(line []byte) []byte {
	m, _ := jsonrpc.DecodeMessage(line) // the SDK wrote it
	r, isAnswer := m.(*jsonrpc.Response)
	if !isAnswer {
		return line
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.version == "" {
		var result struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(r.Result, &result) // an error, or another result
		f.version = result.ProtocolVersion
	}
	id := r.ID.Raw()
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
	b := f.batches[id]
	if b == nil {
		return line
	}
	line = b.add(id, line)
	if b.open == 0 {
		for id := range b.place {
			delete(f.batches, id)
		}
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
	answer func([]byte)      // sends a line to the client
	queue  []json.RawMessage // messages that the SDK has not read
	rest   []byte            // rest of the line that the SDK is reading
}

// Close closes the client's stream.
func (d *clientReader) Close() error { return d.closer.Close() }

// Read reads the next messages.
func (d *clientReader) Read(b []byte) (int, error) {
	for len(d.rest) == 0 {
		if len(d.queue) > 0 {
			d.pass(d.queue[0])
			d.queue = d.queue[1:]
			break
		}
		line, err := readLine(d.in)
		if errors.Is(err, errLongLine) {
			d.answer(refusalOf(nil, codeInvalid, err).line())
			continue
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var refused []byte
			if d.queue, refused = d.f.accept(line); refused != nil {
				d.answer(refused)
			}
			continue
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

// pass gives the SDK a message; a call as soon as the calls in flight permit.
func (d *clientReader) pass(line []byte) {
	m, _ := jsonrpc.DecodeMessage(line) // check has refused an invalid one
	for callID(m) != nil && d.f.count() >= maxCalls {
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

// send writes a line of its own.
func (a *clientWriter) send(line []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = a.WriteCloser.Write(append(line, '\n')) // if the client is gone, reading reports it
}
