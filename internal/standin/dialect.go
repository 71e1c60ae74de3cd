package standin

import (
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"
)

// dialect is the protocol of one model API.
type dialect interface {
	name() string
	parse(path string, body []byte) (request, error)
	stream(out *stream, q request, a reply)
	whole(q request, a reply) any // the answer in one document
	problem(status int, message string) any
}

// dialectOf returns the dialect for a request's path, or nil.
func dialectOf(path string) dialect {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return messages{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}
	case strings.HasSuffix(path, ":streamGenerateContent"), strings.HasSuffix(path, ":generateContent"):
		return contents{}
	}
	return nil
}

// afterDeltas is the number of pieces of an answer that are sent before it is cut off.
const afterDeltas = 2

// stream writes server-sent events.
type stream struct {
	w      http.ResponseWriter
	gone   <-chan struct{} // closed when the client left
	cut    func()          // called in the middle of the answer, before the connection is closed; nil: the answer is complete
	deltas int
}

// send writes one event; name may be empty.
func (s *stream) send(name string, v any) {
	if name != "" {
		name = "event: " + name + "\n"
	}
	s.write([]byte(name + "data: " + document(v) + "\n\n"))
}

// delta sends a piece of the answer, which may be cut off here.
func (s *stream) delta(name string, v any) {
	s.send(name, v)
	if s.deltas++; s.cut != nil && s.deltas == afterDeltas {
		s.cut()
		panic(http.ErrAbortHandler)
	}
}

// write sends bytes so that a character of several bytes is split over two writes.
func (s *stream) write(data []byte) {
	for i, c := range data {
		if c >= utf8.RuneSelf {
			s.flush(data[:i+1])
			data = data[i+1:]
			break
		}
	}
	s.flush(data)
}

func (s *stream) flush(data []byte) {
	_, _ = s.w.Write(data) // the client disconnected, which its context reports
	_ = http.NewResponseController(s.w).Flush()
}

// pieces splits a text into a few pieces, between any two code points: combining marks and joined
// emoji may be separated. There are at least two pieces if the text is long enough.
func pieces(text string) []string {
	const size = 9
	var list []string
	for runes := []rune(text); len(runes) > 0; {
		n := min(size, (len(runes)+1)/2)
		if len(list) > 20 { // so that a long answer does not take long
			n = len(runes)
		}
		list = append(list, string(runes[:n]))
		runes = runes[n:]
	}
	return list
}

// content is text that is a string, or a list of parts with text.
type content string

func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct{ Text string }
	if json.Unmarshal(data, &parts) == nil {
		var texts []string
		for _, p := range parts {
			texts = append(texts, p.Text)
		}
		*c = content(strings.Join(texts, "\n"))
		return nil
	}
	*c = content(data) // an object: the result of a tool
	return nil
}

// kindOf returns the name of a status in two of the dialects.
func kindOf(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	if status < http.StatusInternalServerError {
		return "invalid_request_error"
	}
	return "api_error"
}
