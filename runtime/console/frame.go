package console

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// attachProtocol is the protocol to which GET /v1/attach upgrades. Both sides send frames: a kind
// byte, the length of the body as four bytes in big-endian order, and the body. Frames of an
// unknown kind are ignored.
const attachProtocol = "ripple-attach"

// Kinds of frames.
const (
	frameKeys     = 'k' // to the host: typed keys, whole
	frameSize     = 'r' // to the host: size of the terminal
	frameLine     = 'l' // to the host: an edited line with its line end, or keys for the program
	frameEndDraft = 'd' // to the host: the unfinished line is empty again; no body
	frameOutput   = 'o' // output to write to the user's terminal
	frameNotice   = 'n' // Notice
	framePrompt   = 'p' // Prompt, for clients that edit lines
	frameEnd      = 'e' // WaitResult: the program has ended
)

// maxFrame is the largest body of a frame, in bytes: a snapshot of the largest screen fits.
const maxFrame = 64 << 20

// frames reads and writes frames on a connection; several goroutines may write.
type frames struct {
	io.Reader
	mu sync.Mutex
	w  io.Writer
}

func (f *frames) write(kind byte, body []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := append(make([]byte, 0, 5+len(body)), kind)
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	_, err := f.w.Write(append(b, body...))
	return err
}

func (f *frames) writeJSON(kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return f.write(kind, b)
}

// read reads a frame. The error is io.EOF if the stream ends between two frames.
func (f *frames) read() (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(f.Reader, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, fmt.Errorf("a frame of %d bytes exceeds the limit of %d", n, maxFrame)
	}
	body = make([]byte, n)
	if _, err := io.ReadFull(f.Reader, body); err != nil {
		return 0, nil, fmt.Errorf("incomplete frame: %w", err)
	}
	return head[0], body, nil
}
