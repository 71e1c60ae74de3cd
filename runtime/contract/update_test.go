package contract

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate"
)

func loadToUpdate(text []byte) (*schema.Adapter, error) {
	a, ds := schema.Parse("update.yaml", text, schema.Options{})
	if a == nil {
		return nil, errors.New(ds[0].String())
	}
	return a, nil
}

// A file with a test of each kind: its new expectation, or the reason why it is unchanged.
func TestUpdate(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/update.yaml")
	require.NoError(t, err)
	u, err := Update(t.Context(), text, loadToUpdate, Options{})
	require.NoError(t, err)
	golden(t, "update-after.yaml", u.Text)

	got := map[string]string{}
	for _, c := range u.Changes {
		result := c.Kept
		if result == "" {
			result = c.Old + " → " + c.New
		}
		got[c.Test] += result
	}
	assert.Equal(t, map[string]string{
		"probe":                     "the probe says whether the adapter works at all: change it by hand",
		"one line":                  `^4$ → ^5$`,
		"several lines":             "^one$\n" + ` → ^a\.b\n\t\(c\)$`,
		"a step of a sequence":      `^x$ → ^y$`,
		"an error that is expected": `^x$ → ^a: not found$`,
		"after that":                `^x$ → ^n=1$`,
		"an error":                  "the command failed, and expect_error is not true",
		"nothing":                   "it printed nothing",
		"another each time":         "its output differs from run to run",
		"too much":                  "it printed more than 2000 bytes, or drew on the screen",
		"does not pass with it":     `with it the test still does not pass: expect_out_of_band: the output between commands does not match`,
		"behind an alias":           "line 46: /tests/13/expect is written as an alias or a collection, not as text",
	}, got)
	var left []string
	for _, t := range u.Report.Tests {
		if t.Status != Passed {
			left = append(left, t.Name)
		}
	}
	assert.Equal(t, []string{
		"probe", "an error", "nothing", "another each time", "too much", "does not pass with it", "timeout", "the wrong exit code", "behind an alias",
	}, left)

	again, err := Update(t.Context(), u.Text, loadToUpdate, Options{})
	require.NoError(t, err)
	assert.Equal(t, string(u.Text), string(again.Text), "a second time changes nothing")
}

// An adapter that cannot distinguish an error from a result accepts no new expectation.
func TestUpdateNeedsToKnowErrors(t *testing.T) {
	text, err := os.ReadFile("testdata/update.yaml")
	require.NoError(t, err)
	blind := []byte(strings.Replace(string(text), "  error_pattern: 'not found'\n", "", 1))
	u, err := Update(t.Context(), blind, loadToUpdate, Options{Filter: exactly("one line")})
	require.NoError(t, err)
	assert.Equal(t, string(blind), string(u.Text))
	assert.Equal(t, "errors of this program cannot be distinguished from results: declare output.error_pattern", u.Changes[0].Kept)
}

func TestStoppedUpdateChangesNothing(t *testing.T) {
	text, err := os.ReadFile("testdata/update.yaml")
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	u, err := Update(ctx, text, loadToUpdate, Options{Filter: exactly("one line"), Progress: func(p Progress) {
		if p.Result != nil {
			cancel(errors.New("enough"))
		}
	}})
	assert.Nil(t, u)
	assert.EqualError(t, err, "enough")
}

func TestLiteral(t *testing.T) {
	for text, want := range map[string]string{
		"5": `^5$`, "a.b|c": `^a\.b\|c$`, "one\n\ttwo": `^one\n\ttwo$`, "\u200b\x7f": `^\u200b\u007f$`, "日本": `^日本$`, "it's": `^it's$`,
	} {
		got := literal(text)
		assert.Equal(t, want, got)
		re, err := schema.CompilePattern(got)
		require.NoError(t, err)
		ok, err := re.MatchString(text)
		require.NoError(t, err)
		assert.True(t, ok)
	}
}
