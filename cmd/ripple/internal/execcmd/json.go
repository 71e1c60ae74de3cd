package execcmd

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"unicode/utf8"
)

// maxHeld is how much of one command's output waits for its record. More is
// printed as it comes, as the beginning of the record: memory stays flat, and
// nothing goes to the disk.
const maxHeld = 4 << 20

// jsonOutput is the output of the command that runs, on its way into a record.
type jsonOutput struct {
	out io.Writer

	mu    sync.Mutex
	held  []byte
	begun bool // a part of the record is printed
	ended bool // the last record was printed
	err   error
}

// Write takes output as it comes.
func (j *jsonOutput) Write(b []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended {
		return
	}
	j.held = append(j.held, b...)
	if len(j.held) > maxHeld {
		j.print(len(j.held) - unfinished(j.held))
	}
}

// unfinished is the length of the incomplete UTF-8 character at b's end.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// print writes the first n bytes that are held.
func (j *jsonOutput) print(n int) {
	text, err := marshal(string(j.held[:n]))
	text = text[1 : len(text)-1] // without its quotes
	if err == nil && !j.begun {
		j.begun = true
		_, err = io.WriteString(j.out, `{"output":"`)
	}
	if err == nil {
		_, err = j.out.Write(text)
	}
	if j.err == nil {
		j.err = err
	}
	j.held = j.held[:copy(j.held, j.held[n:])]
}

// finish prints the record of the command, whose own output is what has not
// come through Write. final: no other follows.
func (j *jsonOutput) finish(r record, final bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended = final
	j.held = append(j.held, r.Output...)
	if j.begun {
		j.print(len(j.held))
	}
	r.Output = string(j.held)
	r.Truncated, r.SpillPath = false, ""
	line, err := marshal(r)
	if j.begun {
		line = bytes.TrimPrefix(line, []byte(`{"output":"`))
	}
	j.held, j.begun = j.held[:0], false
	if err == nil {
		_, err = j.out.Write(append(line, '\n'))
	}
	if j.err != nil {
		return j.err
	}
	return err
}

// marshal is JSON without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
