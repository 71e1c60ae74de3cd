package session_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ripple/runtime/session"
)

const (
	backgroundLines = 3000
	commandsBeside  = 200
)

// writer prints numbered lines, each in one write, and then a last one.
const writer = `$| = 1;
for (1 .. %d) { print "bg $_\n"; select(undef, undef, undef, %g) }
print "bg end\n";
`

// A background job prints while commands run: each of its lines arrives once and
// in order, and no command's output has lost or won anything but such lines.
func TestBackgroundWriter(t *testing.T) {
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip("the writer needs perl")
	}
	shell := "perl {} &"
	for _, tt := range []struct{ name, start, print, want string }{
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
	} {
		t.Run(tt.name, func(t *testing.T) {
			gap, commands := 0.0002, commandsBeside // gap in seconds
			switch tt.name {
			case "nu", "fish":
				gap = 0.002
			case "xonsh": // a command takes it a tenth of a second or more
				gap, commands = 0.004, commandsBeside/4
			}
			file := filepath.Join(t.TempDir(), "w.pl")
			require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, writer, backgroundLines, gap), 0o600))
			// Not in a repository: a prompt that shows its branch as soon as git has told it
			// changes while the jobs print, and that is a case of its own.
			s := open(t, tt.name, session.Options{Dir: t.TempDir()})
			b := background{t: t}
			b.add(eval(t, s, strings.ReplaceAll(tt.start, "{}", file)), "")
			for i := 0; i < commands || !b.ended(); i++ {
				require.Less(t, i, 100*commandsBeside, "no end")
				b.add(eval(t, s, fmt.Sprintf(tt.print, i)), fmt.Sprintf(tt.want, i)+"\n")
			}
			b.check()
		})
	}
}

// background puts together what is left of the results without the commands' own output.
type background struct {
	t    *testing.T
	rest strings.Builder
}

var (
	backgroundLine = regexp.MustCompile(`bg (\d+|end)\n`)
	// xonsh writes its notice's line end apart, so that the job's first line may stand before it.
	jobNotice = regexp.MustCompile(`(?m)^\[\d+\]\+ running: .* \(\d+\)\n?|^(\[\d+\]|fish: Job|undefined).*\n|^ *\n`)
)

// add takes one result, whose output holds want. The kernel lets two programs
// that write at the same time stand within each other's lines.
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

// check wants every line once and in order.
func (b *background) check() {
	b.t.Helper()
	lines := strings.SplitAfter(jobNotice.ReplaceAllString(b.rest.String(), ""), "\n")
	for i := range backgroundLines {
		require.Less(b.t, i, len(lines))
		require.Equal(b.t, fmt.Sprintf("bg %d\n", i+1), lines[i], "line %d of %q", i+1, lines[max(0, i-3):min(len(lines), i+4)])
	}
	require.Equal(b.t, []string{"bg end\n", ""}, lines[backgroundLines:])
}
