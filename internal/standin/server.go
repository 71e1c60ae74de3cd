// Package standin is a model server for tests: it implements the APIs of real ones,
// contains no model and listens on loopback only. The base URL that
// a client is given selects the behavior:
//
//	http://127.0.0.1:PORT/m/BEHAVIOR[/KEY=VALUE...]
//
//	text        answers; the text says how many messages and user turns it saw
//	tool        calls the shell tool, then answers with the result of the tool
//	failtool    the same with a command that fails with exit code 3
//	edit        the same with a command that writes a file
//	loop        calls the shell tool forever
//	calls       makes the calls of the plan, then answers with the results of the tools
//	stall       never answers; at=text: stops after a part of the answer
//	drop        cuts the connection after a part of the answer
//	400 … 599   refuses with this status; 429 and 5xx say when to retry
//
// Parameters: text (the answer), run (the tool's command), name (the tool to call, even if it is
// not offered), input (the call's arguments, a JSON object), plan (a JSON list of name and input;
// the name is the end of an offered tool's name), file and line (for edit), times (the number of
// calls or refusals before the answer), after (seconds until a retry; the default is 1).
//
// The shell tool is recognized by its name among the tools of a request. A request without one is
// a side request (for a title, a router, a memory) and gets a harmless text, or the smallest
// document that its JSON Schema accepts.
//
// GET /log lists the requests, as JSON.
package standin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// maxBody is the maximum size of a request in bytes.
const maxBody = 64 << 20

// Server is a running model server.
type Server struct {
	url    string
	http   http.Server
	served chan struct{} // closed when it has stopped serving

	mu       sync.Mutex
	log      []Exchange
	refusals map[string]int // by behavior with its parameters
}

// Exchange is one request and its reply.
type Exchange struct {
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Dialect  string    `json:"dialect,omitempty"` // "messages", "responses", "chat", "contents"; "" for requests that are not understood
	Behavior string    `json:"behavior,omitempty"`
	Model    string    `json:"model,omitempty"`
	Messages []Message `json:"messages,omitempty"` // without system messages
	Tools    []string  `json:"tools,omitempty"`
	Shell    string    `json:"shell,omitempty"` // the shell tool's name; "" in a side request
	Reply    string    `json:"reply"`           // "text", "call", "stall", "drop", "other" or a status
}

// Listen starts a server at a TCP address such as "127.0.0.1:0". It refuses addresses that are
// not loopback.
func Listen(address string) (*Server, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("standin: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("standin: %q is not a loopback address: give 127.0.0.1:PORT or [::1]:PORT", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("standin: %w", err)
	}
	s := &Server{url: "http://" + l.Addr().String(), served: make(chan struct{}), refusals: map[string]int{}}
	s.http.Handler = s.handler()
	go func() {
		defer close(s.served)
		_ = s.http.Serve(l) // ErrServerClosed, or the listener is closed
	}()
	return s, nil
}

// URL returns the base URL for a behavior with its parameters, such as "tool/run=ls%20-l". The
// empty string returns the server's own URL.
func (s *Server) URL(behavior string) string {
	if behavior == "" {
		return s.url
	}
	return s.url + "/m/" + behavior
}

// Log returns the requests so far in the order of arrival.
func (s *Server) Log() []Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Exchange{}, s.log...)
}

// Close stops the server and closes its connections, including stalled ones.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.served
	return err
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /log", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.Log()) })
	mux.HandleFunc("/m/{behavior}/", s.model)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.note(Exchange{Method: r.Method, Path: r.URL.Path, Reply: "404"})
		writeJSON(w, http.StatusNotFound, map[string]any{"error": "nothing here: the base URL is " + s.URL("BEHAVIOR")})
	})
	return mux
}

func (s *Server) note(e Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, e)
}

// model answers one request to the model.
func (s *Server) model(w http.ResponseWriter, r *http.Request) {
	e := Exchange{Method: r.Method, Path: r.URL.Path}
	b, rest, err := parseBehavior(r.URL.EscapedPath())
	e.Behavior = b.name
	if err != nil {
		s.refuse(w, e, chat{}, http.StatusNotFound, err)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.refuse(w, e, chat{}, http.StatusRequestEntityTooLarge, err)
		return
	}
	d := dialectOf(rest)
	switch {
	case d == nil && r.Method == http.MethodPost && countsTokens(rest):
		e.Reply = "other"
		s.note(e)
		writeJSON(w, http.StatusOK, map[string]any{"input_tokens": len(body) / 4, "totalTokens": len(body) / 4})
		return
	case d == nil || r.Method != http.MethodPost:
		s.refuse(w, e, chat{}, http.StatusNotFound, fmt.Errorf("no such call: %s %s", r.Method, rest))
		return
	}
	e.Dialect = d.name()
	q, err := d.parse(rest, body)
	if err != nil {
		s.refuse(w, e, d, http.StatusBadRequest, err)
		return
	}
	e.Model, e.Messages, e.Tools, e.Shell = q.model, q.messages, q.toolNames(), q.shell().Name
	s.answer(w, r, e, d, b, q)
}

// answer answers a valid request as the behavior requires.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, e Exchange, d dialect, b behavior, q request) {
	if b.status != 0 && s.refusesAgain(b) {
		if b.status == http.StatusTooManyRequests || b.status >= http.StatusInternalServerError {
			b.limitHeaders(w.Header())
		}
		s.refuse(w, e, d, b.status, errors.New(b.refusal()))
		return
	}
	a := b.reply(q)
	e.Reply = a.kind()
	out := &stream{w: w, gone: r.Context().Done()}
	switch {
	case b.name == "stall" && b.params.Get("at") != "text":
		e.Reply = "stall"
		s.note(e)
		<-out.gone
		panic(http.ErrAbortHandler)
	case b.name == "stall":
		e.Reply, out.cut = "stall", func() { <-out.gone }
	case b.name == "drop":
		e.Reply, out.cut = "drop", func() {}
	}
	s.note(e)
	if !q.stream {
		if out.cut != nil {
			out.cut()
			panic(http.ErrAbortHandler)
		}
		writeJSON(w, http.StatusOK, d.whole(q, a))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	d.stream(out, q, a)
}

// refusesAgain counts a refusal, and reports whether the request is to be refused.
func (s *Server) refusesAgain(b behavior) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[b.path]++
	return b.times == 0 || s.refusals[b.path] <= b.times
}

func (s *Server) refuse(w http.ResponseWriter, e Exchange, d dialect, status int, err error) {
	e.Reply = fmt.Sprint(status)
	s.note(e)
	writeJSON(w, status, d.problem(status, err.Error()))
}

func countsTokens(path string) bool {
	return strings.HasSuffix(path, "/count_tokens") || strings.HasSuffix(path, ":countTokens")
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have disconnected
}
