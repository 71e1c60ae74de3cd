package box

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

// connect sets the standard streams of a command. A program can open its streams again, through /proc/self/fd, with other
// rights than the descriptors have: write a file that was opened for reading, or read or truncate one that was opened for
// appending. So it gets pipes in place of files, directories and disks. end is called after the command.
func (r *running) connect(cmd *exec.Cmd) (end func(), err error) {
	end = func() {}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.Stdin, r.Stdout, r.Stderr
	if reopens(r.Stdin) {
		if cmd.Stdin, end, err = feed(r.Stdin); err != nil {
			return nil, err
		}
	}
	if reopens(r.Stdout) {
		cmd.Stdout = limited{r.Stdout, r.Policy.Limits.FileSize}
	}
	if reopens(r.Stderr) {
		cmd.Stderr = limited{r.Stderr, r.Policy.Limits.FileSize}
		if same(r.Stdout, r.Stderr) { // one pipe keeps the order of the output
			cmd.Stderr = cmd.Stdout
		}
	}
	return end, nil
}

// reopens reports whether the program could open a file again.
func reopens(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeCharDevice) == 0
}

func same(a, b *os.File) bool {
	aInfo, aErr := a.Stat()
	bInfo, bErr := b.Stat()
	return aErr == nil && bErr == nil && os.SameFile(aInfo, bInfo)
}

// feed returns a pipe from which a program reads a file. end, called after the program, puts the offset of the file where
// the program stopped reading: another program may read the rest.
func feed(f *os.File) (from *os.File, end func(), err error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	start, seekErr := f.Seek(0, io.SeekCurrent)
	sent := make(chan int64, 1)
	go func() {
		n, _ := io.Copy(struct{ io.Writer }{to}, f) // the program sees the end of the file after an error, too
		to.Close()
		sent <- n
	}()
	return from, func() {
		_ = to.SetWriteDeadline(time.Now()) // it is closed if the whole file is in the pipe
		n := <-sent
		left, err := unix.IoctlGetInt(int(from.Fd()), unix.TIOCINQ)
		if errors.Join(seekErr, err) == nil {
			_, _ = f.Seek(start+n-int64(left), io.SeekStart) // at worst, the rest is not read
		}
		from.Close()
	}, nil
}

// limited writes a file up to a size, as the kernel enforces it for the files that the program writes itself; 0: no limit.
type limited struct {
	file *os.File
	size int64
}

// Write implements io.Writer.
func (l limited) Write(p []byte) (int, error) {
	if l.size == 0 {
		return l.file.Write(p)
	}
	at, err := l.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	if flags, err := unix.FcntlInt(l.file.Fd(), unix.F_GETFL, 0); err == nil && flags&unix.O_APPEND != 0 {
		if at, err = l.file.Seek(0, io.SeekEnd); err != nil {
			return 0, err
		}
	}
	fits := min(int64(len(p)), max(0, l.size-at))
	n, err := l.file.Write(p[:fits])
	if err == nil && n < len(p) {
		err = &os.PathError{Op: "write", Path: l.file.Name(), Err: unix.EFBIG}
	}
	return n, err
}
