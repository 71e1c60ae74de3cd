package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastAnswers is how long the end of input waits for calls in flight: the SDK drops
// their answers otherwise (modelcontextprotocol/go-sdk, issue 1061).
const lastAnswers = time.Second

// ServeStdio serves one client on standard streams until its input ends or the
// context does.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	f := &flight{calls: map[string]bool{}, landed: make(chan struct{}, 1)}
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: &departures{in, f, nil}, Writer: &arrivals{out, f, nil}})
	if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		return nil
	}
	return err
}

// flight are the calls that have no answer yet.
type flight struct {
	mu     sync.Mutex
	calls  map[string]bool
	landed chan struct{} // has a token after each answer
}

// message is what matters of a JSON-RPC message here.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// note takes the whole lines of b and keeps the rest.
func (f *flight) note(kept, b []byte) (rest []byte) {
	kept = append(kept, b...)
	for {
		line, after, found := bytes.Cut(kept, []byte("\n"))
		if !found {
			return append([]byte(nil), kept...)
		}
		kept = after
		var m message
		if json.Unmarshal(line, &m) != nil || len(m.ID) == 0 {
			continue
		}
		f.mu.Lock()
		if m.Method != "" {
			f.calls[string(m.ID)] = true
		} else {
			delete(f.calls, string(m.ID))
		}
		f.mu.Unlock()
		select {
		case f.landed <- struct{}{}:
		default:
		}
	}
}

func (f *flight) empty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls) == 0
}

// departures reads what the client sends; its end comes after the last answer.
type departures struct {
	io.ReadCloser
	f    *flight
	rest []byte
}

func (d *departures) Read(b []byte) (int, error) {
	n, err := d.ReadCloser.Read(b)
	d.rest = d.f.note(d.rest, b[:n])
	if err == nil || n > 0 {
		return n, nil
	}
	t := time.NewTimer(lastAnswers)
	defer t.Stop()
	for !d.f.empty() {
		select {
		case <-d.f.landed:
		case <-t.C:
			return 0, err
		}
	}
	return 0, err
}

// arrivals writes answers.
type arrivals struct {
	io.WriteCloser
	f    *flight
	rest []byte
}

func (a *arrivals) Write(b []byte) (int, error) {
	n, err := a.WriteCloser.Write(b)
	a.rest = a.f.note(a.rest, b[:n])
	return n, err
}
