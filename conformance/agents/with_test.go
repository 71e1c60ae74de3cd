package agents

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// toy is a program with an unknown language.
const toy = `#!/bin/sh
echo 'toy 1.0'
printf 'toy) '
while IFS= read -r line; do
	case $line in
	'emit '*) printf '%s\n' "${line#emit }" ;;
	leave) exit ;;
	'') ;;
	*) echo 'huh?' ;;
	esac
	printf 'toy) '
done
`

// mend is the command that the agent's tool runs in each turn: the first one makes the adapter
// worse, the second one fixes it, and there is nothing left for the third.
const mend = `seen=$(dirname "$0")/turns
echo turn >>"$seen"
case $(wc -l <"$seen" | tr -d ' ') in
1) printf 'samples:\n  print: nonsense {text}\n' >>toy.yaml && ls ;;
2) sed -i.old s/nonsense/emit/ toy.yaml && cat toy.yaml ;;
esac
`

// An adapter learned by experiment is improved with the real program: a tool edits it in each turn,
// a worse version is not kept, and the end is verified.
func makesAdapterBetter(t *testing.T, r rig) {
	if d := r.differs(t); d.Unseen {
		t.Skip(d.Because)
	}
	program, tool, adapter := filepath.Join(r.work, "toy"), filepath.Join(r.work, "mend.sh"), filepath.Join(r.work, "toy.yaml")
	require.NoError(t, os.WriteFile(program, []byte(toy), 0o700))
	require.NoError(t, os.WriteFile(tool, []byte(mend), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 2*bound)
	defer cancel()
	cmd := r.command(ctx, t, "tool/run="+url.PathEscape("sh "+tool))
	cmd.Args = []string{r.ripple, "adapter", "new", "toy", "--probe", program, "--with", r.adapter, "-o", "toy.yaml", "--max-turns", "6"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code is checked
	assert.Empty(t, leftovers(r.home), "processes that outlived ripple")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("exit code %d\n%s\n%s", cmd.ProcessState.ExitCode(), stdout.String(), stderr.String())
		}
	})
	assert.Equal(t, exitOK, cmd.ProcessState.ExitCode())
	written, err := os.ReadFile(adapter)
	require.NoError(t, err)
	assert.Contains(t, string(written), "\nsamples:\n  print: emit {text}\n")
	assert.Regexp(t, `(?m)^toy 1\.0: level 4, `, stdout.String())
	assert.Contains(t, stderr.String(), "passed before; toy.yaml stays as it was")
	assert.Contains(t, stderr.String(), "toy.yaml has reached level 4")
	if asked := r.asked(); told(asked, "Write the adapter of the program") { // otherwise it is in the system prompt, which is not logged
		assert.True(t, told(asked, "passed before; toy.yaml stays as it was"), "the agent is informed of the result of its turn")
		assert.True(t, told(asked, "It already succeeds, but "), "and of possible additions")
	}
}
