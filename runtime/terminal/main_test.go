package terminal

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"example.org/ripple/runtime/proctree"
)

// The tests end orphans too, so this process adopts them. If it is started with the name of one of
// its programs it runs that program.
func TestMain(m *testing.M) {
	if program := programs[os.Getenv("TERMINAL_TEST_PROGRAM")]; program != nil {
		program(os.Args[1:])
		os.Exit(0)
	}
	_ = proctree.SetSubreaper() // if it is not supported the tree's tests report that
	os.Exit(m.Run())
}

var programs = map[string]func([]string){
	"print": printStream, "count": countLine, "frames": printFrames, "lines": printLines,
}

// printStream prints stream(seed, n) with the seed and n of its arguments.
func printStream(args []string) {
	seed, _ := strconv.Atoi(args[0])
	n, _ := strconv.Atoi(args[1])
	_, _ = os.Stdout.Write(stream(uint64(seed), n))
}

// stream returns about n bytes of typical screen output. It returns the cursor before it
// erases, because a snapshot cannot describe a cursor in the pending-wrap state of a
// column whose character is erased.
func stream(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	words := []string{
		"word ", "naïve ", "日本語", "e\u0301", "\r\n", "\t", "\x1b[1;31m", "\x1b[m", "\x1b[38;5;200m", "\r\x1b[2J", "\x1b[H", "\r\x1b[K",
		"\x1b[5;5H", "\r\x1b[3A", "\r\x1b[2L", "\r\x1b[3M", "\r\x1b[?1049h", "\r\x1b[?1049l", "\x1b]0;title\x07", "\x1b]2;" + string(bytes.Repeat([]byte("x"), 300)) + "\x1b\\",
		"\x1b[2;9r", "\x1b[r", "\r\x1b7", "\x1b8", "\x1b[?2004h", "\x1b[?25l", "\x1b[?25h", "\r\x1bM", "\x1bP$q\x1b\\", "👩‍🚀", "\b", "\r",
	}
	var b []byte
	for len(b) < n {
		b = append(b, words[r.IntN(len(words))]...)
	}
	return b
}

// countLine reads a line of any length and prints how many bytes it had.
func countLine([]string) {
	fmt.Println("ready")
	line, err := bufio.NewReader(os.Stdin).ReadBytes('\n')
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(len(line), bytes.Count(line, []byte("x")))
}

// printLines prints the number of lines in args, of about 100 bytes each.
func printLines(args []string) {
	n, _ := strconv.Atoi(args[0])
	w := bufio.NewWriter(os.Stdout)
	for i := range n {
		fmt.Fprintf(w, "%08d %091d\n", i, i)
	}
	_ = w.Flush()
}

// printFrames draws one screen of colored text for each byte that it reads.
func printFrames([]string) {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for i := 0; ; i++ {
		if _, err := in.ReadByte(); err == io.EOF {
			return
		}
		_, _ = out.Write(frame(i))
		_ = out.Flush()
	}
}

func frame(i int) []byte {
	b := []byte("\x1b[?2026h\x1b[H")
	for y := range 50 {
		b = fmt.Appendf(b, "\x1b[3%dm%-60d\x1b[4%d;1m%60d\x1b[m\x1b[K", y%8, i+y, (i+y)%8, y*i)
		if y < 49 {
			b = append(b, "\r\n"...)
		}
	}
	return append(b, "\x1b[?2026l"...)
}
