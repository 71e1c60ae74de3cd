package testkit

import (
	"os"
	"strconv"
	"time"
)

// patience is the value of RIPPLE_PATIENCE, 1 by default.
var patience = func() float64 {
	text := os.Getenv("RIPPLE_PATIENCE")
	if text == "" {
		return 1
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || factor <= 0 {
		panic("RIPPLE_PATIENCE is " + strconv.Quote(text) + ": want a factor such as 4")
	}
	return factor
}()

// Patience returns how long a test waits before it calls something a hang: d, times RIPPLE_PATIENCE on a machine that is
// slow or busy. A time that users are promised is not passed through it.
func Patience(d time.Duration) time.Duration { return time.Duration(float64(d) * patience) }
