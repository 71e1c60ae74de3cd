package vt

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// vector is a case of conformance/vectors/screen.yaml.
type vector struct {
	Name    string
	Cols    int
	Rows    int
	Stream  string
	Differs string // why the answer is not the reference's
	Want    struct {
		Rows      []string
		Cursor    [2]int
		History   []string
		Alternate bool
	}
}

func vectors(t *testing.T) []vector {
	data, err := os.ReadFile("../../conformance/vectors/screen.yaml")
	require.NoError(t, err)
	var doc struct{ Cases []vector }
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&doc))
	require.NotEmpty(t, doc.Cases)
	return doc.Cases
}

func (v *vector) picture() picture {
	w := v.Want
	rows := append(w.Rows, make([]string, v.Rows-len(w.Rows))...)
	return picture{Rows: rows, History: append([]string{}, w.History...), X: w.Cursor[0], Y: w.Cursor[1], Alternate: w.Alternate}
}

func (v *vector) request(pieces ...string) request {
	q := request{Cols: v.Cols, Rows: v.Rows}
	for _, p := range pieces {
		q.Steps = append(q.Steps, step{Write: []byte(p)})
	}
	return q
}

func TestScreenVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			require.Equal(t, v.picture(), paint(v.request(v.Stream)))
			require.Equal(t, v.picture(), paint(v.request(strings.Split(v.Stream, "")...)), "byte by byte")
			for i := range v.Stream {
				require.Equal(t, v.picture(), paint(v.request(v.Stream[:i], v.Stream[i:])), "cut at %d", i)
			}
		})
	}
}

// The answers are the reference's, and listed differences still exist.
func TestVectorsLikeXterm(t *testing.T) {
	ref := newReference(t)
	for _, v := range vectors(t) {
		if got := ref.paint(t, v.request(v.Stream)); v.Differs == "" {
			assert.Equal(t, v.picture(), got, v.Name)
		} else {
			assert.NotEqual(t, v.picture(), got, "%s: the difference no longer exists", v.Name)
		}
	}
}
