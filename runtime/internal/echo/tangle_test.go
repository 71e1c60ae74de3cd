package echo

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a line editor or the kernel echoes, in pieces, and where a background
// job's lines came in between.
func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name         string
		kernel       bool
		sent, prompt string
		stream, want string
	}{
		{"the kernel's echo alone", true, "echo hi\n", "", "echo hi\r\n", ""},
		{"lines before", true, "echo hi\n", "", "bg 1\r\nbg 2\r\necho hi\r\n", "bg 1\r\nbg 2\r\n"},
		{"lines behind", true, "echo hi\n", "", "echo hi\r\nbg 1\r\nbg 2\r\n", "bg 1\r\nbg 2\r\n"},
		{"the echo within a line", true, "echo hi\n", "", "bg 1\r\nbg echo hi\r\n2\r\nbg 3\r\n", "bg 1\r\nbg 2\r\nbg 3\r\n"},
		{"the echo before a line end", true, "echo hi\n", "", "bg 1echo hi\r\n\r\n", "bg 1\r\n"},
		{"a line within the echo", true, "echo hi\n", "", "echbg 1\r\no hi\r\n", "bg 1\r\n"},
		{"a line's text within the echo, and its end behind", true, "echo cmd 148\n", "", "echo cmd bg 510148\r\n\r\n", "bg 510\r\n"},
		{"and a line before", true, "echo cmd 148\n", "", "bg 509\r\necho cmd bg 510148\r\n\r\n", "bg 509\r\nbg 510\r\n"},
		{"lines that begin as the echo does", true, "echo hi\n", "", "e\r\nec\r\necho h\r\necho hi\r\n", "e\r\nec\r\necho h\r\n"},
		{"an unfinished line", true, "x\n", "", "x\r\nbg", "bg"},
		{"control bytes", true, "a\x03\tb\n", "", "bg\r\na^C\tb\r\n", "bg\r\n"},
		{"no echo", false, "print(1)\n", "", "bg 1\r\nbg 2\r\n", "bg 1\r\nbg 2\r\n"},
		{"no echo but a line end", false, "print(1)\n", "", "\r\n", "\r\n"},
		{"a cursor that moves", false, "print(1)\n", "", "\r\x1b[3C", ""},
		{"a line editor's echo in pieces", false, "echo hi there\n", "", "bg 9\r\necho hi there\r\n", "bg 9\r\n"},
		{"and between them", false, "echo hi there\n", "", "ebg 9\r\necho\r\ncho hi there\r\nbg 10\r\n", "bg 9\r\necho\r\nbg 10\r\n"},
		{
			"fish draws the line again", false, "echo hi there\r", "",
			"bg 1\r\necho hi there\r\x1b[39Cbg 2\r\n\x1b[13Decho hi there\r\x1b[39C\r\n\x1b[30m\x1b(B\x1b[mbg 3\r\n", "bg 1\r\nbg 2\r\nbg 3\r\n",
		},
		{
			"nu draws the prompt again", false, "print \"hi\"\r", "/tmp> ",
			"\x1b[6nbg 1\n\x1b[?25l\x1b[1;1H\x1b[J\x1b[38;5;10m/tmp\x1b[0m> \x1b[38;5;5m\x1b7\x1b[1;201H\x1b8\x1b[0m\x1b[1;36mprint\x1b[0m \x1b[32m\"hi\"\x1b[0m\x1b7\x1b8\x1b[?25h\r\nbg 2\r\n",
			"bg 1\nbg 2\r\n",
		},
		{
			"a line after a prompt that was drawn again", false, "print \"hi\"\r", "/tmp> ",
			"\x1b[?25l\x1b[1;1H\x1b[J\x1b[38;5;10m/tmp\x1b[0m> \x1b[38;5;5m\x1b7\x1b[1;201H\x1b8\x1b[0mbg 1\r\n\x1b[?25l\x1b[1;1H\x1b[J\x1b[38;5;10m/tmp\x1b[0m> \x1b[38;5;5m\x1b7\x1b[1;201H\x1b8\x1b[0m\x1b[1;36mprint\x1b[0m \x1b[32m\"hi\"\x1b[0m\x1b7\x1b8\x1b[?25h\r\nbg 2\r\n",
			"\x1b[38;5;5m\x1b7\x1b[1;201H\x1b8\x1b[0mbg 1\r\nbg 2\r\n", // the sequences may be the line's
		},
		{
			"a prompt that was drawn again twice", false, "print \"hi\"\r", "/tmp> ",
			"\x1b[?25l\x1b[1;1H\x1b[J\x1b[38;5;10m/tmp\x1b[0m> \x1b[38;5;5m\x1b7\x1b[1;201H\x1b8\x1b[0m\x1b[?25l\x1b[1;1H\x1b[J\x1b[38;5;10m/tmp\x1b[0m> \x1b[38;5;5m\x1b7\x1b[1;201H\x1b8\x1b[0m\x1b[1;36mprint\x1b[0m \x1b[32m\"hi\"\x1b[0m\x1b7\x1b8\x1b[?25h\r\nbg 1\r\n",
			"bg 1\r\n",
		},
		{
			"twice, and the echo as well", false, "print \"hi\"\r", "/tmp> ",
			"\x1b[?25l\x1b[1;1H\x1b[J\x1b[38;5;10m/tmp\x1b[0m> \x1b[38;5;5m\x1b7\x1b[1;201H\x1b8\x1b[0m\x1b[1;36mprint\x1b[0m \x1b[32m\"hi\"\x1b[0m\x1b7\x1b8\x1b[?25h\x1b[?25l\x1b[1;1H\x1b[J\x1b[38;5;10m/tmp\x1b[0m> \x1b[38;5;5m\x1b7\x1b[1;201H\x1b8\x1b[0m\x1b[1;36mprint\x1b[0m \x1b[32m\"hi\"\x1b[0m\x1b7\x1b8\x1b[?25h\r\nbg 1\r\n",
			"bg 1\r\n",
		},
		{
			"between the prompt and its echo", false, "print \"hi\"\r", "/tmp> ",
			"\x1b[?25l\x1b[1;1H\x1b[J\x1b[38;5;10m/tmp\x1b[0m> \x1b[38;5;5m\x1b7\x1b[1;201H\x1b8\x1b[0mbg 1\r\n\x1b[1;36mprint\x1b[0m \x1b[32m\"hi\"\x1b[0m\x1b7\x1b8\x1b[?25h\r\nbg 2\r\n",
			"\x1b[38;5;5m\x1b7\x1b[1;201H\x1b8\x1b[0mbg 1\r\nbg 2\r\n", // the sequences may be the line's
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Config{Strategy: Deterministic, Sent: []byte(tt.sent), Foreign: true, Shown: []byte(tt.prompt)}
			if tt.kernel {
				c.Kernel = kernelEcho(tt.sent)
			}
			assert.Equal(t, tt.want, string(Split(c, []byte(tt.stream))))
		})
	}
}

