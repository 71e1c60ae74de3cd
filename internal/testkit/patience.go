package testkit

import (
	"os"
	"strconv"
	"time"
)

// factor is the value of TEST_PATIENCE, 1 by default.
var factor = func() float64 {
	text := os.Getenv("TEST_PATIENCE")
	if text == "" {
		return 1
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f <= 0 {
		panic("TEST_PATIENCE is " + strconv.Quote(text) + ": want a factor such as 4")
	}
	return f
}()

// Patience returns how long a test waits before it calls something a hang: d, times TEST_PATIENCE on a machine that is
// slow or busy. A time that users are promised is not passed through it.
func Patience(d time.Duration) time.Duration { return time.Duration(float64(d) * factor) }
