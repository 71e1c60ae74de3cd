package console

import (
	"context"
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
	in, skipped, err := output(c.files.record, cmd.From, cmd.From+cmd.Bytes)
	if err != nil {
		return Lines{}, err
	}
	defer func() { _ = in.Close() }() // it was only read
	lines := Lines{Command: cmd, Lines: []Line{}, Dropped: skipped}
	return lines, selectLines(in, q, cmd.Lines, &lines)
}

// command is one by its number, 0: the latest. Of a host that lives, it is asked:
// the command may be running.
func (c *Client) command(id int) (Command, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	s, err := c.Status(ctx)
	if err == nil && s.Command != nil && (id == 0 || id == s.Command.ID) {
		return *s.Command, nil
	}
	var found *Command
	if err := eachCommand(c.files.record, func(cmd Command) bool {
		if id == 0 || cmd.ID == id {
			found = &cmd
		}
		return id == 0 || found == nil
	}); err != nil {
		return Command{}, err
	}
	if found == nil {
		return Command{}, fault(FaultUnknown, "%s has no command %d, or no longer", c.Name, id)
	}
	return *found, nil
}
