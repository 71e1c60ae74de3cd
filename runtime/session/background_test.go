package session_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

const (
	backgroundLines = 3000
	commandsBeside  = 200
)

// writer prints numbered lines, each in one write, and then a final line.
const writer = `$| = 1;
for (1 .. %d) { print "bg $_\n"; select(undef, undef, undef, %g) }
print "bg end\n";
`

// A background job prints while commands run: each of its lines arrives once and in order, and the
// output of the commands differs from the expected text only by such lines.
func TestBackgroundWriter(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip("the writer needs perl")
	}
	shell := "perl {} &"
	programs := []struct{ name, start, print, want string }{
		{"bash", shell, "echo cmd %d", "cmd %d"},
		{"zsh", shell, "echo cmd %d", "cmd %d"},
		{"fish", shell, "echo cmd %d", "cmd %d"},
		{"dash", shell, "echo cmd %d", "cmd %d"},
		{"mksh", shell, "echo cmd %d", "cmd %d"},
		{"ksh93", shell, "echo cmd %d", "cmd %d"},
		{"tcsh", shell, "echo cmd %d", "cmd %d"},
		{"yash", shell, "echo cmd %d", "cmd %d"},
		{"xonsh", shell, "echo cmd %d", "cmd %d"},
		{"nu", "^sh -c 'perl {} &'", "print 'cmd %d'", "cmd %d"},
		{"python", "import subprocess; p = subprocess.Popen(['perl', '{}'])", "print('cmd %d')", "cmd %d"},
		{"node", "void child_process.spawn('perl', ['{}'], {stdio: 'inherit'})", "console.log('cmd %d')", "cmd %d\nundefined"},
	}
	taken := programs
	if !testkit.Thorough { // conformance/torture has such writers for all, too
		taken = slices.DeleteFunc(slices.Clone(programs), func(p struct{ name, start, print, want string }) bool {
			return !slices.Contains([]string{"bash", "fish", "python"}, p.name)
		})
	}
	testkit.LogSample(t, len(taken), len(programs))
	lines := testkit.Fewer(t, 300, testkit.Times(t, 500, backgroundLines))
	commandsBeside := commandsBeside * lines / backgroundLines
	for _, tt := range taken {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			gap, commands := 0.0002, commandsBeside // gap in seconds
			switch tt.name {
			case "nu", "fish":
				gap = 0.002
			case "xonsh": // a command takes a tenth of a second or more
				gap, commands = 0.004, commandsBeside/4
			}
			file := filepath.Join(t.TempDir(), "w.pl")
			require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, writer, lines, gap), 0o600))
			// Not in a repository: there a prompt changes while the jobs print, as soon as git has
			// reported the branch; that is a separate case.
			b := background{t: t}
			s := open(t, tt.name, session.Options{Dir: t.TempDir(), Observer: session.ObserverFunc(b.observe)})
			b.add(eval(t, s, strings.ReplaceAll(tt.start, "{}", file)), "")
			for i := 0; i < commands || !b.ended(); i++ {
				require.Less(t, i, 100*commandsBeside, "no end")
				b.add(eval(t, s, fmt.Sprintf(tt.print, i)), fmt.Sprintf(tt.want, i)+"\n")
			}
			b.check(lines)
		})
	}
}

// background collects the parts of the results that are not the commands' own output.
type background struct {
	t    *testing.T
	rest strings.Builder

	mu     sync.Mutex
	stream strings.Builder // what the program printed, and, between marks, what it was sent
}

func (b *background) observe(e session.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e.Kind {
	case session.EventRead:
		b.stream.Write(e.Data)
	case session.EventWrite:
		fmt.Fprintf(&b.stream, "«%s»", e.Data)
	}
}

// around returns the stream around a line of the job.
func (b *background) around(line string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	stream := b.stream.String()
	at := max(0, strings.Index(stream, line+"\r\n"))
	return fmt.Sprintf("%q", stream[max(0, at-2000):min(len(stream), at+2000)])
}

var (
	backgroundLine = regexp.MustCompile(`bg (\d+|end)\n`)
	// xonsh writes the line end of its notice separately, so that the job's first line may precede
	// it.
	jobNotice = regexp.MustCompile(`(?m)^\[\d+\]\+ running: .* \(\d+\)\n?|^(\[\d+\]|fish: Job|undefined).*\n|^ *\n`)
)

// add takes one result, whose output contains want. The kernel may interleave the lines of two
// programs that write at the same time.
func (b *background) add(r session.Result, want string) {
	b.t.Helper()
	b.rest.WriteString(r.OutOfBand)
	if before, after, ok := strings.Cut(r.Output, want); ok {
		b.rest.WriteString(before + after)
		return
	}
	require.Equal(b.t, want, backgroundLine.ReplaceAllString(r.Output, ""), "%q and %q", r.OutOfBand, r.Output)
	b.rest.WriteString(strings.Join(backgroundLine.FindAllString(r.Output, -1), ""))
}

func (b *background) ended() bool { return strings.Contains(b.rest.String(), "bg end\n") }

// check requires that many lines, each once and in order.
func (b *background) check(n int) {
	b.t.Helper()
	lines := strings.SplitAfter(jobNotice.ReplaceAllString(b.rest.String(), ""), "\n")
	for i := range n {
		require.Less(b.t, i, len(lines))
		line := fmt.Sprintf("bg %d", i+1)
		require.Equal(b.t, line+"\n", lines[i], "line %d of %q\nin the stream: %s", i+1, lines[max(0, i-3):min(len(lines), i+4)], b.around(line))
	}
	require.Equal(b.t, []string{"bg end\n", ""}, lines[n:])
}

// A first prompt that is drawn slowly, after the session has stopped waiting for its end, costs no
// line of a job.
func TestBackgroundWriterAfterASlowPrompt(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip("the writer needs perl")
	}
	const lines = 300
	config, file := t.TempDir(), filepath.Join(t.TempDir(), "w.pl")
	require.NoError(t, os.Mkdir(filepath.Join(config, "fish"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(config, "fish", "config.fish"), []byte("function fish_prompt; set -q drawn; or sleep 0.4; set -g drawn; sleep 0.01; echo -n 'slow> '; end\n"), 0o600))
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, writer, lines, 0.003), 0o600))
	b := background{t: t}
	s := open(t, "fish", session.Options{Dir: t.TempDir(), Env: []string{"XDG_CONFIG_HOME=" + config}, Observer: session.ObserverFunc(b.observe)})
	b.add(eval(t, s, "perl "+file+" &"), "")
	for i := 0; !b.ended(); i++ {
		require.Less(t, i, 100*commandsBeside, "no end")
		b.add(eval(t, s, fmt.Sprint("echo cmd ", i)), fmt.Sprintf("cmd %d\n", i))
	}
	b.check(lines)
}
