package session

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Text that arrives after keys is the line editor's, except for whole lines that it would not draw.
func TestDividingTextAtALine(t *testing.T) {
	for _, tt := range []struct{ name, keys, last, text, own, foreign string }{
		{"nothing", "", "", "", "", ""},
		{"an echo", "h", "", "h", "h", ""},
		{"an echo, and a line", "h", "", "hjob\r\n", "h", "job\r\n"},
		{"a line, and an echo", "h", "", "job\r\nh", "h", "job\r\n"},
		{"a line within an echo", "hi", "", "hjob\r\ni", "hi", "job\r\n"},
		{"two lines", "h", "", "one\r\ntwo\r\nh", "h", "one\r\ntwo\r\n"},
		{"a colored line", "", "", "\x1b[32mjob\x1b[m\r\n", "", "\x1b[32mjob\x1b[m\r\n"},
		{"a colored echo, and a line", "h", "", "\x1b[1mh\x1b[mjob\r\n", "\x1b[1mh\x1b[m", "job\r\n"},
		{"an echo that returns within its line", "h", "", "e\bh\r\x1b[9Cjob\r\n\bh", "e\bh\r\x1b[9C\bh", "job\r\n"},
		{"a line between an erased character", "\x7f", "", "job\r\n\b\x1b[K", "\b\x1b[K", "job\r\n"},
		{"a part of a line after others", "h", "", "one\r\ntw", "", "one\r\ntw"},
		{"and an echo", "h", "", "one\r\ntwh", "h", "one\r\ntw"},
		{"and the same without a key", "", "h", "one\r\ntw", "", "one\r\ntw"},
		{"an echo within a line", "ho", "", "one\r\n#1ho\r\x1b[9C2\r\n", "ho\r\x1b[9C", "one\r\n#12\r\n"},
		{"the rest of an echo within a line", "ho", "", "one\r\n#1o\r\x1b[9C\b\bho\r\x1b[9C2\r\n", "o\r\x1b[9C\b\bho\r\x1b[9C", "one\r\n#12\r\n"},
		{"an insertion after a line", "h", "", "job\r\nhello\b\b\b\b", "hello\b\b\b\b", "job\r\n"},
		{"the prompt and the line after a line", "o", "", "job\r\n$ hello", "$ hello", "job\r\n"},
		{"a wrapped line", "hi", "", "h \ri", "h \ri", ""},
		{"a line wrapped by its end", "hi", "", "h\r\ni", "h\r\ni", ""},
		{"a list of completions", "\t", "", "\r\none  two\r\n$ l", "\r\n$ l", "one  two\r\n"},
		{"a list below from which the cursor returns", "h", "", "h\r\none  two\r\n\x1b[2A", "h\r\n\x1b[2A", "one  two\r\n"},
		{"a line of the user that is drawn again", "h", "", "\r\necho hello\r\njob\r\n\x1b[2A", "\r\necho hello\r\n\x1b[2A", "job\r\n"},
		{"a notice without a key", "", "", "\r\x1b[K[1] done\r\n$ l", "\r\x1b[K$ l", "[1] done\r\n"},
		{"a part of a line without a key", "", "h", "job", "", "job"},
		{"a late echo", "", "hi", "i", "i", ""},
		{"a suggestion without a key", "", "h", "\x1b[90mi\x1b[m\b", "\x1b[90mi\x1b[m\b", ""},
		{"and a character before them", " 12", "", " \r\x1b[30C#122\r\n1\r\x1b[31C2\r", " \r\x1b[30C1\r\x1b[31C2\r", "#122\r\n"},
		{"a line that begins with the keys, too", "he", "\"", "h\r\x1b[29C\bh\r\x1b[29Ce\r\x1b[30Chello from the job\r\n", "h\r\x1b[29C\bh\r\x1b[29Ce\r\x1b[30C", "hello from the job\r\n"},
		{"and with one that is not shown yet", "hel", "\"", "h\r\x1b[29Ce\r\x1b[30Chello from the job\r\nl\r\x1b[31C", "h\r\x1b[29Ce\r\x1b[30Cl\r\x1b[31C", "hello from the job\r\n"},
		{"a line that has the keys, too", "28", "", "#288\r\n2\r\x1b[31C8\r\x1b[32C", "2\r\x1b[31C8\r\x1b[32C", "#288\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := editorText{keys: []byte(tt.keys), last: []byte(tt.last), code: "echo hello", prompt: "$"}
			own, foreign := e.divide([]byte(tt.text))
			assert.Equal(t, tt.own, string(own))
			assert.Equal(t, tt.foreign, string(foreign))
		})
	}
}

