package session

import (
	"bufio"
	"fmt"
	"os"
)

// defaultWindow is how much of one command's output stays in memory.
const defaultWindow = 4 << 20

// capture keeps a command's final text: all of it while it fits the window,
// then the head and the tail in memory and the whole in a private file.
type capture struct {
	window int // negative: keep only the tail that patterns need
	dir    string

	head, tail []byte
	total      int64
	file       *os.File
	spill      *bufio.Writer
	err        error // why the file is not whole
}

// keptTail is what is kept for error patterns when nothing else is.
const keptTail = 64 << 10

func newCapture(window int, dir string) *capture {
	if window == 0 {
		window = defaultWindow
	}
	return &capture{window: window, dir: dir}
}

func (c *capture) write(b []byte) {
	if len(b) == 0 {
		return
	}
	c.total += int64(len(b))
	switch {
	case c.window < 0:
		c.keepTail(b, keptTail)
	case c.file == nil && len(c.head)+len(b) <= c.window:
		c.head = append(c.head, b...)
	default:
		c.overflow(b)
	}
}

// overflow is the path of output that does not fit the window: everything goes
// to the file, the first half of the window stays as the head.
func (c *capture) overflow(b []byte) {
	half := c.window / 2
	if c.file == nil && c.err == nil {
		c.file, c.err = os.CreateTemp(c.dir, "output-*.txt")
		if c.err == nil {
			c.spill = bufio.NewWriterSize(c.file, 64<<10)
			_, c.err = c.spill.Write(c.head)
		}
		if len(c.head) > half {
			c.tail = append(c.tail, c.head[half:]...)
			c.head = c.head[:half:half]
		}
	}
	if c.err == nil {
		_, c.err = c.spill.Write(b)
	}
	n := min(len(b), half-len(c.head))
	c.head = append(c.head, b[:n]...)
	c.keepTail(b[n:], half)
}

// keepTail appends to the tail and cuts it to n bytes now and then.
func (c *capture) keepTail(b []byte, n int) {
	c.tail = append(c.tail, b...)
	if len(c.tail) > 2*n {
		c.tail = c.tail[:copy(c.tail, c.tail[len(c.tail)-n:])]
	}
}

// close finishes the file; path is empty when there is none.
func (c *capture) close() (path string, err error) {
	if c.file == nil {
		return "", c.err
	}
	if err := c.spill.Flush(); err != nil && c.err == nil {
		c.err = err
	}
	if err := c.file.Close(); err != nil && c.err == nil {
		c.err = err
	}
	return c.file.Name(), c.err
}

// text is what is in memory; cut says that the middle is missing from it.
func (c *capture) text() (text string, cut bool) {
	left := c.total - int64(len(c.head)+len(c.tail))
	switch {
	case c.window < 0:
		return "", c.total > 0
	case left <= 0:
		return string(c.head) + string(c.tail), false
	}
	where := "lost: " + fmt.Sprint(c.err)
	if c.file != nil && c.err == nil {
		where = "whole in " + c.file.Name()
	}
	return fmt.Sprintf("%s\n[… %d bytes left out here; %s …]\n%s", c.head, left, where, c.tail), true
}

// recent is the end of the text, for patterns.
func (c *capture) recent() string {
	t := c.tail
	if len(t) == 0 {
		t = c.head
	}
	return string(t[max(0, len(t)-keptTail):])
}
