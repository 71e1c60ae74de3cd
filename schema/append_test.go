package schema_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

// Tests are added after the existing ones; the rest of the file stays unchanged.
func TestAppendTests(t *testing.T) {
	const added = "- name: 'it''s: #1'\n    eval: \"a\\nb\"\n    expect: '^x$'\n    expect_error: true\n    expect_exit_code: 3\n    expect_mode: 'debug'\n"
	code, failed := 3, true
	test := schema.NewTest{Name: "it's: #1", Eval: "a\nb", Expect: "^x$", ExpectError: &failed, ExpectExitCode: &code, ExpectMode: "debug"}
	for name, tt := range map[string]struct{ before, after string }{
		"no tests":             {"name: x # one\n", "name: x # one\n\ntests:\n  " + added},
		"no line feed":         {"name: x", "name: x\n\ntests:\n  " + added},
		"at the end":           {"tests:\n  - {name: a} # last\n", "tests:\n  - {name: a} # last\n  " + added},
		"in the middle":        {"tests:\n  # one\n  - name: a\n    eval: |\n      b\n\n# of samples\nsamples: {}\n", "tests:\n  # one\n  - name: a\n    eval: |\n      b\n  " + added + "\n# of samples\nsamples: {}\n"},
		"not indented":         {"tests:\n- name: a\nname: x\n", "tests:\n- name: a\n" + strings.ReplaceAll(added, "\n    ", "\n  ") + "name: x\n"},
		"a comment at the end": {"tests:\n  - name: a\n# the end\n", "tests:\n  - name: a\n  " + added + "# the end\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := schema.AppendTests([]byte(tt.before), []schema.NewTest{test})
			require.NoError(t, err)
			assert.Equal(t, tt.after, string(got))
		})
	}
}

func TestAppendTestsRefuses(t *testing.T) {
	for text, why := range map[string]string{
		"tests: [{name: a}]\n": `line 1: write tests as a list of lines`,
		"name: x\ntests: []\n": `line 2: write tests as a list of lines`,
		"- a\n":                "the file is not a mapping",
		"":                     "the file is not a mapping",
		"name: [\n":            "line",
		"{name: x}\n":          "the tests cannot be added: ",
		"name: |\n  a text":    "another part of the file would change",
	} {
		got, err := schema.AppendTests([]byte(text), []schema.NewTest{{Name: "n", Eval: "e"}})
		assert.ErrorContains(t, err, why, text)
		assert.Nil(t, got, text)
	}
}
