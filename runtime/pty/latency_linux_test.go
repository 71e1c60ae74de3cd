package pty

import (
	"bytes"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// BenchmarkRoundTrip compares a shell's `true` through this package with a bare loop of blocking
// reads, alternately; it reports both medians and their ratio.
func BenchmarkRoundTrip(b *testing.B) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		b.Skip("bash is not installed")
	}
	argv := []string{"bash", "--norc", "--noprofile", "--noediting", "-i"}
	p, err := Start(Command{Path: bash, Argv: argv, Size: Size{200, 50}, Canonical: true})
	require.NoError(b, err)
	defer p.Close()
	fd, done := bare(b, bash, argv)
	defer done()
	pairs := [2]struct {
		read, write func([]byte) (int, error)
		took        []time.Duration
	}{
		{read: p.Read, write: p.Write},
		{read: func(b []byte) (int, error) { return unix.Read(fd, b) }, write: func(b []byte) (int, error) { return unix.Write(fd, b) }},
	}
	const block = 200 // alternate after this many round trips
	for i := range pairs {
		roundTrip(b, pairs[i].read, pairs[i].write, "PS1='@P> '\n")
	}
	for b.Loop() {
		for i := range pairs {
			for range block {
				start := time.Now()
				roundTrip(b, pairs[i].read, pairs[i].write, "true\n")
				pairs[i].took = append(pairs[i].took, time.Since(start))
			}
		}
	}
	ours, theirs := median(pairs[0].took), median(pairs[1].took)
	b.ReportMetric(ours, "µs/ours")
	b.ReportMetric(theirs, "µs/bare")
	b.ReportMetric(ours/theirs, "ratio")
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Nanoseconds()) / 1000
}

func roundTrip(b *testing.B, read, write func([]byte) (int, error), line string) {
	var buf [4096]byte
	_, err := write([]byte(line))
	require.NoError(b, err)
	for n := 0; !bytes.HasSuffix(buf[:n], []byte("@P> ")); {
		k, err := read(buf[n:])
		require.NoError(b, err)
		n += k
	}
}

// bare starts the program with only a blocking descriptor.
func bare(b *testing.B, path string, argv []string) (fd int, done func()) {
	master, tty, err := pty.Open()
	require.NoError(b, err)
	require.NoError(b, setModes(int(tty.Fd()), Command{Canonical: true}))
	cmd := exec.Command(path, argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(b, cmd.Start())
	require.NoError(b, tty.Close())
	return int(master.Fd()), func() {
		_ = cmd.Process.Kill() // it is alive: it was not asked to exit
		_ = cmd.Wait()         // killed
		_ = master.Close()
	}
}
