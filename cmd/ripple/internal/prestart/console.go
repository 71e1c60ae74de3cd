package prestart

import (
	"bytes"
	"io"
	"os"

	"example.org/ripple/cmd/ripple/internal/prefork"
	"example.org/ripple/runtime/console/place"
)

// tell sends a host the specification of its console if the command line is as plain as that of
// prefork.PlainStart and the adapter is built in. Otherwise the command does it.
func tell(h *prefork.Host, args []string) {
	adapter, name, plain := prefork.PlainStart(args)
	if !plain {
		return
	}
	if adapter == "" {
		adapter = place.DefaultAdapter()
	}
	dir, err := os.Getwd()
	if err != nil || find(adapter, dir) == nil {
		return
	}
	// The command repeats what fails here, and reports the error.
	if text, err := (place.Spec{Name: name, Adapter: adapter, Dir: dir}).EncodeOrder(os.Getenv); err == nil {
		h.Tell(text)
	}
}

// hostStart is the specification that a console's host process has read, and the program it has started.
type hostStart struct {
	told  []byte
	begun *place.Pending // nil: nothing
}

var ordered chan hostStart // gets one value; nil if this process is not a host

// host reads its order, the console that it is to be, and starts the program if the order is
// as plain as that of start.
func host() hostStart {
	told, err := io.ReadAll(os.Stdin)
	c := hostStart{told: told}
	if err != nil {
		return c
	}
	order, err := place.ReadOrder(bytes.NewReader(told))
	if err != nil {
		return c
	}
	if order.Sealed != nil {
		return c
	}
	if entry := find(order.Adapter, order.From); entry != nil && entry.Adapter.Agent == nil && order.Sandbox == "" {
		order.Origin = entry.Source()
		c.begun, _ = place.Prestart(order, entry.Adapter, os.Getenv) // the command repeats what fails here, and reports the error
	}
	return c
}

// Console returns the console that was started, or nil, and a reader of the order, to be read
// instead of in. Only the first call returns them.
func Console(in io.Reader) (*place.Pending, io.Reader) {
	if ordered == nil {
		return nil, in
	}
	c := <-ordered
	ordered = nil
	return c.begun, bytes.NewReader(c.told)
}
