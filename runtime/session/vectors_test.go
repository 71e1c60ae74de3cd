package session_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"example.org/ripple/runtime/internal/balance"
	"example.org/ripple/runtime/internal/echo"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/internal/mode"
	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/runtime/internal/render"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/schema"
)

// The conformance vectors are data that any implementation of the schema can run. This file is
// ripple's runner; conformance/README.md describes their meaning.
const vectors = "../../conformance/vectors/"

// vector has the fields that all cases share.
type vector struct {
	Name    string
	Because string
}

// stream is the input of a case, as bytes.
type stream struct {
	Stream string
	Hex    string
}

func (s stream) bytes(t *testing.T) []byte {
	t.Helper()
	if s.Hex == "" {
		return []byte(s.Stream)
	}
	b, err := hex.DecodeString(s.Hex)
	require.NoError(t, err)
	return b
}

// cuts returns all splits of the stream that a case is run with.
func (s stream) cuts(t *testing.T) [][][]byte {
	b := s.bytes(t)
	all := [][][]byte{{b}}
	var single [][]byte
	for i := range b {
		single = append(single, b[i:i+1])
		all = append(all, [][]byte{b[:i], b[i:]})
	}
	return append(all, single)
}

// eachVector reads a file of cases, rejecting unknown keys, and judges each.
func eachVector[C any](t *testing.T, file string, doc any, cases *[]C, about func(*C) vector, judge func(*testing.T, *C) error) {
	t.Helper()
	strict(t, file, doc)
	require.NotEmpty(t, *cases)
	seen := map[string]bool{}
	for i := range *cases {
		c := &(*cases)[i]
		v := about(c)
		require.NotEmpty(t, v.Because, v.Name)
		require.False(t, seen[v.Name], "two cases are called %q", v.Name)
		seen[v.Name] = true
		t.Run(v.Name, func(t *testing.T) {
			require.NoError(t, judge(t, c), v.Because)
		})
	}
}

func strict(t *testing.T, file string, doc any) {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(vectors + file))
	require.NoError(t, err)
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	require.NoError(t, d.Decode(doc), file)
}

func differs(want, got any) error {
	if assert.ObjectsAreEqual(want, got) {
		return nil
	}
	return fmt.Errorf("want %#v, got %#v", want, got)
}

func TestBalanceVectors(t *testing.T) {
	type want struct {
		Complete     bool
		Problem      balance.Problem
		Line, Column int
	}
	type testCase struct {
		vector `yaml:",inline"`
		Rules  string
		Text   string
		Want   want
	}
	var doc struct {
		Rulesets map[string]schema.BalancedParens
		Cases    []testCase
	}
	eachVector(t, "balance.yaml", &doc, &doc.Cases, func(c *testCase) vector { return c.vector }, func(t *testing.T, c *testCase) error {
		rules, ok := doc.Rulesets[c.Rules]
		require.True(t, ok, c.Rules)
		r := balance.New(rules).Check(c.Text)
		return differs(c.Want, want{r.Complete, r.Problem, r.Line, r.Column})
	})
}

func TestOSCVectors(t *testing.T) {
	type item struct {
		Text, Hex, Marker string
		Params            []string
	}
	type testCase struct {
		vector `yaml:",inline"`
		stream `yaml:",inline"`
		Want   []item
	}
	var doc struct{ Cases []testCase }
	eachVector(t, "osc.yaml", &doc, &doc.Cases, func(c *testCase) vector { return c.vector }, func(t *testing.T, c *testCase) error {
		for i, it := range c.Want {
			if it.Hex != "" {
				c.Want[i] = item{Text: string(stream{Hex: it.Hex}.bytes(t))}
			}
		}
		for _, pieces := range c.cuts(t) {
			var got []item
			text := func(b []byte) {
				if n := len(got); n > 0 && got[n-1].Marker == "" {
					got[n-1].Text += string(b)
				} else {
					got = append(got, item{Text: string(b)})
				}
			}
			var p prompt.Markers
			for _, piece := range pieces {
				p.Feed(piece, text, func(m prompt.Marker) {
					got = append(got, item{Marker: fmt.Sprintf("%d%c", m.Protocol, m.Code), Params: append([]string(nil), m.Params...)})
				})
			}
			p.Flush(text)
			if err := differs(c.Want, got); err != nil {
				return fmt.Errorf("%q: %w", pieces, err)
			}
		}
		return nil
	})
}

