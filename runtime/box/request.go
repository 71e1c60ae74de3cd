package box

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
)

// readRequest reads one request with a bounded header. It rejects requests that servers could
// parse in different ways.
func readRequest(in *bufio.Reader) (*http.Request, error) {
	header := &bytes.Buffer{}
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, malformed("the request is incomplete or has a line that is too long")
		}
		header.Write(line)
		if header.Len() > maxHeader {
			return nil, malformed("the request's header is too long")
		}
		if !bytes.HasSuffix(line, []byte("\r\n")) {
			return nil, malformed("a line of the request does not end with CR LF")
		}
		if len(line) == len("\r\n") {
			break
		}
	}
	if err := unambiguous(header.String()); err != nil {
		return nil, err
	}
	req, err := http.ReadRequest(bufio.NewReader(io.MultiReader(header, in)))
	if err != nil {
		return nil, malformed("the request is malformed")
	}
	return req, nil
}

// unambiguous rejects headers that leave the length of the body or the host open to
// interpretation.
func unambiguous(header string) error {
	count := map[string]int{}
	for i, line := range strings.Split(strings.TrimSuffix(header, "\r\n\r\n"), "\r\n") {
		if i == 0 {
			continue
		}
		name, text, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") || strings.ContainsAny(line, "\r\n\x00") {
			return malformed("a header line is malformed")
		}
		name = strings.ToLower(name)
		count[name]++
		if name == "transfer-encoding" && !strings.EqualFold(strings.TrimSpace(text), "chunked") {
			return malformed("the transfer encoding is unknown")
		}
	}
	if count["host"] > 1 || count["content-length"]+count["transfer-encoding"] > 1 {
		return malformed("the request has more than one host or more than one length")
	}
	return nil
}
