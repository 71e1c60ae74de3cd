package render

import (
	"bytes"

	"example.org/ripple/runtime/internal/fault"
)

// try calls f, which renders b. If f panics, the text held back and the rest of b are emitted as
// they are; the output of the token that panicked may be emitted twice.
func (r *Renderer) try(b []byte, f func()) {
	caught := fault.Catch("rendering output", b, f)
	if caught == nil {
		return
	}
	held := r.held()
	finished := r.buf[:min(max(r.open, 0), len(r.buf))]
	rest := b[max(len(b)-int(r.fed-r.taken), 0):]
	emit, told := r.emit, r.opt.Fault
	r.spare = nil // it may be what panicked
	r.reset(r.opt, emit)
	r.broken = true
	for _, text := range [][]byte{finished, held} {
		if len(text) > 0 {
			emit(text)
		}
	}
	r.plainly(rest)
	if told != nil {
		told(*caught)
	}
}

// held returns the unfinished line, or the screen's text; its bytes as they arrived if they cannot
// be rendered.
func (r *Renderer) held() (text []byte) {
	defer func() {
		if recover() != nil { // after the first panic, which is reported
			text = bytes.Clone(r.buf[min(max(r.open, 0), len(r.buf)):])
		}
	}()
	return r.Pending()
}

// plainly emits output as it is; \r\n becomes \n.
func (r *Renderer) plainly(b []byte) {
	if len(b) == 0 {
		return
	}
	text := make([]byte, 0, len(b)+1)
	if r.cr && b[0] != '\n' {
		text = append(text, '\r')
	}
	if r.cr = b[len(b)-1] == '\r'; r.cr {
		b = b[:len(b)-1]
	}
	text = append(text, bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))...)
	if len(text) > 0 {
		r.emit(text)
	}
}
