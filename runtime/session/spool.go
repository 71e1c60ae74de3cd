package session

import (
	"bufio"
	"fmt"
	"os"
)

// defaultWindow is how many bytes of one command's output are kept in memory.
const defaultWindow = 4 << 20

// spool keeps a command's final text: all of it while it fits the window, then its head and tail in
// memory and the whole text in a private file.
type spool struct {
	window int // negative: keep only the tail that patterns need
	dir    string

	head, tail []byte
	total      int64
	file       *os.File
	spill      *bufio.Writer
	err        error // why the file is incomplete
}

// keptTail is how many bytes are kept for error patterns if nothing else is kept.
const keptTail = 64 << 10

func newSpool(window int, dir string) *spool {
	if window == 0 {
		window = defaultWindow
	}
	return &spool{window: window, dir: dir}
}

func (s *spool) write(b []byte) {
	if len(b) == 0 {
		return
	}
	s.total += int64(len(b))
	switch {
	case s.window < 0:
		s.keepTail(b, keptTail)
	case s.file == nil && len(s.head)+len(b) <= s.window:
		s.head = append(s.head, b...)
	default:
		s.overflow(b)
	}
}

// overflow handles output that does not fit the window: everything goes to the file, and the first
// half of the window stays as the head.
func (s *spool) overflow(b []byte) {
	half := s.window / 2
	if s.file == nil && s.err == nil {
		s.file, s.err = os.CreateTemp(s.dir, "output-*.txt")
		if s.err == nil {
			s.spill = bufio.NewWriterSize(s.file, 64<<10)
			_, s.err = s.spill.Write(s.head)
		}
		if len(s.head) > half {
			s.tail = append(s.tail, s.head[half:]...)
			s.head = s.head[:half:half]
		}
	}
	if s.err == nil {
		_, s.err = s.spill.Write(b)
	}
	n := min(len(b), half-len(s.head))
	s.head = append(s.head, b[:n]...)
	s.keepTail(b[n:], half)
}

// keepTail appends to the tail and occasionally cuts it to n bytes.
func (s *spool) keepTail(b []byte, n int) {
	s.tail = append(s.tail, b...)
	if len(s.tail) > 2*n {
		s.tail = s.tail[:copy(s.tail, s.tail[len(s.tail)-n:])]
	}
}

// close finishes the file; path is empty if there is none.
func (s *spool) close() (path string, err error) {
	if s.file == nil {
		return "", s.err
	}
	if err := s.spill.Flush(); err != nil && s.err == nil {
		s.err = err
	}
	if err := s.file.Close(); err != nil && s.err == nil {
		s.err = err
	}
	return s.file.Name(), s.err
}

// text returns the text in memory; cut says that its middle is missing.
func (s *spool) text() (text string, cut bool) {
	left := s.total - int64(len(s.head)+len(s.tail))
	switch {
	case s.window < 0:
		return "", s.total > 0
	case left <= 0:
		return string(s.head) + string(s.tail), false
	}
	where := "lost: " + fmt.Sprint(s.err)
	if s.file != nil && s.err == nil {
		where = "whole in " + s.file.Name()
	}
	return fmt.Sprintf("%s\n[… %d bytes left out here; %s …]\n%s", s.head, left, where, s.tail), true
}

// recent returns the end of the text, for patterns.
func (s *spool) recent() string {
	t := s.tail
	if len(t) == 0 {
		t = s.head
	}
	return string(t[max(0, len(t)-keptTail):])
}
