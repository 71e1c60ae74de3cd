package session

import (
	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/runtime/internal/render"
)

// renderer turns a command's output into the text that its user sees.
type renderer struct {
	text    *render.Renderer
	endings *prompt.Literal // the program's own line endings; nil: the terminal's
	mute    bool            // nothing is output from here on
	made    []byte
}

func newRenderer(o render.Options, ending string) *renderer {
	r := &renderer{}
	r.text = render.New(o, func(b []byte) { r.made = append(r.made, b...) })
	if ending != "" {
		r.endings = prompt.NewLiteral(ending)
	}
	return r
}

// feed returns the text that is final. It is valid until the next call.
func (r *renderer) feed(b []byte) []byte {
	r.made = r.made[:0]
	r.write(b)
	return r.made
}

func (r *renderer) write(b []byte) {
	switch {
	case r.mute:
	case r.endings == nil:
		r.text.Write(b)
	default:
		r.endings.Feed(b, r.text.Write, func(int) { r.text.Write([]byte("\n")) })
	}
}

// show returns the unfinished line: the program waits at its end.
func (r *renderer) show() []byte {
	r.made = r.made[:0]
	r.text.FlushPending()
	return r.made
}

// finish adds the last text and returns everything that is still held back.
func (r *renderer) finish(b []byte) []byte {
	r.made = r.made[:0]
	r.write(b)
	if r.endings != nil {
		r.endings.Flush(r.text.Write)
	}
	r.text.Close()
	return r.made
}
