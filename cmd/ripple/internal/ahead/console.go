package ahead

import (
	"bytes"
	"io"
	"os"

	"example.org/ripple/cmd/ripple/internal/early"
	"example.org/ripple/runtime/console/place"
)

// tell tells a host what console it is to be, where the command line is as plain as
// early.PlainStart's and the adapter comes with ripple. Everything else is the command's.
func tell(h *early.Host, args []string) {
	adapter, name, plain := early.PlainStart(args)
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
	// What fails will fail again, and be told, without us.
	if text, err := (place.Spec{Name: name, Adapter: adapter, Dir: dir}).Written(os.Getenv); err == nil {
		h.Tell(text)
	}
}

// console is what the process of a console's host has been told, and has begun.
type console struct {
	told  []byte
	begun *place.Begun // nil: nothing
}

var ordered chan console // gets one value; nil: this is no host

// host reads what console it is to be, and begins it where that is as plain as start's.
func host() console {
	told, err := io.ReadAll(os.Stdin)
	c := console{told: told}
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
		c.begun, _ = place.Begin(order, entry.Adapter, os.Getenv) // what fails will fail again, and be told, without us
	}
	return c
}

// Console gives, once, what was begun of a console and what this process was told, which is
// to be read instead of in.
func Console(in io.Reader) (*place.Begun, io.Reader) {
	if ordered == nil {
		return nil, in
	}
	c := <-ordered
	ordered = nil
	return c.begun, bytes.NewReader(c.told)
}
