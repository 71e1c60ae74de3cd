package testkit

import (
	"math/rand/v2"
	"os"
	"sort"
	"testing"
)

// Thorough is set for the exhaustive forms of tests, by RIPPLE_THOROUGH in the environment: each attack on a box as each
// user, 100 kills, 200 moments, 1,000 turns, 200 MB of output. By default tests take a sample that is always the same.
var Thorough = isThorough()

// isThorough removes the variable from the environment: tests of adapters check that a program sees no variable with
// ripple in its name. Another one takes its place, for the second process of a guarded test binary.
func isThorough() bool {
	const name, inner = "RIPPLE_THOROUGH", "TEST_THOROUGH"
	if value := os.Getenv(name); value != "" {
		_ = os.Setenv(inner, value) // fails for malformed names only
	}
	_ = os.Unsetenv(name) // likewise
	return os.Getenv(inner) != ""
}

// Times returns how often a test repeats something: all times if Thorough is set, otherwise some. It logs "sample: N of M",
// which tools/gotest prints.
func Times(t testing.TB, some, all int) int {
	t.Helper()
	n := some
	if Thorough {
		n = all
	}
	LogSample(t, n, all)
	return n
}

// Sample returns the cases that a test takes, in their order: all if Thorough is set, otherwise some, which are always the
// same ones. It logs both numbers like [Times].
func Sample[T any](t testing.TB, some int, all []T) (taken []T) {
	t.Helper()
	return chosen(Times(t, min(some, len(all)), len(all)), all)
}

// chosen returns n cases in their order, which are always the same ones.
func chosen[T any](n int, all []T) (taken []T) {
	places := rand.New(rand.NewPCG(1, 1)).Perm(len(all))[:n]
	sort.Ints(places)
	for _, i := range places {
		taken = append(taken, all[i])
	}
	return taken
}

// FirstOfEach returns the cases that a test takes: all if Thorough is set, otherwise the first one of each kind. It logs
// both numbers like [Times].
func FirstOfEach[T any](t testing.TB, kinds [][]T) (taken []T) {
	t.Helper()
	all := 0
	for _, kind := range kinds {
		all += len(kind)
		if !Thorough {
			kind = kind[:1]
		}
		taken = append(taken, kind...)
	}
	LogSample(t, len(taken), all)
	return taken
}

// Fewer returns how often a test repeats something under -short, as CI runs tests with the race detector: some times, if
// Thorough is not set. Otherwise it returns all times. It logs the numbers like [Times] if they differ.
func Fewer(t testing.TB, some, all int) int {
	t.Helper()
	if !testing.Short() || Thorough || some >= all {
		return all
	}
	LogSample(t, some, all)
	return some
}

// FewerOf returns the cases that a test takes under -short, like Sample; otherwise all.
func FewerOf[T any](t testing.TB, some int, all []T) []T {
	t.Helper()
	if n := Fewer(t, some, len(all)); n < len(all) {
		return chosen(n, all)
	}
	return all
}

// LogSample logs, in the form that tools/gotest prints, that a test takes n of all cases or times.
func LogSample(t testing.TB, n, all int) {
	t.Helper()
	t.Logf("sample: %d of %d", n, all)
}
