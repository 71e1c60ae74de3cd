// Command vtpeer measures the terminal library github.com/charmbracelet/x/vt, which
// ours is compared with: it writes a file to a screen again and again and prints
// how many bytes a second it took.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/charmbracelet/x/vt"
)

func main() {
	cols := flag.Int("cols", 200, "columns")
	rows := flag.Int("rows", 50, "rows")
	atLeast := flag.Duration("for", time.Second, "how long to measure")
	flag.Parse()
	data, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "vtpeer:", err)
		os.Exit(1)
	}
	screen := vt.NewEmulator(*cols, *rows)
	go func() { // its answers to queries block it until they are read
		b := make([]byte, 4096)
		for {
			if _, err := screen.Read(b); err != nil {
				return
			}
		}
	}()
	begin, n := time.Now(), 0
	for time.Since(begin) < *atLeast {
		screen.Write(data) // never fails
		n += len(data)
	}
	fmt.Printf("%.0f\n", float64(n)/time.Since(begin).Seconds())
}
