//go:build linux

package consoles

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// Many consoles at a time: each exists, answers, and is ended, and nothing is left.
func TestManyConsolesAtOnce(t *testing.T) {
	t.Parallel()
	consoles := testkit.Times(t, 6, 200)
	p := newPlace(t)
	p.each(consoles, func(i int) (result, error) { return p.try("", "console", "start", "--name", fmt.Sprint("c", i)) })
	outs := p.each(consoles, func(i int) (result, error) {
		return p.try("", "console", "exec", fmt.Sprint("c", i), "--", fmt.Sprint("echo ", i))
	})
	for i, r := range outs {
		require.Equal(t, fmt.Sprintln(i), r.out)
	}
	assert.Len(t, p.list(), consoles)
	p.ok("console", "close", "--all")
	p.requireNothingLeft()
}

// each calls do n times concurrently; all calls must succeed.
func (p *place) each(n int, do func(i int) (result, error)) []result {
	p.Helper()
	results, errs := make([]result, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { results[i], errs[i] = do(i) })
	}
	all.Wait()
	for i, r := range results {
		require.NoError(p, errs[i])
		require.Zero(p, r.code, r.err)
	}
	return results
}

// After any number of commands, a console's host needs the same memory and its record is of bounded
// size.
func TestManyCommands(t *testing.T) {
	t.Parallel()
	commands := testkit.Times(t, 1200, 200_000)
	batch := max(600, commands/4) // more than the host keeps in memory
	p := newPlace(t)
	p.start("main")
	host := p.status("main").Host
	record := p.path("home/.local/state/ripple/consoles/main")
	var early int
	for done := 0; done < commands; done += batch {
		cmd := p.command("console", "exec", "--lines", "main")
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := os.Create(filepath.Join(p.dir, "out"))
		require.NoError(t, err)
		cmd.Stdout = out
		require.NoError(t, cmd.Start())
		for n := range batch {
			_, err := fmt.Fprintf(in, "echo the output of command %d\n", done+n+1)
			require.NoError(t, err)
		}
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait())
		_, err = out.Seek(0, io.SeekStart)
		require.NoError(t, err)
		text, err := io.ReadAll(out)
		require.NoError(t, err)
		require.NoError(t, out.Close())
		require.Equal(t, batch, strings.Count(string(text), "\n"))
		require.True(t, strings.HasSuffix(string(text), fmt.Sprintf(" %d\n", done+batch)), "%.100q", text)
		now := memory(t, host)
		if early == 0 {
			early = now
		}
		t.Logf("after %d commands the host has %d kB of memory and its record %d kB", done+batch, now>>10, room(t, record)>>10)
	}
	assert.Less(t, memory(t, host), early+early/2, "bytes of memory of the host, %d after %d commands", early, batch)
	assert.Less(t, room(t, record), 6<<20+40*commands, "bytes of the record: two files of the index, and the output")
	r := p.run("", "console", "read", "main", "--command", fmt.Sprint(commands-1))
	assert.Equal(t, fmt.Sprintf("the output of command %d\n", commands-1), r.out)
	r = p.run("", "console", "read", "main", "--command", "1")
	if commands > 100_000 {
		assert.Contains(t, r.err, "has no command 1, or no longer keeps it")
	}
}

// room returns the size of a directory, in bytes.
func room(t *testing.T, dir string) (bytes int) {
	t.Helper()
	out, err := exec.Command("du", "-sb", dir).Output()
	require.NoError(t, err)
	_, err = fmt.Sscan(string(out), &bytes)
	require.NoError(t, err)
	return bytes
}