// A line that had begun before the input was sent goes on before the echo, or not.
func TestSplitWithinALine(t *testing.T) {
	echoes := map[string]string{
		"the kernel's":      "echo hi there\r\n",
		"fish's":            "echo hi there\r\x1b[47C\x1b[11Decho hi there\r\x1b[47C\r\n\x1b[30m\x1b(B\x1b[m",
		"a simple editor's": "echo hi there\r\n",
	}
	for name, shown := range echoes {
		t.Run(name, func(t *testing.T) {
			c := Config{Strategy: Deterministic, Sent: []byte("echo hi there\r"), Foreign: true, Within: true}
			if name == "the kernel's" {
				c.Sent = []byte("echo hi there\n")
				c.Kernel = kernelEcho("echo hi there\n")
			}
			assert.Equal(t, "", string(Split(c, []byte(shown))))
			for rest := "bg 1113\r\n"; rest != ""; rest = rest[1:] {
				assert.Equal(t, rest, string(Split(c, []byte(rest+shown))))
				assert.Equal(t, rest+"bg 1114\r\n", string(Split(c, []byte(rest+"bg 1114\r\n"+shown))))
			}
		})
	}
}

// A kernel's echo is taken out of numbered lines wherever it came.
func TestSplitAnywhere(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 500 {
		var b strings.Builder
		for i := range 1 + r.Intn(20) {
			fmt.Fprintf(&b, "line %04d\r\n", i)
		}
		lines := b.String()
		code := strings.Repeat("x", 1+r.Intn(5)) + fmt.Sprint(r.Intn(1000)) + "\n"
		at := r.Intn(len(lines))
		stream := lines[:at] + string(kernelEcho(code)) + lines[at:]
		c := Config{Strategy: Deterministic, Sent: []byte(code), Foreign: true, Kernel: kernelEcho(code)}
		require.Equal(t, lines, string(Split(c, []byte(stream))), "%q in %q", code, stream)
	}
}

// The kernel cuts its own echo and others' lines where it likes.
func TestSplitAnywhereInPieces(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		var b strings.Builder
		for i := range 2 + r.Intn(10) {
			fmt.Fprintf(&b, "bg %d\r\n", 500+i)
		}
		lines := b.String()
		code := fmt.Sprintf("echo;%s\n", "uvwxyz"[r.Intn(5):])
		shown := string(kernelEcho(code))
		cut := 1 + r.Intn(len(code)-2) // a line end alone, like a blank, could be anybody's
		at := r.Intn(len(lines))
		gap := min(1+r.Intn(10), len(lines)-at)
		stream := lines[:at] + shown[:cut] + lines[at:at+gap] + shown[cut:] + lines[at+gap:]
		c := Config{Strategy: Deterministic, Sent: []byte(code), Foreign: true, Kernel: kernelEcho(code)}
		require.Equal(t, lines, string(Split(c, []byte(stream))), "%q in %q", code, stream)
	}
}

