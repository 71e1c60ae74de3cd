package keys

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSequence(t *testing.T) {
	for _, test := range []struct {
		want  string
		names []string
	}{
		{"\x1b[Z", []string{"S-Tab", "BTab", "Backtab", "shift+tab", "Shift-Tab", "s-tab", "C-S-Tab", "ctrl+shift+tab"}},
		{"\x1b\x1b[Z", []string{"M-S-Tab", "alt+shift+tab", "M-BTab"}},
		{"\t", []string{"tab", "C-Tab"}},
		{"\r", []string{"enter", "return", "RET", "S-Enter", "C-Enter", "shift+return"}},
		{"\x1b\r", []string{"M-Enter", "alt+enter"}},
		{"\x1b[1;5D", []string{"C-Left", "ctrl+left", "Ctrl-Left", "control+ArrowLeft"}},
		{"\x1b[1;2A", []string{"S-Up", "shift+up"}},
		{"\x1b[1;3A", []string{"M-Up", "alt+up", "option+up"}},
		{"\x1b[1;6C", []string{"C-S-Right", "S-C-Right", "ctrl+shift+right"}},
		{"\x1b[1;8H", []string{"C-M-S-Home"}},
		{"\x1b[5;5~", []string{"C-PgUp", "ctrl+pageup", "C-Page-Up", "C-PPage"}},
		{"\x1b[3;2~", []string{"S-Delete", "shift+del"}},
		{"\x1b[1;2P", []string{"S-F1"}},
		{"\x1b[15;5~", []string{"C-F5", "ctrl+f5"}},
		{"\x00", []string{"C-Space", "ctrl+space", "C-@", "C-S-Space"}},
		{"\x1b ", []string{"M-Space"}},
		{"\x08", []string{"C-BSpace", "ctrl+backspace", "C-h"}},
		{"\x1b\x7f", []string{"M-Backspace"}},
		{"\x1b", []string{"esc", "Escape", "S-esc", "C-["}},
		{"\x1bx", []string{"M-x", "alt+x", "Meta-x", "A-x"}},
		{"\x1bX", []string{"M-X", "M-S-x", "alt+shift+x"}},
		{"X", []string{"X", "S-x", "shift+x"}},
		{"\x03", []string{"C-c", "c-C", "ctrl+c", "ctrl-c", "C-S-c", "ctrl+shift+c"}},
		{"\x1b\x01", []string{"M-C-a", "C-M-a"}},
		{"-", []string{"-"}},
		{"+", []string{"+"}},
		{"\x1b-", []string{"M--", "alt+-"}},
		{"\x1b+", []string{"M-+", "alt++"}},
		{"\x1f", []string{"C-_"}},
		{"\x1a", []string{"c-Z"}},
		{"\x1b[A", []string{"Up"}},
		{"\x1b[15~", []string{"F5"}},
		{"q", []string{"q"}},
		{"\x7f", []string{"C-?", "backspace"}},
		{"ä", []string{"ä"}},
		{"Ä", []string{"S-ä"}},
	} {
		for _, name := range test.names {
			got, err := Sequence(name)
			require.NoError(t, err, name)
			assert.Equal(t, test.want, got, name)
		}
	}
}

func TestUnknownKeys(t *testing.T) {
	for _, name := range []string{"", "foo", "C-", "C-cc", "M-", "C-ä", "C-1", "x+y", "hyper+x", "-x", "S-"} {
		_, err := Sequence(name)
		assert.ErrorContains(t, err, names, name)
	}
}

// Each key with a modifier is one key to Splitter, too.
func TestASequenceIsOneKey(t *testing.T) {
	for _, name := range All() {
		for _, prefix := range []string{"", "S-", "C-", "C-S-"} {
			seq, err := Sequence(prefix + name)
			require.NoError(t, err, prefix+name)
			assert.Len(t, split([]byte(seq), 1), 1, prefix+name)
		}
	}
}
