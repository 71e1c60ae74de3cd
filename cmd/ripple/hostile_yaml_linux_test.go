package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// Whatever a YAML file of a project holds, as an adapter and as ripple.yml: a command that reads it
// ends soon, with a message, without a panic and with little memory.
func TestHostileYAML(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute")
	}
	t.Parallel()
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for n := range 11 {
		fmt.Fprintf(&bomb, "a%d: &a%[1]d [%s]\n", n+1, strings.Repeat(fmt.Sprintf("*a%d, ", n), 10))
	}
	var keys strings.Builder
	for n := range 50_000 {
		fmt.Fprintf(&keys, "key%d: 1\n", n)
	}
	type file struct{ name, text string }
	kinds := [][]file{ // the tests usually take the first file of each
		{
			{"aliases of aliases", bomb.String()},
			{"an alias of itself", "a: &a\n  b: *a\n"},
			{"merged with itself", "a: &a\n  <<: *a\n  b: 1\n"},
		},
		{
			{"deep blocks", strings.Repeat("- ", 50_000) + "x\n"},
			{"deep flow", "a: " + strings.Repeat("[", 200_000)},
		},
		{
			{"a scalar of 3 MB", "name: " + strings.Repeat("n", 3<<20) + "\n"},
			{"NUL bytes", strings.Repeat("\x00", 1<<20)},
		},
		{
			{"the same key", strings.Repeat("name: x\n", 50_000)},
			{"many keys", keys.String()},
			{"many documents", strings.Repeat("--- {}\n", 50_000)},
		},
		{
			{"control characters", "name: \"\\e]0;x\\a\"\ndescription: \x1b]0;x\x07\n"},
			{"not UTF-8", "name: \xff\xfe\x80\n"},
		},
		{
			{"a pattern of 100 KB", "name: x\nprompt: {strategy: regex, primary: '" + strings.Repeat("(a+)+", 20_000) + "$'}\n"},
		},
		{
			{"tags that make types", "name: !!binary aGk=\nversion: !!float 1\nfamily: !<tag:x> y\nprocess: !!python/object:os.system x\n"},
		},
	}
	for _, file := range testkit.FirstOfEach(t, kinds) {
		t.Run(file.name, func(t *testing.T) {
			t.Parallel()
			h := newHostile(t, map[string]string{".ripple/adapters/x.yaml": file.text, "ripple.yml": file.text})
			for _, line := range []string{"adapter lint .ripple/adapters/x.yaml", "adapter show x", "hats"} {
				assert.NotContains(t, h.bounded(strings.Fields(line)...), "\x1b]0;", line)
				assert.NoFileExists(t, h.ran)
			}
			for _, name := range []string{".ripple/adapters/x.yaml", "ripple.yml"} {
				now, err := os.ReadFile(filepath.Join(h.dir, name))
				require.NoError(t, err)
				assert.True(t, file.text == string(now), "%s was changed", name)
			}
		})
	}
}
