//go:build unix

package console

import (
	"context"
	"path/filepath"
	"testing"
)

// MaxCommands is how many completed commands a host keeps in memory.
const MaxCommands = maxCommands

// NoteStatus writes a console's status file as its host would and returns its path.
func NoteStatus(t *testing.T, c *Client, s Status) string {
	if err := writeStatus(c.files.Record, s); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(c.files.Record, statusName)
}

// IndexFile returns the path of the index of a console's commands.
func IndexFile(c *Client) string { return filepath.Join(c.files.Record, indexName) }

// BreakScreen makes the editor panic at the next pasted text.
func (e *LineEditor) BreakScreen() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.paint.screen = nil
}

// Break makes the editor panic at its next use.
func (e *LineEditor) Break() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.edit = nil
}

// AwaitEnd waits for the end of a console whose status was s.
func AwaitEnd(ctx context.Context, c *Client, s Status) error { return c.awaitEnd(ctx, &s) }
