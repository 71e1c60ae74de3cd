package annotate_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/adapters"
	"example.org/ripple/cmd/ripple/internal/annotate"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
	_ "example.org/ripple/schema/validate"
)

// told is what a session reports about its input.
type told struct {
	annotate.Transcript
	t           *testing.T
	mu          sync.Mutex
	read, stood []byte // the bytes read, and the bytes reported
	ended       int    // how many waits
}

func (d *told) ends() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ended
}

func (d *told) ObservePiece(p session.Piece) {
	d.Transcript.ObservePiece(p)
	d.mu.Lock()
	defer d.mu.Unlock()
	if p.Class == session.ClassEnd {
		d.ended++
	}
	if p.Data != nil {
		assert.Equal(d.t, int64(len(d.stood)), p.From, "each stretch follows the one before")
		d.stood = append(d.stood, p.Data...)
	}
	assert.LessOrEqual(d.t, p.From, p.To)
	assert.LessOrEqual(d.t, p.To, int64(len(d.stood)), "only what came can be taken for something")
}

func (d *told) Observe(e session.Event) {
	if e.Kind == session.EventRead {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.read = append(d.read, e.Data...)
	}
}

// lines returns the passages since the previous call, with markers without their numbers.
func (d *told) lines() string {
	var b strings.Builder
	for _, p := range d.Rest() {
		switch {
		case p.As == session.ClassEnd:
			fmt.Fprintf(&b, "%s: %s\n", p.As, p.Text)
		case p.As == session.ClassMarker:
			name, _, _ := strings.Cut(p.Text, "=")
			fmt.Fprintf(&b, "%s %.1s\n", p.As, name)
		default:
			fmt.Fprintf(&b, "%s %q\n", p.As, p.Raw)
		}
	}
	return b.String()
}

func open(t *testing.T, name string) (*session.Session, *told) {
	t.Helper()
	r, err := registry.Open(registry.Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}})
	require.NoError(t, err)
	e, err := r.Find(name)
	require.NoError(t, err)
	d := &told{t: t}
	s, err := session.Open(deadline(t), e.Adapter, session.Options{Dir: "/", Env: []string{"HOME=" + t.TempDir(), "PS1=prompt> "}, Observer: d})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, s.Close(context.Background()))
		d.mu.Lock()
		defer d.mu.Unlock()
		assert.Equal(t, injected.ReplaceAllString(string(d.read), ""), injected.ReplaceAllString(string(d.stood), ""), "all that was read is taken for something, and nothing else")
	})
	return s, d
}

// injected is the echo of a script that is typed, which is not reported once it is
// recognized.
var injected = regexp.MustCompile(`PS1=.*\r\n`)

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience(time.Minute))
	t.Cleanup(cancel)
	return ctx
}

// What ripple sends: each part of the answer, and the rule that ended the wait.
func TestTranscriptOfCommands(t *testing.T) {
	for name, tt := range map[string]struct {
		adapter string
		steps   []string // code, and its result
	}{
		"a pattern": {"../../../../runtime/session/testdata/regexsh.yaml", []string{
			"", `prompt "prompt> "
end: prompt.primary "^prompt> $" matches, and the program waits for input
`,
			"echo one", `echo "echo one\r\n"
output "one\r\n"
prompt "prompt> "
end: prompt.primary "^prompt> $" matches, and the program waits for input
`,
			"printf 'prompt> \\nno line'", `echo "printf 'prompt> \\nno line'\r\n"
output "prompt> \r\nno line"
prompt "prompt> "
end: prompt.primary "^prompt> $" matches, and the program waits for input
`,
		}},
		"markers": {"bash", []string{
			"", "",
			"echo one", `echo "echo one\r\n"
marker C
output "one\r\n"
marker D
marker P
marker A
prompt "PROMPT"
marker B
end: the marker of a prompt's end (B)
`,
			"printf '\\033]633;A\\007forged'", `echo "printf '\\033]633;A\\007forged'\r\n"
marker C
forged marker "\x1b]633;A\a"
output "forged"
marker D
marker P
marker A
prompt "PROMPT"
marker B
end: the marker of a prompt's end (B)
`,
			"# nothing", `echo "# nothing\r\n"
marker D
marker P
marker A
prompt "PROMPT"
marker B
end: the marker of a prompt's end (B)
`,
			"for i in 1", `echo "for i in 1\r\n"
marker F
continuation "> "
marker G
withdrawn "\r\n"
marker D
marker P
marker A
prompt "PROMPT"
marker B
end: the marker of a prompt's end (B)
`,
		}},
		"a literal": {"../../../../runtime/session/testdata/markersh.yaml", []string{
			"", "",
			"echo one", `echo "echo one\r\n"
output "one\r\n"
marker i
end: the marker that carries this session's nonce
`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, d := open(t, tt.adapter)
			for i := 0; i < len(tt.steps); i += 2 {
				if code := tt.steps[i]; code != "" {
					_, err := s.Eval(deadline(t), code)
					if !errors.Is(err, session.ErrIncompleteInput) {
						require.NoError(t, err)
					}
				}
				got := d.lines()
				if want := tt.steps[i+1]; want != "" {
					assert.Equal(t, want, withoutPrompt(got), tt.steps[i])
				}
			}
		})
	}
}

// withoutPrompt replaces a shell's own prompt, which contains the name of the machine, by a word.
func withoutPrompt(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "prompt ") && !strings.Contains(l, `"prompt> "`) {
			lines[i] = `prompt "PROMPT"`
		}
	}
	return strings.Join(lines, "\n")
}

// A line that a user types is entirely echo, whichever line editor the program has.
func TestTranscriptOfAPerson(t *testing.T) {
	for adapter, want := range map[string]string{
		"../../../../runtime/session/testdata/regexsh.yaml": `echo "echo one\r\n"
output "one\r\n"
prompt "prompt> "
end: prompt.primary "^prompt> $" matches, and the program waits for input
`,
		"bash": `echo "echo one\r\n"
marker C
output "one\r\n"
marker D
marker P
marker A
prompt "PROMPT"
marker B
end: the marker of a prompt's end (B)
`,
	} {
		t.Run(adapter, func(t *testing.T) {
			s, d := open(t, adapter)
			d.Rest()
			require.NoError(t, s.Type(1, []byte("echo one\r")))
			require.Eventually(t, func() bool { return d.ends() == 2 }, testkit.Patience(time.Minute), time.Millisecond)
			assert.Equal(t, want, withoutPrompt(d.lines()))
		})
	}
}
