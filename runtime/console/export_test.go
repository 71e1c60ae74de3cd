//go:build unix

package console

import (
	"path/filepath"
	"testing"
)

// Exchange is a request and answer of the first version's host, exported for external tests.
type Exchange struct {
	Name, Method, Path, Request string
	Status                      int
	Answer                      string
}

// FirstExchanges returns the recorded conversation with the first version's host.
func FirstExchanges(t *testing.T) []Exchange {
	var all []Exchange
	for _, e := range exchanges(t) {
		all = append(all, Exchange{e.name, e.method, e.path, e.request, e.status, e.answer})
	}
	return all
}

// RequireWithin checks that has contains everything in wanted.
func RequireWithin(t *testing.T, where string, wanted, has any) {
	within(t, where, shape(wanted), shape(has))
}

// NoteStatus writes a console's status file as its host would and returns its path.
func NoteStatus(t *testing.T, c *Client, s Status) string {
	if err := writeStatus(c.files.Record, s); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(c.files.Record, statusName)
}

// Break makes the editor panic at its next use.
func (e *LineEditor) Break() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.edit = nil
}
