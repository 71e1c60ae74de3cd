package testkit

import (
	"flag"
	"os"
	"runtime"
	"strconv"
)

// Thorough is set for the exhaustive forms of tests, by RIPPLE_THOROUGH in the environment: each attack on a box as each
// user, 100 kills, 200 moments, 1,000 turns. By default tests take a sample that is always the same.
var Thorough = os.Getenv("RIPPLE_THOROUGH") != ""

// SideBySide lets parallel tests that mostly wait overlap: 2 more than twice the number of processors run at once, unless
// the flag -parallel is given. It is called by TestMain.
func SideBySide() { _ = flag.Set("test.parallel", strconv.Itoa(2*runtime.NumCPU()+2)) }
