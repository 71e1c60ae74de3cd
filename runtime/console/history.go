package console

// History returns the commands that the console has recorded, oldest first: those whose code and
// results fit into twice keptIndex. Older commands cannot be read, even if their output is still on
// disk.
func (c *Client) History() (all []Command, err error) {
	at := map[int]int{}
	err = eachCommand(c.files.Record, func(cmd Command) bool {
		if i, again := at[cmd.ID]; again { // the entry written at its end
			all[i] = cmd
		} else {
			at[cmd.ID] = len(all)
			all = append(all, cmd)
		}
		return true
	})
	return all, err
}
