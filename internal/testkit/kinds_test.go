package testkit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A sample has a case of each kind, always the same ones, in their order.
func TestOfEachKind(t *testing.T) {
	all := []string{"a 1", "a 2", "b, 1", "a 3", "c 1", "a 4", "b 2"}
	kind := func(i int) string { return FirstWord(all[i]) }
	kinds := func(places []int) (list []string) {
		for _, i := range places {
			list = append(list, kind(i))
		}
		return list
	}
	assert.ElementsMatch(t, []string{"a", "b", "c"}, kinds(ofEachKind(1, len(all), kind)))
	assert.Equal(t, ofEachKind(5, len(all), kind), ofEachKind(5, len(all), kind))
	assert.IsIncreasing(t, ofEachKind(5, len(all), kind))
	assert.Len(t, ofEachKind(5, len(all), kind), 5)
	assert.Len(t, ofEachKind(9, len(all), kind), 7)
}
