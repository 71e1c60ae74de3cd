//go:build unix

package console

import (
	"path/filepath"
	"testing"
)

// Exchange is an exchange of the first host, for tests from outside.
type Exchange struct {
	Name, Method, Path, Request string
	Status                      int
	Answer                      string
}

// FirstExchanges is the first host's conversation.
func FirstExchanges(t *testing.T) []Exchange {
	var all []Exchange
	for _, e := range exchanges(t) {
		all = append(all, Exchange{e.name, e.method, e.path, e.request, e.status, e.answer})
	}
	return all
}

// RequireWithin says where one answer has not what another one has.
func RequireWithin(t *testing.T, where string, wanted, has any) {
	within(t, where, shape(wanted), shape(has))
}

// NoteStatus writes down what a console's host has noted of it and returns the file.
func NoteStatus(t *testing.T, c *Client, s Status) string {
	if err := writeStatus(c.files.Record, s); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(c.files.Record, statusName)
}