// Where nothing announces the output's beginning the echo ends what others printed.
func TestStripperAmongOthers(t *testing.T) {
	stream := "bg 1\r\nbg 2\r\necho hi\r\nhi\r\nbg 3\r\n"
	for cut := range len(stream) {
		s := New(Config{Strategy: Deterministic, Sent: []byte("echo hi\n"), Foreign: true, Kernel: kernelEcho("echo hi\n")})
		out := string(s.Feed([]byte(stream[:cut])))
		out += string(s.Feed([]byte(stream[cut:])))
		out += string(s.Flush())
		assert.Equal(t, "hi\r\nbg 3\r\n", out)
		assert.Equal(t, "bg 1\r\nbg 2\r\n", string(s.Foreign()))
	}
}

func BenchmarkSplit(b *testing.B) {
	lines := strings.Repeat("background line 12345 and more of it\r\n", 2000)
	c := Config{Strategy: Deterministic, Sent: []byte("echo hello world\n"), Foreign: true, Kernel: kernelEcho("echo hello world\n")}
	stream := []byte(lines + "echo hello world\r\n" + lines)
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		Split(c, stream)
	}
}

// A prompt that is known is taken out of what others print meanwhile.
func TestCut(t *testing.T) {
	prompt := "\r\x1b[1;38;5;34m<user>@vm\x1b[1;38;5;18m /home/user/src/a/directory\x1b[1;38;5;167m main\x1b[0m \x1b[38;5;124m\x1b[0m\x1b[1;38;5;18m#\x1b[0m "
	for at := range len(prompt) + 1 {
		stream := "bg 47\r\nbg 48\r\n" + prompt[:at] + "bg 49\r\nbg 50\r\n" + prompt[at:]
		lines, rest, ok := Cut([]byte(prompt), []byte(stream))
		assert.True(t, ok, "%d", at)
		assert.Equal(t, "bg 47\r\nbg 48\r\nbg 49\r\nbg 50\r\n", string(lines), "%d: %q", at, stream)
		assert.Equal(t, prompt, string(rest), "%d: %q", at, stream)
	}
	pieces := prompt[:3] + "bg 1\r\n" + prompt[3:20] + "bg 2\r\n" + prompt[20:50] + "bg 3\r\n" + prompt[50:] + "bg 4\r\n"
	foreign, _, ok := Cut([]byte(prompt), []byte(pieces))
	assert.True(t, ok)
	assert.Equal(t, "bg 1\r\nbg 2\r\nbg 3\r\nbg 4\r\n", string(foreign), "in however many pieces it came")
	_, _, ok = Cut([]byte("$ "), []byte("# bg\r\n"))
	assert.False(t, ok)
	lines, rest, ok := Cut([]byte("$ "), []byte("bg\r\n[41] $ "))
	assert.True(t, ok)
	assert.Equal(t, "bg\r\n", string(lines))
	assert.Equal(t, "[41] $ ", string(rest), "a prompt that has grown")
}

// A prompt that is torn into more pieces than can be recognized stays, and no other line loses
// a part that looks like one of the prompt.
func TestCutTearsNoLine(t *testing.T) {
	prompt := "\r\x1b[1mu@vm\x1b[0m ~\x1b[31m>\x1b[0m "
	for _, pieces := range [][]string{
		{"\r\x1b[1mu@vm\x1b[", "0m ~\x1b[", "3", "1", "m>\x1b[", "0m "},
		{"\r\x1b[1mu@vm\x1b[0m ~\x1b[", "3", "1", "m>\x1b[0m "},
	} {
		require.Equal(t, prompt, strings.Join(pieces, ""))
		var stream, want strings.Builder
		for n, piece := range pieces {
			stream.WriteString(piece)
			for k := range 1 + n%2 {
				line := fmt.Sprintf("w-%d\r\n", 3114+2*n+k)
				stream.WriteString(line)
				want.WriteString(line)
			}
		}
		lines, rest, ok := Cut([]byte(prompt), []byte(stream.String()))
		if ok {
			assert.Equal(t, want.String(), string(lines), "%q, and left: %q", stream.String(), rest)
		}
	}
}

// A line editor that cannot wrap a line shows its end alone.
func TestSplitOfAScrolledLine(t *testing.T) {
	c := Config{Strategy: Deterministic, Sent: []byte("source '/tmp/a/long/name.xsh'\n"), Foreign: true}
	for stream, want := range map[string]string{
		"\r<g/name.xsh'     \b\b\b\b\b\r\n":                 "",
		"bg 1\r\n\r<g/name.xsh'   \b\b\b\r\nbg 2\r\n":       "bg 1\r\nbg 2\r\n",
		"<g/name.txt'\r\n":                                  "<g/name.txt'\r\n",
		"source '/tmp/a/long/name.xsh'\r\n<g/name.xsh'\r\n": "<g/name.xsh'\r\n",
	} {
		assert.Equal(t, want, string(Split(c, []byte(stream))), "%q", stream)
	}
}
