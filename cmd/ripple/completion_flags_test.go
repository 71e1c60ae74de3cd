package main

import (
	"regexp"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
)

// aChoice matches a help text that lists the values of a flag: "text or ndjson", "stdio, acp …".
var aChoice = regexp.MustCompile(`^(?:[^:;(]*: )?\x60?[a-z0-9-]+\x60?(?: \([^)]*\))?(?:, [a-z0-9-]+(?: \([^)]*\))?)*,? or [a-z0-9-]{2,}\b`)

// A flag with a fixed set of values completes them.
func TestFlagsWithChoicesComplete(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "string" || f.Name != "permission-mode" && !aChoice.MatchString(f.Usage) || cmd.Hidden {
				return
			}
			t.Logf("%s --%s: %s", cmd.CommandPath(), f.Name, f.Usage)
			_, has := cmd.GetFlagCompletionFunc(f.Name)
			assert.True(t, has, "%s --%s offers nothing, and takes: %s", cmd.CommandPath(), f.Name, f.Usage)
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	root, _ := tree(t)
	walk(root)
	run, _, err := root.Find([]string{"agent", "run"})
	assert.NoError(t, err)
	values, has := run.GetFlagCompletionFunc("transport")
	if assert.True(t, has) {
		words, _ := values(run, nil, "")
		assert.True(t, slices.Equal([]string{"stdio", "acp", "screen"}, words), "%v", words)
	}
}
