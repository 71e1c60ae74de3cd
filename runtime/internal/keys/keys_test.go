package keys

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// split is the keys of an input that came in pieces of size bytes.
func split(input []byte, size int) (all []Key) {
	var s Splitter
	keep := func(k *Key) {
		c := *k
		c.Raw = bytes.Clone(k.Raw)
		all = append(all, c)
	}
	for len(input) > 0 {
		n := min(size, len(input))
		s.Feed(input[:n], keep)
		input = input[n:]
	}
	s.Flush(keep)
	return all
}

func TestKeys(t *testing.T) {
	for _, test := range []struct {
		name, input string
		want        []Key
	}{
		{"letters", "aé", []Key{{Code: 'a'}, {Code: 'é'}}},
		{"control", "\x03\x1c\x00", []Key{{Code: 'c', Ctrl: true}, {Code: '\\', Ctrl: true}, {Code: '@', Ctrl: true}}},
		{"enter, tab, delete", "\r\t\x7f", []Key{{Code: '\r'}, {Code: 'i', Ctrl: true}, {Code: 0x7f}}},
		{"arrows and Alt", "\x1b[A\x1bOA\x1bx\x1b[1;5C", []Key{{}, {}, {}, {}}},
		{"Escape, and then an arrow", "\x1b\x1b[A", []Key{{Code: esc}, {}}},
		{"kitty: ctrl-\\", "\x1b[92;5u", []Key{{Code: '\\', Ctrl: true}}},
		{"kitty: with num lock", "\x1b[100;133u", []Key{{Code: 'd', Ctrl: true}}},
		{"kitty: ctrl-shift is another key", "\x1b[100;6u", []Key{{Code: 'd'}}},
		{"kitty: released", "\x1b[92;5:3u\x1b[1;1:3A", []Key{{Code: '\\', Ctrl: true, Kind: Released}, {Kind: Released}}},
		{"kitty: a modifier alone", "\x1b[57442;5u", []Key{{Code: 57442, Ctrl: true, Kind: Released}}},
		{"kitty: another layout", "\x1b[1074::100;5u", []Key{{Code: 'в', Base: 'd', Ctrl: true}}},
		{"kitty: enter", "\x1b[13u\x1b[57414u", []Key{{Code: '\r'}, {Code: '\r'}}},
		{"xterm's modifyOtherKeys", "\x1b[27;5;92~", []Key{{Code: '\\', Ctrl: true}}},
		{"the mouse and the focus", "\x1b[<0;1;1M\x1b[M !!\x1b[I\x1b[O", []Key{{Kind: Ambient}, {Kind: Ambient}, {Kind: Ambient}, {Kind: Ambient}}},
		{"answers", "\x1b[?62;22c\x1b[0n\x1b[12;40R\x1b[?1u\x1b]11;rgb:0/0/0\x07\x1bP>|x\x1b\\", []Key{{Kind: Reply}, {Kind: Reply}, {Kind: Reply}, {Kind: Reply}, {Kind: Reply}, {Kind: Reply}}},
		{"F3 with a modifier is not an answer", "\x1b[1;2R\x1b[R", []Key{{}, {}}},
		{"pasted text has no keys", "\x1b[200~a\r\x03\x1b[201~\r", []Key{{Kind: Pasted}, {Kind: Pasted}, {Kind: Pasted}, {Code: '\r'}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := split([]byte(test.input), len(test.input))
			var raw []byte
			for i := range got {
				raw = append(raw, got[i].Raw...)
				got[i].Raw = nil
			}
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.input, string(raw))
		})
	}
}

