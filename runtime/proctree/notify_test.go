package proctree

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// d: the inner process got the signal itself; p: the outer one got it.
func TestSignalCountsOnce(t *testing.T) {
	for _, tt := range []struct {
		arrivals string
		want     int
	}{
		{"d", 1},
		{"p", 1},
		{"dp", 1},
		{"pd", 1},
		{"pp", 2},
		{"dd", 2},
		{"dpdp", 2},
		{"ddpp", 2},
		{"pdpdpd", 3},
		{"ppd", 2},
	} {
		var tally tally
		got := 0
		for _, a := range tt.arrivals {
			if a == 'd' {
				tally.direct++
			} else {
				tally.passed++
			}
			if tally.next() {
				got++
			}
		}
		assert.Equal(t, tt.want, got, tt.arrivals)
	}
}
