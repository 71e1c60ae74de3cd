//go:build linux

package console_test

import (
	"net"
	osexec "os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
)

// A program that polls the terminal along with other descriptors ends the wait when it asks.
func TestAProgramThatPollsAsks(t *testing.T) {
	for _, tt := range testkit.FewerOf(t, 2, []struct{ name, adapter, needs, code, answer, want string }{
		{"node's readline", "bash", "node", `node -e 'const r=require("readline").createInterface({input:process.stdin,output:process.stdout}); r.question("name? ", n => { console.log("is "+n); r.close() })'`, "x", "is x"},
		{"a debugger in a shell", "bash", "gdb", "gdb -q -nx", "quit", "gdb"},
		{"fish's own read", "fish", "fish", "read x; echo is $x", "x", "is x"},
		{"a fish in a shell", "bash", "fish", "fish -N -c 'read x; echo is $x'", "x", "is x"},
		{"a read with a timeout", "bash", "bash", "read -t 60 -p 'name? ' x; echo is $x", "x", "is x"},
		{"a program that polls with a timeout", "bash", "python3", `python3 -c 'import select; print("name? ", end="", flush=True); select.select([0], [], [], 60); print("is " + input())'`, "x", "is x"},
	}) {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := osexec.LookPath(tt.needs); err != nil {
				t.Skipf("%s is not installed", tt.needs)
			}
			place(t)
			c := start(t, console.Spec{Adapter: tt.adapter})
			exec(t, c, "true")
			a, err := c.Exec(t.Context(), console.ExecRequest{Code: tt.code, Wait: time.Minute}, nil)
			require.NoError(t, err)
			require.Equal(t, "waiting", a.Reason)
			require.Equal(t, console.WaitingInput, a.Status.State)
			_, err = c.Send(t.Context(), console.SendRequest{Text: tt.answer, Keys: []string{"enter"}, OnlyIfWaiting: true})
			require.NoError(t, err)
			var out output
			a, err = c.Wait(t.Context(), console.WaitRequest{Wait: time.Minute}, &out)
			require.NoError(t, err)
			require.Equal(t, "done", a.Reason)
			assert.Contains(t, string(out), tt.want)
		})
	}
}

// output records the bytes written to it.
type output []byte

func (o *output) Write(b []byte) (int, error) { *o = append(*o, b...); return len(b), nil }

// A program that polls the terminal and prints whole lines, as ssh does, does not ask.
func TestAProgramThatRelaysDoesNotAsk(t *testing.T) {
	if _, err := osexec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	place(t)
	c := start(t, console.Spec{})
	relay := `node -e 'process.stdin.once("data", d => { console.log("got " + d); process.exit() }); console.log("there")'`
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: relay, Wait: 2 * time.Second}, nil)
	require.NoError(t, err)
	require.Equal(t, "time", a.Reason)
	_, err = c.Wait(t.Context(), console.WaitRequest{For: "input", Wait: time.Minute}, nil)
	require.NoError(t, err)
	_, err = c.Send(t.Context(), console.SendRequest{Text: "x\r", OnlyIfWaiting: true})
	require.NoError(t, err)
	a, err = c.Wait(t.Context(), console.WaitRequest{Wait: time.Minute}, nil)
	require.NoError(t, err)
	require.Equal(t, "done", a.Reason)
}

// A program that uses the same system call to read its prompt and to wait for other events does not
// ask while it waits for another event.
func TestAProgramThatWaitsForAnotherEventDoesNotAsk(t *testing.T) {
	if _, err := osexec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	place(t)
	dir := t.TempDir()
	c := start(t, console.Spec{Adapter: "node", Dir: dir})
	exec(t, c, `let server; const asked = new Promise(r => { server = require("net").createServer(r).listen("socket") })`)
	a, err := c.Exec(t.Context(), console.ExecRequest{Code: "await asked; server.close(); 5", Wait: 2 * time.Second}, nil)
	require.NoError(t, err)
	require.Equal(t, "time", a.Reason)
	conn, err := net.Dial("unix", dir+"/socket")
	require.NoError(t, err)
	defer conn.Close()
	a, err = c.Wait(t.Context(), console.WaitRequest{Wait: time.Minute}, nil)
	require.NoError(t, err)
	require.Equal(t, "done", a.Reason)
	a, err = c.Exec(t.Context(), console.ExecRequest{Code: `process.stdout.write("soon "); await new Promise(r => setTimeout(r, 1500)); 6`, Wait: time.Minute}, nil)
	require.NoError(t, err)
	require.Equal(t, "done", a.Reason, "its prompt is watched while it waits for a timer")
}