// Between the key that ends a line and the echo of that end, whole lines belong to other programs.
func TestTextBeforeTheEndOfALine(t *testing.T) {
	for _, tt := range []struct{ name, text, foreign, after string }{
		{"the end", "\r\n", "", ""},
		{"the end in another mode", "\x1b[?2004l\r\r\n", "", ""},
		{"and more", "\r\nnext", "", "next"},
		{"a line before it", "job\r\n\r\n", "job\r\n", ""},
		{"two lines before it", "one\r\ntwo\r\n\r\nnext\r\n", "one\r\ntwo\r\n", "next\r\n"},
		{"the line once more", "\b\b\bell\r\n", "", ""},
		{"the line once more, without a control character", "ll\r\n", "", ""},
		{"the end of the line and blanks once more", "ll \r\n", "", ""},
		{"drawn by the editor", "\x1b[K\r\n", "", ""},
		{"rows above drawn once more", "\b\b\bell\x1b[A\x1b[2A\x1b[B\r\r\n\r\n\x1b[11C\r\nnext\r\n", "", "next\r\n"},
		{"drawn by the editor over the line", "\r$ echo hell\r\nx", "", "x"},
		{"a line after the editor has drawn", "\r$ echo hell\r\x1b[11Cjob\r\n\r\n", "job\r\n", ""},
		{"a line after the editor has drawn the end of its line", "\x1b[4Dhell\r\x1b[11Cjob\r\n\r\n", "job\r\n", ""},
		{"a line after the editor has drawn the end of its line twice", "\x1b[Dl\r\x1b[11C\x1b[4Dhell\r\x1b[11Cjob\r\n\r\n", "job\r\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for cut := range tt.text {
				l := newTypedLine(80, 24, []byte("$ "))
				l.take([]byte("echo hell"))
				if strings.HasPrefix(tt.text, "ll") {
					l.take([]byte("\b\b")) // the cursor was there
				}
				l.entered = true
				foreign := string(l.takeEnd([]byte(tt.text[:cut]))) + string(l.takeEnd([]byte(tt.text[cut:])))
				assert.Equal(t, tt.foreign, foreign, "at %d", cut)
				assert.True(t, l.below)
				assert.Equal(t, "echo hell", l.code())
				assert.Equal(t, tt.after, string(l.after))
			}
		})
	}
}

// After its end was typed, the editor draws all lines of a command once more, without the prompts
// between them.
func TestLinesThatAreDrawnAgain(t *testing.T) {
	const text = "\x1b[1mif x {\x1b[m\r\na\r\njob\r\n\r\n}\x1b[?25h\r\nnext"
	for cut := range text {
		l := newTypedLine(80, 24, []byte("$ "))
		l.take([]byte("if x {\r\n::: a\r\n::: \r\n::: }"))
		l.again = strings.Split(l.code(), "\n")
		l.take([]byte("\x1b[H\x1b[J$ "))
		l.entered = true
		foreign := string(l.takeEnd([]byte(text[:cut]))) + string(l.takeEnd([]byte(text[cut:])))
		assert.Equal(t, "job\r\n", foreign, "at %d", cut)
		assert.Equal(t, "if x {\na\n\n}", l.code())
		assert.Equal(t, "next", string(l.after))
	}
}

// Where the kernel reports nothing, a key that has shown nothing may have no effect: the wait for it
// is shorter than for a character that is the first one of a line, and would be shown.
func TestKeysWithoutAnEffect(t *testing.T) {
	for _, tt := range []struct {
		name, code, keys string
		after            time.Duration // 0: never
	}{
		{"an arrow at the end of a line", "ls", "\x1b[C", silentFlight},
		{"a character", "ls", "x", silentFlight},
		{"an arrow on an empty line", "", "\x1b[C", unknownFlight},
		{"a backspace on an empty line", "", "\x7f", unknownFlight},
		{"the first character of a line", "", "x", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newTypedLine(80, 24, []byte("$ "))
			l.take([]byte(tt.code))
			l.arrived.give([]byte(tt.keys), 0)
			if tt.after == 0 {
				assert.False(t, l.unaffected(time.Hour))
				return
			}
			assert.False(t, l.unaffected(tt.after-1))
			assert.True(t, l.unaffected(tt.after))
			l.broken = true
			assert.False(t, l.unaffected(tt.after), "after Ctrl-C")
			l.broken, l.entered = false, true
			assert.False(t, l.unaffected(tt.after), "after Enter")
		})
	}
}

// However the text of a job is divided, by reads and by what the editor draws, none of it is lost.
func TestAJobsLineInPieces(t *testing.T) {
	for _, tt := range []struct{ name, keys, text, own string }{
		{"a key that is not drawn yet", "h", "one\r\n#2\r\n#3\r\n", ""},
		{"no key", "", "one\r\n#2\r\n#3\r\n", ""},
		{"drawn within a line", "ho", "one\r\n#2ho\r\x1b[9C2\r\n#3\r\n", "ho\r\x1b[9C"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for cut := len("one\r\n"); cut < len(tt.text); cut++ {
				if at := strings.Index(tt.text, tt.own); tt.own != "" && at < cut && cut < at+len(tt.own) {
					continue // it arrives in one piece
				}
				e := editorText{keys: []byte(tt.keys), code: "echo hello", prompt: "$"}
				own, foreign := e.divide([]byte(tt.text[:cut]))
				own2, foreign2 := e.divide([]byte(tt.text[cut:]))
				assert.Equal(t, tt.own, string(own)+string(own2), "at %d", cut)
				assert.Equal(t, strings.Replace(tt.text, tt.own, "", 1), string(foreign)+string(foreign2), "at %d", cut)
			}
		})
	}
}

// A line break at which an editor wraps a line is not a part of the command.
func TestALineThatAnEditorWraps(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want string
	}{
		{"typed", []string{"e", "cho a  b", "cd", "\r"}, "echo a  bcd"},
		{"an end within", []string{"echo a  b\r", "cd\r"}, "echo a\nbcd"},
		{"an edited line", []string{"echo a  bx", "\x7f", "cd", "\r"}, "echo a\nbcd"},
		{"other text than is displayed", []string{"e a b", "\r"}, "echo a\nbcd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newTypedLine(80, 24, []byte("$ "))
			for _, keys := range tt.keys {
				l.plain.add([]byte(keys))
			}
			l.take([]byte("echo a  \r\nbcd"))
			assert.Equal(t, tt.want, l.plain.of(l.code()))
		})
	}
}
