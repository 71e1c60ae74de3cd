package vt

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// tokenVector is a case of conformance/vectors/tokens.yaml.
type tokenVector struct {
	Name, Because string
	Stream        string
	Reader        bool // tokens for a reader of text: ForText
	Want          []wantToken
}

// wantToken is a token: its bytes under its kind, and its decoded values.
type wantToken struct {
	Text, Control, Escape, CSI, OSC, DCS, String, Invalid string `yaml:",omitempty"`

	Prefix, Inter, Params, Final, Data string `yaml:",omitempty"`
	Inside, Cancelled                  bool   `yaml:",omitempty"`
}

func wanted(t *Token) wantToken {
	w := wantToken{Inside: t.Inside, Cancelled: t.Cancelled, Data: string(t.Data)}
	raw := string(t.Raw)
	switch t.Kind {
	case Text:
		return wantToken{Text: raw}
	case Control:
		w.Control = raw
		return w
	case Invalid:
		w.Invalid = raw
		return w
	case OSC:
		w.OSC = raw
		return w
	case String:
		w.String = raw
		return w
	case Escape:
		w.Escape = raw
	case CSI:
		w.CSI = raw
	case DCS:
		w.DCS = raw
	}
	w.Inter, w.Final = strings.TrimRight(string(t.Inter[:]), "\x00"), string(t.Final)
	if t.Kind != Escape {
		w.Prefix, w.Params = strings.TrimRight(string([]byte{t.Prefix}), "\x00"), written(t.Params)
	}
	return w
}

// written returns parameters in their written form, an empty one as 0.
func written(p *Params) string {
	var all []string
	for i := range p.Len() {
		one := fmt.Sprint(p.Get(i))
		for _, sub := range p.Sub(i) {
			if one += ":"; sub >= 0 {
				one += fmt.Sprint(sub)
			}
		}
		all = append(all, one)
	}
	return strings.Join(all, ";")
}

func (v *tokenVector) tokens(pieces ...string) (got []wantToken) {
	var p Parser
	if v.Reader {
		p = ForText()
	}
	add := func(t *Token) {
		w := wanted(t)
		if n := len(got); n > 0 && w.Text != "" && got[n-1].Text != "" {
			got[n-1].Text += w.Text
			return
		}
		got = append(got, w)
	}
	for _, piece := range pieces {
		p.Feed([]byte(piece), add)
	}
	p.Flush(add)
	return got
}

func TestTokenVectors(t *testing.T) {
	data, err := os.ReadFile("../../conformance/vectors/tokens.yaml")
	require.NoError(t, err)
	var doc struct{ Cases []tokenVector }
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&doc))
	require.NotEmpty(t, doc.Cases)
	for _, v := range doc.Cases {
		t.Run(v.Name, func(t *testing.T) {
			require.NotEmpty(t, v.Because)
			require.Equal(t, v.Want, v.tokens(v.Stream))
			var bytewise []string
			for i := range len(v.Stream) {
				bytewise = append(bytewise, v.Stream[i:i+1])
				require.Equal(t, v.Want, v.tokens(v.Stream[:i], v.Stream[i:]), "cut at %d", i)
			}
			require.Equal(t, v.Want, v.tokens(bytewise...), "byte by byte")
		})
	}
}