func TestDetaching(t *testing.T) {
	for _, test := range []struct {
		name, keys, input, pass string
		detached                bool
	}{
		{"both keys", `C-\ C-d`, "a\x1c\x04b", "a", true},
		{"the first alone, and another", `C-\ C-d`, "\x1cx\x04", "\x1cx\x04", false},
		{"the first twice", `C-\ C-d`, "\x1c\x1c\x04", "\x1c", true},
		{"the second alone", `C-\ C-d`, "\x04", "\x04", false},
		{"kitty", `C-\ C-d`, "\x1b[92;5u\x1b[100;5u", "", true},
		{"kitty, with what is let go between", `C-\ C-d`, "\x1b[57442;5u\x1b[92;5u\x1b[92;5:3u\x1b[57442;1:3u\x1b[57442;5u\x1b[100;5u", "\x1b[57442;5u", true},
		{"kitty, another key", `C-\ C-d`, "\x1b[92;5u\x1b[92;5:3ux", "\x1b[92;5u\x1b[92;5:3ux", false},
		{"the mouse moves meanwhile", `C-\ C-d`, "\x1c\x1b[<35;1;1M\x04", "\x1b[<35;1;1M", true},
		{"pasted", `C-\ C-d`, "\x1b[200~\x1c\x04\x1b[201~", "\x1b[200~\x1c\x04\x1b[201~", false},
		{"one key", "C-]", "ab\x1d", "ab", true},
		{"three keys, upper case", "C-A C-A C-x", "\x01\x01\x18", "", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			for size := 1; size <= len(test.input); size++ {
				pass, detached := detach(t, test.keys, []byte(test.input), size)
				assert.Equal(t, test.pass, string(pass), size)
				assert.Equal(t, test.detached, detached, size)
			}
		})
	}
}

func detach(t *testing.T, spec string, input []byte, size int) (pass []byte, detached bool) {
	d, err := NewDetacher(spec)
	require.NoError(t, err)
	for len(input) > 0 && !detached {
		n := min(size, len(input))
		var b []byte
		b, detached = d.Feed(input[:n])
		pass = append(pass, b...)
		input = input[n:]
	}
	return append(pass, d.Flush()...), detached
}

func TestKeysThatCannotDetach(t *testing.T) {
	for _, spec := range []string{"", "x", "C-1", "M-x", "C-[", "C-\\ enter"} {
		_, err := NewDetacher(spec)
		assert.Error(t, err, spec)
	}
}

func TestAnEscapeIsHeldUntilItIsKnown(t *testing.T) {
	d, err := NewDetacher(`C-\ C-d`)
	require.NoError(t, err)
	pass, _ := d.Feed([]byte("\x1b"))
	assert.Empty(t, pass)
	assert.True(t, d.Holds())
	assert.Equal(t, "\x1b", string(d.Flush()))
	assert.False(t, d.Holds())
}

// Whatever is typed and however it is cut: nothing is lost or made up, and the same
// keys detach.
func FuzzDetach(f *testing.F) {
	for _, seed := range []string{"a\x1c\x04b", "\x1b[92;5u\x1b[100;5u", "\x1b[200~\x1c\x04\x1b[201~\x1c\x04", "\x1b\x1b[A\x1c\x1c\x1b[92;5:3u\x04", "\x1b]11;?\x1b\\\x1b[M\x1c\x04!", "\x1c\xc3\xa9\x1bé"} {
		f.Add([]byte(seed), uint8(1))
	}
	f.Fuzz(func(t *testing.T, input []byte, size uint8) {
		whole, detached := detach(t, `C-\ C-d`, input, len(input)+1)
		parts, again := detach(t, `C-\ C-d`, input, int(size%7)+1)
		assert.Equal(t, detached, again)
		assert.Equal(t, string(whole), string(parts))
		if !detached {
			assert.Len(t, whole, len(input)-unfinished(input))
		}
		var keys []byte
		for _, k := range split(input, int(size%7)+1) {
			keys = append(keys, k.Raw...)
		}
		assert.Equal(t, string(input), string(keys))
	})
}

// unfinished is how much is held because the first detach key was the last thing typed.
func unfinished(input []byte) int {
	d, _ := NewDetacher(`C-\ C-d`)
	_, _ = d.Feed(input)
	_ = d.Flush()
	return len(d.held)
}

func TestFirst(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, "a": 1, "ab": 1, "漢字": 3, "\xe6": 1, "\r\n": 1, "\x1b": 1, "\x1b[A\x1b[B": 3, "\x1bab": 2, "\x1b[1;5": 5,
		"\x1b[200~a\rb\x1b[201~c": 15, "\x1b[200~a\rb": 9,
	} {
		assert.Equal(t, want, First([]byte(in)), "%q", in)
	}
	assert.Equal(t, 1, First([]byte("\x1b]"+strings.Repeat("x", 2000))))
}

func FuzzFirst(f *testing.F) {
	f.Add([]byte("a\x1b[A漢\x1b[200~a\rb\x1b[201~"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) > 0 {
			n := First(b)
			require.Positive(t, n)
			require.LessOrEqual(t, n, len(b))
			b = b[n:]
		}
	})
}
