package console

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// attachProtocol is what GET /v1/attach upgrades to. Both sides send frames: a byte that
// says what it is, the length of the rest in four bytes, the most significant first, and
// the rest. Frames of a kind that is not known are passed over.
const attachProtocol = "ripple-attach"

// Kinds of frames.
const (
	frameKeys   = 'k' // to the host: what was typed, whole keys
	frameSize   = 'r' // to the host: size
	frameOutput = 'o' // what is to be written to the person's terminal
	frameNotice = 'n' // Notice
	frameEnd    = 'e' // Answer: the program has ended
)

// maxFrame bounds a frame, in bytes: a snapshot of the largest screen fits.
const maxFrame = 64 << 20

// frames is a connection of frames; several may write.
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

// read reads a frame. The error is io.EOF at the end, between two of them.
func (f *frames) read() (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(f.Reader, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, fmt.Errorf("a frame of %d bytes: %d is the most", n, maxFrame)
	}
	body = make([]byte, n)
	if _, err := io.ReadFull(f.Reader, body); err != nil {
		return 0, nil, fmt.Errorf("a frame broke off: %w", err)
	}
	return head[0], body, nil
}
