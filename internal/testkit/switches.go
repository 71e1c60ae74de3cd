package testkit

import (
	"flag"
	"math/rand/v2"
	"os"
	"runtime"
	"sort"
	"strconv"
	"testing"
)

// Thorough is set for the exhaustive forms of tests, by RIPPLE_THOROUGH in the environment: each attack on a box as each
// user, 100 kills, 200 moments, 1,000 turns, 200 MB of output. By default tests take a sample that is always the same.
var Thorough = os.Getenv("RIPPLE_THOROUGH") != ""

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
	n := Times(t, min(some, len(all)), len(all))
	chosen := rand.New(rand.NewPCG(1, 1)).Perm(len(all))[:n]
	sort.Ints(chosen)
	for _, i := range chosen {
		taken = append(taken, all[i])
	}
	return taken
}

// LogSample logs, in the form that tools/gotest prints, that a test takes n of all cases or times.
func LogSample(t testing.TB, n, all int) {
	t.Helper()
	t.Logf("sample: %d of %d", n, all)
}

// SideBySide lets parallel tests that mostly wait overlap: 2 more than twice the number of processors run at once, unless
// the flag -parallel is given. It is called by TestMain.
func SideBySide() { _ = flag.Set("test.parallel", strconv.Itoa(2*runtime.NumCPU()+2)) }
