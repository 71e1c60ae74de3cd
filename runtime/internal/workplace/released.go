package workplace

import "strings"

// released is the end of what a command printed that is forgotten.
type released struct{ id, text string }

// maxReleased is how much that is, in bytes.
const maxReleased = 64 << 10

// Printed is what a command has printed, also one that was released; empty: there is none.
func (p *Place) Printed(id string) (text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.terminals[id]; t != nil {
		text, _ = t.text()
	}
	for _, r := range p.released {
		if r.id == id {
			text = strings.ToValidUTF8(r.text, "")
		}
	}
	return text
}
