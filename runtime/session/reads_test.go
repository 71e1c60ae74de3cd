package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// A session returns the same results however the reads of its program's output are split.
func TestReadsOfAnySize(t *testing.T) {
	for _, tt := range []struct {
		name  string
		codes []string
	}{
		{"bash", []string{
			"echo one", `printf 'no newline'`, "true", "(exit 3)", "cd /tmp", `printf '\e[31mred\e[m\n'`,
			`printf '$ \n> \n\e]633;D;0\a\e]633;A\a\e]633;D;0;0123456789abcdef0123456789abcdef\a\nend\n'`, // markers that are output
			"echo 'grüße 漢字 🙂'", "for i in 1 2; do\n  echo $i\ndone", "if true; then", "nonexistent-command-x", "echo usable",
		}},
		{"python", []string{"6 * 7", "print('>>> ')", "def f(x):\n    return x + 1\n\nf(1)", "1/0", "(1,", "print('...')"}},
		{"markersh", []string{"echo one", "printf 'no newline'", "echo 'MARK:> '", "if true; then", "echo usable"}},
		{"regexsh", []string{"echo one", "printf 'a '", `printf 'prompt> \nmore> \n'`, "if true; then", "echo usable"}},
		{"moresh", []string{"F", "G", "A"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := conversation(t, tt.name, tt.codes)
			require.Contains(t, want, `"`)
			for _, size := range testkit.FewerOf(t, 1, testkit.Sample(t, 2, []int{1, 2, 3, 4, 5, 6, 7, 11, 13, 17, 31, 61})) {
				session.ShortenReads(t, size)
				assert.Equal(t, want, conversation(t, tt.name, tt.codes), "reads of at most %d bytes", size)
			}
		})
	}
}

// conversation runs codes in a new session and returns their results, one a line.
func conversation(t *testing.T, name string, codes []string) string {
	s := open(t, name, session.Options{})
	var b strings.Builder
	for _, code := range codes {
		r, err := s.Eval(deadline(t), code)
		exit := "none"
		if r.ExitCode != nil {
			exit = fmt.Sprint(*r.ExitCode)
		}
		fmt.Fprintf(&b, "%q: %q, exit code %s, by %s in %q, error %v, %v\n", code, r.Output, exit, r.CompletedBy, r.Cwd, r.Failed, err)
	}
	return b.String()
}
