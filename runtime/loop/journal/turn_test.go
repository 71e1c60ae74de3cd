package journal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Reading one turn gives the same as Read; foreign lines may have any form.
func TestReadTurn(t *testing.T) {
	log := strings.Join([]string{
		`{"turn":1,"seq":1,"time":"2026-01-01T00:00:00Z","type":"turn_started"}`,
		`{"turn":1,"seq":2,"time":"2026-01-01T00:00:00Z","type":"text","text":"\"turn\":2,"}`,
		`{"turn":2,"seq":3,"time":"2026-01-01T00:00:00Z","type":"turn_started"}`,
		`{"turn":2,"seq":4,"time":"2026-01-01T00:00:00Z","type":"text","text":"two"}`,
		` { "turn" : 2, "seq":5,"time":"2026-01-01T00:00:00Z","type":"text","text":"by hand"}`,
		`{"seq":6,"time":"2026-01-01T00:00:00Z","type":"text","text":"order","turn":2}`,
		`no line of a loop`,
		`{"turn":2`,
		`{"turn":22,"seq":7,"time":"2026-01-01T00:00:00Z","type":"text","text":"more"}`,
		`{"turn":`,
		`{"turn":2,"seq":8,"time":"2026-01-01T00:00:00Z","type":"turn_ended"}`,
	}, "\n") + "\n"
	for turn := range 24 {
		of := func(list *[]string) func(int, Record, error) error {
			return func(number int, r Record, err error) error {
				if err != nil || r.Turn == turn {
					*list = append(*list, fmt.Sprint(number, r.Type, r.Event, err))
				}
				return nil
			}
		}
		var all, some []string
		require.NoError(t, Read(strings.NewReader(log), of(&all)))
		require.NoError(t, ReadTurn(strings.NewReader(log), turn, of(&some)))
		assert.Len(t, some, len(all), turn)
	}
	visited := 0
	require.NoError(t, ReadTurn(strings.NewReader(log), 1, func(int, Record, error) error { visited++; return nil }))
	assert.Equal(t, 7, visited, "the four others are passed over")
}
