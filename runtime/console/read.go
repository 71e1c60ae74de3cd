package console

import (
	"bytes"
	"context"
	"io"
	"math"
	"time"
)

// Read reads lines of a command's output from the console's record on disk, which
// outlives the host.
func (c *Client) Read(q ReadRequest) (Lines, error) {
	cmd, err := c.command(q.Command)
	if err != nil {
		return Lines{}, err
	}
	return c.Lines(cmd, q)
}

// Lines is Read for a command that is known as it is now.
func (c *Client) Lines(cmd Command, q ReadRequest) (Lines, error) {
	in, skipped, err := c.output(cmd)
	if err != nil {
		return Lines{}, err
	}
	defer func() { _ = in.Close() }() // it was only read
	lines := Lines{Command: cmd, Lines: []Line{}, Dropped: skipped}
	return lines, selectLines(in, q, cmd.Lines, &lines)
}

// output is what a command has printed: from the record, or from the host when that holds
// some of it in memory.
func (c *Client) output(cmd Command) (in io.ReadCloser, skipped int64, err error) {
	end, err := recorded(c.files.Record)
	if err != nil {
		return nil, 0, err
	}
	if end < cmd.From+cmd.Bytes {
		ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
		defer cancel()
		var all bytes.Buffer
		if a, err := c.Wait(ctx, WaitRequest{Command: cmd.ID, Wait: time.Nanosecond}, &all); err == nil {
			return io.NopCloser(&all), a.Dropped, nil
		}
	}
	return output(c.files.Record, cmd.From, cmd.From+cmd.Bytes)
}

// notedLimit is how long a command that another one has followed may need until its end is
// noted.
const notedLimit = 500 * time.Millisecond

// command is one by its number, 0: the latest. Of a host that lives, it is asked:
// the command may be running.
func (c *Client) command(id int) (Command, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
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
	if alive && (found == nil || found.Running()) { // the disk was full when it ended, or that is about to be noted
		if a, err := c.Wait(ctx, WaitRequest{Command: id, Wait: notedLimit, From: -1}, nil); err == nil && a.Command != nil {
			return *a.Command, nil
		}
	}
	switch {
	case found == nil && id == 0:
		return Command{}, fault(FaultUnknown, "%s has run no command yet", c.Name)
	case found == nil:
		return Command{}, fault(FaultUnknown, "%s has no command %d, or no longer", c.Name, id)
	}
	return *found, nil
}

// lastCommand is a command of a record by its number, 0: the latest; nil: there is none.
// Of one that a killed host was running there is what was printed until then.
func lastCommand(dir string, id int) (*Command, error) {
	var found *Command
	err := eachCommand(dir, func(cmd Command) bool {
		if id == 0 || cmd.ID == id {
			found = &cmd
		}
		return id == 0 || found == nil || found.Running() // the next one may begin before its end is noted
	})
	if err != nil || found == nil || !found.Running() {
		return found, err
	}
	end, err := recorded(dir)
	if err != nil {
		return nil, err
	}
	found.Bytes = max(0, end-found.From)
	in, _, err := output(dir, found.From, end)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // it was only read
	var all Lines
	err = selectLines(in, ReadRequest{From: math.MaxInt64}, 0, &all)
	found.Lines = all.Total
	return found, err
}
