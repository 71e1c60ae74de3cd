package osc

import (
	"bytes"
	"strings"
)

// parse reads a complete sequence; ok is false when it has no code letter.
func (p *Parser) parse(seq []byte) (m Marker, ok bool) {
	end := len(seq) - 1
	if seq[end] != bel {
		end--
	}
	for _, h := range heads {
		if bytes.HasPrefix(seq, []byte(h.bytes)) {
			m = Marker{Protocol: h.protocol, Raw: seq}
			payload := string(seq[len(h.bytes):end])
			if m.Protocol == 7 {
				m.Code = '7'
				m.Params = p.split(payload)
				return m, true
			}
			return p.letter(m, payload)
		}
	}
	return m, false
}

// letter reads "X" or "X;param;…" with X in A–Z.
func (p *Parser) letter(m Marker, payload string) (Marker, bool) {
	if payload == "" || payload[0] < 'A' || payload[0] > 'Z' {
		return m, false
	}
	m.Code = payload[0]
	if len(payload) == 1 {
		return m, true
	}
	if payload[1] != ';' {
		return m, false
	}
	m.Params = p.split(payload[2:])
	return m, true
}

func (p *Parser) split(s string) []string {
	p.params = p.params[:0]
	for {
		param, rest, more := strings.Cut(s, ";")
		p.params = append(p.params, param)
		if !more {
			return p.params
		}
		s = rest
	}
}
