package proctree

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// A shell's job control sees one job: ^Z stops both processes, fg continues both.
func TestGuardUnderJobControl(t *testing.T) {
	cmd := exec.Command("bash", "--norc", "--noediting", "-i")
	cmd.Env = append(os.Environ(), "PS1=$ ", "GUARDED_SCRIPT=echo u''p; read x; echo got-$x")
	tty, err := pty.Start(cmd)
	require.NoError(t, err)
	defer tty.Close()
	stop := time.AfterFunc(testkit.Patience(20*time.Second), func() { _ = cmd.Process.Kill() }) // a read that hangs ends with the shell
	defer stop.Stop()
	var all []byte
	until := func(text string) {
		buf := make([]byte, 4096)
		for !bytes.Contains(all, []byte(text)) {
			n, err := tty.Read(buf)
			require.NoError(t, err, "waiting for %q after %q", text, all)
			all = append(all, buf[:n]...)
		}
		_, all, _ = bytes.Cut(all, []byte(text))
	}
	for _, step := range []struct{ send, expect string }{
		{"", "$ "},
		{os.Args[0] + "\n", "up\r\n"},
		{"\x1a", "Stopped"},
		{"", "\n$ "},      // only then the shell has restored its own modes
		{"   fg\n", "\n"}, // the flush caused by ^Z may still discard the first byte
		{"hello\n", "got-hello"},
		{"echo status-$?\n", "status-0"},
		{"", "$ "},
		{os.Args[0] + "\n", "up\r\n"},
		{"\x03", "$ "},
		{"echo status-$?\n", "status-130"},
		{"", "$ "},
		{"exit\n", "exit"},
	} {
		_, err := tty.WriteString(step.send)
		require.NoError(t, err)
		until(step.expect)
	}
	_ = cmd.Wait() // its status is the last job's
	reapAll(t)
}
