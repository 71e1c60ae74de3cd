package console

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Read reads lines of a command's output from the console's record on disk, which outlives the
// host.
func (c *Client) Read(q ReadRequest) (Lines, error) {
	cmd, err := c.command(q.Command)
	if err != nil {
		return Lines{}, err
	}
	return c.Lines(cmd, q)
}

// Lines is like Read, for a command whose current state is known.
func (c *Client) Lines(cmd Command, q ReadRequest) (Lines, error) {
	lines := Lines{Lines: []Line{}}
	err := c.each(cmd, q, &lines, lines.add)
	return lines, err
}

// EachLine is like Read without its limits: it calls f for each requested line. The result has no
// lines.
func (c *Client) EachLine(q ReadRequest, f func(Line) error) (Lines, error) {
	lines := Lines{Lines: []Line{}}
	cmd, err := c.command(q.Command)
	if err == nil {
		err = c.each(cmd, q, &lines, f)
	}
	return lines, err
}

// each calls take for the requested lines, and describes them in lines.
func (c *Client) each(cmd Command, q ReadRequest, lines *Lines, take func(Line) error) error {
	at := min(max(q.Byte, 0), cmd.Bytes)
	first, total := int64(1), cmd.Lines
	in, g, err := c.output(cmd, at)
	if err == nil && (at == 0 && g.skipped > 0 || at > 0 && q.From < 0) {
		kept, countErr := countLines(in)
		if countErr != nil {
			return countErr
		}
		if at > 0 {
			total = kept // lines are numbered from there
		} else {
			first = max(1, cmd.Lines-kept+1) // the number of a line whose beginning was dropped
		}
		in, g, err = c.output(cmd, at)
	}
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // opened for reading only
	lines.Command, lines.Dropped = cmd, g.skipped
	text := bufio.NewReaderSize(in, maxLine)
	if first > 1 {
		rest, err := passLine(text)
		if err != nil {
			return err
		}
		lines.Dropped += rest
		first++
	}
	s, err := selectLines(text, q, first, total, take)
	if lines.Total = s.total; err != nil {
		return err
	}
	last, complete := s.last, q.Lines == 0 || s.found < q.Lines
	if lines.More { // the rest is requested later
		last, complete = lines.Lines[len(lines.Lines)-1].Number, false
	}
	if at > 0 { // lines have other numbers
		complete = true
	}
	lines.Missing = lines.missing(first, s.from, last, complete)
	if g.unread > 0 && (complete || last >= s.total) {
		lines.Missing = strings.TrimPrefix(fmt.Sprintf("%s; the last %d bytes of its output were only in the memory of the console's host: %v", lines.Missing, g.unread, g.why), "; ")
	}
	return nil
}

// countLines counts lines, including an unfinished one, and closes in.
func countLines(in io.ReadCloser) (n int64, err error) {
	defer func() { _ = in.Close() }() // opened for reading only
	buf, last := make([]byte, pieceSize), byte('\n')
	for {
		got, err := in.Read(buf)
		if n += int64(bytes.Count(buf[:got], []byte("\n"))); got > 0 {
			last = buf[got-1]
		}
		switch {
		case errors.Is(err, io.EOF) && last != '\n':
			return n + 1, nil
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return n, err
		}
	}
}

// passLine skips the rest of a line, unless it is longer than the display limit.
func passLine(in *bufio.Reader) (n int64, err error) {
	head, err := in.Peek(maxLine)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	passed, err := in.Discard(bytes.IndexByte(head, '\n') + 1)
	return int64(passed), err
}

// gaps are bytes of a command's output that cannot be read.
type gaps struct {
	skipped int64 // at the beginning, which are no longer kept
	unread  int64 // at the end, which only the host has, in memory
	why     error // reason why the host does not tell them
}

// output returns the output of a command from offset at: from the record, and what is not in it from
// the host if that still holds it in memory.
func (c *Client) output(cmd Command, at int64) (in io.ReadCloser, g gaps, err error) {
	end, err := recordedEnd(c.files.Record)
	if err != nil {
		return nil, g, err
	}
	from, to := cmd.From+at, cmd.From+cmd.Bytes
	if end >= to {
		in, g.skipped, err = output(c.files.Record, from, to)
		return in, g, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.answerLimit())
	defer cancel()
	var held bytes.Buffer
	cut := max(from, end)
	a, heldErr := c.Wait(ctx, WaitRequest{Command: cmd.ID, Wait: time.Nanosecond, From: cut - cmd.From}, &held)
	if in, g.skipped, err = output(c.files.Record, from, min(cut, to)); err != nil {
		return in, g, err
	}
	if heldErr != nil {
		g.unread, g.why = to-cut, heldErr
		return in, g, nil
	}
	g.skipped += a.Dropped
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(in, &held), in}, g, nil
}

// recordTimeout is how long recording the end of a command may take if another command follows it.
const recordTimeout = 500 * time.Millisecond

// command returns a command by its number; 0 means the latest. A running host is asked, because the
// command may be running.
func (c *Client) command(id int) (Command, error) {
	ctx, cancel := context.WithTimeout(context.Background(), min(time.Second, c.answerLimit()))
	defer cancel()
	s, err := c.Status(ctx)
	if err == nil && s.Command != nil && (id == 0 || id == s.Command.ID) {
		return *s.Command, nil
	}
	alive := err == nil
	found, err := lastCommand(c.files.Record, id)
	if err != nil {
		return Command{}, err
	}
	if alive && (found == nil || found.Running()) { // the disk was full when the command ended, or its end is about to be recorded
		if a, err := c.Wait(ctx, WaitRequest{Command: id, Wait: recordTimeout, From: -1}, nil); err == nil && a.Command != nil {
			return *a.Command, nil
		}
	}
	switch {
	case found == nil && id == 0:
		return Command{}, newFault(FaultUnknown, "%s has run no command yet", c.Name)
	case found == nil:
		return Command{}, newFault(FaultUnknown, "%s has no command %d, or no longer keeps it", c.Name, id)
	}
	return *found, nil
}

// lastCommand returns a command of a record by its number, 0 for the latest; nil if there is none.
// For a command that was running when its host was killed, it counts the output printed until then.
func lastCommand(dir string, id int) (*Command, error) {
	var found *Command
	err := eachCommand(dir, func(cmd Command) bool {
		if id == 0 || cmd.ID == id {
			found = &cmd
		}
		return id == 0 || found == nil || found.Running() // the next command may start before the end of this one is recorded
	})
	if err != nil || found == nil || !found.Running() {
		return found, err
	}
	end, err := recordedEnd(dir)
	if err != nil {
		return nil, err
	}
	found.Bytes = max(0, end-found.From)
	in, _, err := output(dir, found.From, end)
	if err != nil {
		return nil, err
	}
	found.Lines, err = countLines(in)
	return found, err
}
