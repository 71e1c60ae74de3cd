package journal

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
)

func fold(t *testing.T, lines string) (v View) {
	t.Helper()
	require.NoError(t, Read(strings.NewReader(lines), func(n int, r Record, err error) error {
		require.NoError(t, err, n)
		v.Take(r)
		return nil
	}))
	return v
}

func TestView(t *testing.T) {
	const begins = `{"seq":1,"time":"2026-03-01T12:00:00Z","type":"run_started","state":{"breaker":{"state":"CLOSED"}}}
{"turn":1,"seq":2,"time":"2026-03-01T12:00:01Z","type":"turn_started","agent":"a","branch":"b","task":"t","max_turns":9,"circuit":"HALF_OPEN","calls":4}
{"turn":1,"seq":3,"time":"2026-03-01T12:00:02Z","type":"usage","input":10,"output":1,"cost_usd":0.1}
{"turn":1,"seq":4,"time":"2026-03-01T12:00:03Z","type":"usage","input":20,"output":2,"cost_usd":0.2}
`
	v := fold(t, begins)
	used := event.Tokens{Input: 20, Output: 2, CostUSD: 0.2}
	begun := noon.Add(time.Second)
	assert.Equal(t, View{
		Turn: 1, MaxTurns: 9, Agent: "a", Branch: "b", Begun: begun, Circuit: "HALF_OPEN", Calls: 4,
		Turns: []Turn{{Turn: 1, Begun: begun, Used: used}}, Tokens: used,
	}, v, "the usage of a turn is reported more than once")

	const ends = `{"turn":1,"seq":5,"time":"2026-03-01T12:00:11Z","type":"turn_ended","progress":true,"state":{"turn":1,"cost_usd":0.25,"breaker":{"state":"OPEN"}}}
{"turn":2,"seq":6,"time":"2026-03-01T12:00:12Z","type":"turn_started"}
{"turn":2,"seq":7,"time":"2026-03-01T12:00:13Z","type":"usage","input":1,"cost_usd":0.1}
`
	v = fold(t, begins+ends)
	assert.Equal(t, "OPEN", v.Circuit)
	assert.Equal(t, event.Tokens{Input: 21, Output: 2, CostUSD: 0.35}, v.Tokens, "what the end of a turn told counts, too")
	assert.Equal(t, Turn{Turn: 1, Begun: begun, Took: 10 * time.Second, Used: used, Ended: true, Progress: true}, v.Turns[0])

	v = fold(t, begins+ends+`{"turn":2,"type":"stopped","reason":"max_turns","why":"It was enough."}`+"\n")
	assert.Equal(t, []any{true, "max_turns"}, []any{v.Begun.IsZero(), v.Reason})
	v = fold(t, begins+ends+begins)
	assert.Len(t, v.Turns, 1, "a new run starts with an empty view")
	assert.Empty(t, v.Reason)
}

// Records of another version or another program are named and harmless.
func TestReadForeignLines(t *testing.T) {
	var errs []string
	n := 0
	require.NoError(t, Read(strings.NewReader("{}\nnone\n{\"type\":\"turn_started\",\"time\":\"bad\"}\n{\"type\":\"of_tomorrow\",\"turn\":3}\n{\"type\":\"text\",\"te"), func(number int, r Record, err error) error {
		n = number
		if err != nil {
			errs = append(errs, err.Error())
		} else {
			assert.Equal(t, []any{3, "of_tomorrow"}, []any{r.Turn, r.Type})
			new(View).Take(r)
		}
		return nil
	}))
	assert.Equal(t, 4, n, "the torn one is not there")
	require.Len(t, errs, 3)
	assert.Equal(t, "it has no type", errs[0])
}
