package tui

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/internal/vt"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate"
)

var update = flag.Bool("update", false, "write the states that the recordings show")

// Real agents before a model server that says what a test wants: the states that count,
// one after another, are those of testdata/ADAPTER-*.states, wherever the output is cut.
func TestTheRulesOfTheAdaptersOnRecordings(t *testing.T) {
	casts, err := filepath.Glob("testdata/*.cast*")
	require.NoError(t, err)
	require.NotEmpty(t, casts)
	cuts := testkit.Times(t, 1, 3)
	for _, cast := range casts {
		path, _, _ := strings.Cut(cast, ".cast")
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			adapter, _, _ := strings.Cut(name, "-")
			a, problems := schema.Load("../../../adapters/"+adapter+".yaml", schema.Options{})
			require.NotNil(t, a, "%v", problems)
			require.NotNil(t, a.Agent.Screen)
			rec := readRecording(t, cast)
			got := rec.states(t, a.Agent.Screen, nil)
			golden := path + ".states"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
			for range cuts {
				seed := rand.Uint64()
				assert.Equal(t, string(want), rec.states(t, a.Agent.Screen, rand.New(rand.NewPCG(seed, 0))), "cut with the seed %d", seed)
			}
		})
	}
}

// recording is an asciicast (version 3).
type recording struct {
	cols, rows int
	events     []recorded
}

type recorded struct {
	at   time.Time
	code string
	data string
}

func readRecording(t testing.TB, path string) (r recording) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		in, err = gzip.NewReader(f)
		require.NoError(t, err)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	require.True(t, lines.Scan())
	var head struct {
		Version int
		Term    struct{ Cols, Rows int }
	}
	require.NoError(t, json.Unmarshal(lines.Bytes(), &head))
	require.Equal(t, 3, head.Version)
	r.cols, r.rows = head.Term.Cols, head.Term.Rows
	at := time.Unix(1000, 0)
	for lines.Scan() {
		var after float64
		var e recorded
		require.NoError(t, json.Unmarshal(lines.Bytes(), &[]any{&after, &e.code, &e.data}))
		at = at.Add(time.Duration(after * float64(time.Second)))
		e.at = at
		r.events = append(r.events, e)
	}
	require.NoError(t, lines.Err())
	return r
}

// states are the states that counted, one a line, what was asked under each. With cuts
// the screen is looked at between pieces of the output too.
func (r recording) states(t *testing.T, screen *schema.AgentScreen, cuts *rand.Rand) string {
	t.Helper()
	rules, err := compile(screen)
	require.NoError(t, err)
	s := vt.New(vt.Options{Cols: r.cols, Rows: r.rows})
	w := watch{quiet: time.Duration(screen.QuietMS) * time.Millisecond}
	var list []string
	note := func(at time.Time) {
		sight, counts, _ := w.state(at)
		text := sight.State
		for _, row := range strings.Split(sight.Asked, "\n") {
			text += "\n    " + row
		}
		text = strings.TrimRight(text, "\n ")
		if counts && (len(list) == 0 || list[len(list)-1] != text) {
			list = append(list, text)
		}
	}
	for _, e := range r.events {
		note(e.at)
		switch e.code {
		case "i":
			w.begins(e.at)
		case "o":
			for _, piece := range cut(e.data, cuts) {
				s.Write([]byte(piece))
				if !s.Modes().Synchronized {
					w.see(rules.see(rules.picture(s)), e.at)
				}
			}
		}
	}
	note(r.events[len(r.events)-1].at.Add(time.Minute))
	if id := rules.Session(rules.picture(s)); id != "" {
		list = append(list, fmt.Sprintf("session %s", id))
	}
	return strings.Join(list, "\n") + "\n"
}

// cut is a text in up to four pieces.
func cut(text string, cuts *rand.Rand) []string {
	if cuts == nil || text == "" {
		return []string{text}
	}
	places := []int{0, cuts.IntN(len(text)), cuts.IntN(len(text)), cuts.IntN(len(text)), len(text)}
	slices.Sort(places)
	var pieces []string
	for i, end := range places[1:] {
		pieces = append(pieces, text[places[i]:end])
	}
	return pieces
}
