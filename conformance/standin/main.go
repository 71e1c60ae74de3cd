// Command standin runs the stand-in model server until it is interrupted. Its first line on standard
// output is the server's URL; package standin documents the paths below it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"example.org/ripple/internal/standin"
)

func main() {
	address := flag.String("address", "127.0.0.1:0", "where to listen: loopback only")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := standin.Listen(*address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Println(s.URL(""))
	<-ctx.Done()
	_ = s.Close() // the listener is closed with the process
}