func TestPromptVectors(t *testing.T) {
	type want struct {
		None         bool
		Prompt       int
		Text, Before string
	}
	type testCase struct {
		vector   `yaml:",inline"`
		stream   `yaml:",inline"`
		Patterns []string
		Usual    int
		Want     want
	}
	var doc struct{ Cases []testCase }
	eachVector(t, "prompt.yaml", &doc, &doc.Cases, func(c *testCase) vector { return c.vector }, func(t *testing.T, c *testCase) error {
		var list []prompt.Pattern
		for i, source := range c.Patterns {
			list = append(list, prompt.Pattern{Key: "patterns", Source: source, Tag: i})
		}
		p, err := prompt.NewPatterns(list)
		require.NoError(t, err)
		m, ok, err := p.AtEnd(c.bytes(t), c.Usual)
		require.NoError(t, err)
		got := want{None: !ok, Prompt: m.Tag, Text: m.Text}
		if c.Want.Before != "" {
			got.Before = string(c.bytes(t)[:m.Start])
		}
		return differs(c.Want, got)
	})
}

func TestModeVectors(t *testing.T) {
	type want struct {
		Mode  string
		Level *int
	}
	type testCase struct {
		vector        `yaml:",inline"`
		Modes         []schema.Mode
		Current, Text string
		Want          want
	}
	var doc struct{ Cases []testCase }
	eachVector(t, "mode.yaml", &doc, &doc.Cases, func(c *testCase) vector { return c.vector }, func(t *testing.T, c *testCase) error {
		d, err := mode.New(c.Modes, nil)
		require.NoError(t, err)
		s, err := d.Detect(c.Current, c.Text)
		require.NoError(t, err)
		return differs(c.Want, want{s.Name, s.Level})
	})
}

func TestEchoVectors(t *testing.T) {
	type testCase struct {
		vector         `yaml:",inline"`
		stream         `yaml:",inline"`
		Strategy, Sent string
		Prompt         string
		Want           struct{ Output string }
	}
	var doc struct{ Cases []testCase }
	eachVector(t, "echo.yaml", &doc, &doc.Cases, func(c *testCase) vector { return c.vector }, func(t *testing.T, c *testCase) error {
		for _, pieces := range c.cuts(t) {
			config := echo.Config{Strategy: c.Strategy, Sent: []byte(c.Sent)}
			if c.Prompt != "" {
				var err error
				config.Prompt, err = schema.CompilePattern(c.Prompt)
				require.NoError(t, err)
			}
			s := echo.New(config)
			var got strings.Builder
			for _, piece := range pieces {
				got.Write(s.Feed(piece))
			}
			got.Write(s.Flush())
			if err := differs(c.Want.Output, got.String()); err != nil {
				return fmt.Errorf("%q: %w", pieces, err)
			}
		}
		return nil
	})
}

func TestRenderVectors(t *testing.T) {
	type testCase struct {
		vector    `yaml:",inline"`
		stream    `yaml:",inline"`
		Cols      int
		StripANSI bool `yaml:"strip_ansi"`
		Want      struct{ Output string }
	}
	var doc struct{ Cases []testCase }
	eachVector(t, "render.yaml", &doc, &doc.Cases, func(c *testCase) vector { return c.vector }, func(t *testing.T, c *testCase) error {
		for _, pieces := range c.cuts(t) {
			var got strings.Builder
			r := render.New(render.Options{Cols: c.Cols, StripANSI: c.StripANSI, Fault: func(f fault.Fault) { t.Error(f.Report()) }}, func(b []byte) { got.Write(b) })
			for _, piece := range pieces {
				r.Write(piece)
			}
			r.Close()
			if err := differs(c.Want.Output, got.String()); err != nil {
				return fmt.Errorf("%q: %w", pieces, err)
			}
		}
		return nil
	})
}

func TestTemplateVectors(t *testing.T) {
	type want struct {
		Words []string
		Text  string
		Error bool
	}
	type testCase struct {
		vector        `yaml:",inline"`
		Command, Text string
		Values        map[string]string
		Want          want
	}
	var doc struct{ Cases []testCase }
	eachVector(t, "template.yaml", &doc, &doc.Cases, func(c *testCase) vector { return c.vector }, func(_ *testing.T, c *testCase) error {
		if c.Command == "" {
			return differs(c.Want, want{Text: schema.Expand(c.Text, c.Values)})
		}
		words, err := schema.SplitCommand(c.Command)
		got := want{Error: err != nil}
		for _, w := range words {
			var word strings.Builder
			for _, p := range w.Parts {
				word.WriteString(p.Text)
				if p.Placeholder != "" {
					word.WriteString(c.Values[p.Placeholder])
				}
			}
			got.Words = append(got.Words, word.String())
		}
		return differs(c.Want, got)
	})
}

func TestQuoteVectors(t *testing.T) {
	type want struct {
		Quoted string
		Error  bool
	}
	type testCase struct {
		vector      `yaml:",inline"`
		Style, Text string
		Want        want
	}
	var doc struct{ Cases []testCase }
	eachVector(t, "quote.yaml", &doc, &doc.Cases, func(c *testCase) vector { return c.vector }, func(_ *testing.T, c *testCase) error {
		quoted, err := launch.Quote(c.Style, c.Text)
		return differs(c.Want, want{quoted, err != nil})
	})
}
