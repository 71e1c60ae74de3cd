package testkit

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// SampleOf returns the cases that a test takes, like [Sample], where kind returns the kind of a case: at least some, with at
// least one of each kind. Under -short it takes few, of any kind: the cases of a test that mostly waits for other programs
// share memory in the same ways.
func SampleOf[T any, K comparable](t testing.TB, few, some int, all []T, kind func(i int) K) (taken []T) {
	t.Helper()
	switch {
	case Thorough:
		return Sample(t, some, all)
	case testing.Short():
		return Sample(t, few, all)
	}
	places := ofEachKind(some, len(all), kind)
	LogSample(t, len(places), len(all))
	for _, i := range places {
		taken = append(taken, all[i])
	}
	return taken
}

// ofEachKind returns the places of some cases in their order, or of more if there are more kinds.
func ofEachKind[K comparable](some, all int, kind func(i int) K) (places []int) {
	kinds := map[K]bool{}
	var others []int
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(all) {
		if k := kind(i); !kinds[k] {
			kinds[k] = true
			places = append(places, i)
		} else {
			others = append(others, i)
		}
	}
	places = append(places, others[:min(max(0, some-len(places)), len(others))]...)
	slices.Sort(places)
	return places
}

// FirstWord returns the first word of a name, without a comma: the kind of a case whose name begins with it.
func FirstWord(name string) string {
	word, _, _ := strings.Cut(name, " ")
	return strings.TrimSuffix(word, ",")
}
