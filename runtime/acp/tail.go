package acp

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// tail keeps the end of what is written, and hands all of it on.
type tail struct {
	also io.Writer // may be nil
	kept []byte
}

// maxTail is how much is kept, in bytes.
const maxTail = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-maxTail):]
	if t.also != nil {
		_, _ = t.also.Write(b) // who looks there is not to hold up the loop
	}
	return len(b), nil
}

func (t *tail) String() string { return strings.ToValidUTF8(string(t.kept), "") }

// lastWordsOf returns the last output of a command that ended without reporting a reason.
func lastWordsOf(errors string, state *os.ProcessState) string {
	if words := strings.TrimSpace(errors); words != "" {
		return words
	}
	return fmt.Sprintf("the loop ended without a result: %v", state)
}
