package echo

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// kernelEcho is how a terminal echoes in its usual modes.
func kernelEcho(sent string) (want []byte) {
	for _, c := range []byte(sent) {
		switch {
		case c == '\n' || c == '\r':
			want = append(want, '\r', '\n')
		case isControl(c):
			want = append(want, '^', c^0x40)
		default:
			want = append(want, c)
		}
	}
	return want
}

func TestPending(t *testing.T) {
	for _, tt := range []struct {
		name   string
		sent   []string
		stream string
		output string
	}{
		{"at once", []string{"bob\n"}, "bob\r\nhi bob\r\n", "hi bob\r\n"},
		{"after output", []string{"bob\n"}, "name? bob\r\nhi", "name? hi"},
		{"only the first", []string{"y\n"}, "y\r\ny\r\n", "y\r\n"},
		{"two in order", []string{"a\n", "b\n"}, "1a\r\n2b\r\n3", "123"},
		{"begins twice", []string{"aab\n"}, "xaaab\r\n", "xa"},
		{"begins within itself", []string{"ababc"}, "abababc.", "ab."},
		{"control byte and tab", []string{"\x04\t\n"}, ">^D\t\r\n<", "><"},
		{"never came", []string{"secret\n"}, "Password: \r\nok", "Password: \r\nok"},
		{"half of it", []string{"abc"}, "ab", "ab"},
		{"nothing sent", []string{""}, "ab", "ab"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.EachSplit([]byte(tt.stream), func(pieces ...[]byte) {
				var p Pending
				for _, s := range tt.sent {
					p.Expect(kernelEcho(s))
				}
				var out strings.Builder
				for _, piece := range pieces {
					out.Write(p.Feed(piece))
				}
				out.Write(p.Flush())
				require.Equal(t, tt.output, out.String(), "%q", pieces)
				require.Empty(t, p)
			})
		})
	}
}

func TestPendingIsForgotten(t *testing.T) {
	var p Pending
	p.Expect(kernelEcho("y\n"))
	long := bytes.Repeat([]byte("x"), owedWithin)
	require.Equal(t, long, p.Feed(long))
	require.Empty(t, p)
	require.Equal(t, "y\r\n", string(p.Feed([]byte("y\r\n"))))
}

func FuzzPending(f *testing.F) {
	f.Add([]byte("aab\n"), []byte("xaaab\r\n"))
	f.Fuzz(func(t *testing.T, sent, stream []byte) {
		if len(stream) > 300 {
			return
		}
		var echo Pending
		echo.Expect(kernelEcho(string(sent)))
		want := string(stream)
		if len(echo) > 0 {
			want = strings.Replace(want, string(echo[0].want), "", 1)
		}
		testkit.EachSplit(stream, func(pieces ...[]byte) {
			var p Pending
			p.Expect(kernelEcho(string(sent)))
			var out strings.Builder
			for _, piece := range pieces {
				out.Write(p.Feed(piece))
			}
			out.Write(p.Flush())
			require.Equal(t, want, out.String())
		})
	})
}

// The caller may reuse the memory of its input.
func TestPendingKeepsExpectedMessages(t *testing.T) {
	var p Pending
	want := []byte("in\r\n")
	p.Expect(want)
	copy(want, "----")
	require.Equal(t, "out\n", string(p.Feed([]byte("in\r\nout\n"))))
}
