package ui

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFill(t *testing.T) {
	values := map[string]string{"name": "bash", "name.json": `"bash"`, "on": "x", "off": "", "tag": "{{off}}"}
	for template, want := range map[string]string{
		"":                                      "",
		"no tag { } {{ }}\n":                    "no tag { } {{ }}\n",
		"a {{name}}, {{name.json}}.":            `a bash, "bash".`,
		"{{tag}}":                               "{{off}}", // a value is not a template
		"{{#on}}yes{{/on}}{{^on}}no{{/on}}":     "yes",
		"{{#off}}yes{{/off}}{{^off}}no{{/off}}": "no",
		"a\n{{#on}}\n  b\n{{/on}}\n{{^on}}\n  c\n{{/on}}\nd\n":                                  "a\n  b\nd\n",
		"a\n  {{#off}}\nb\n  {{#on}}\nc\n  {{/on}}\n  {{/off}}\nd":                              "a\nd",
		"{{^off}}\n{{#on}}\ninner\n{{/on}}\n{{#off}}\nnot\n{{/off}}\n{{/off}}\nlast {{name}}\n": "inner\nlast bash\n",
	} {
		got, err := Fill(template, values)
		assert.NoError(t, err, template)
		assert.Equal(t, want, got, template)
	}
	for template, want := range map[string]string{
		"{{nobody}}":                 "unexpected {{nobody}} in the template",
		"{{#on}}x":                   "the template has no {{/on}}",
		"x{{/on}}":                   "unexpected {{/on}} in the template",
		"{{#on}}{{#off}}{{/on}}":     "unexpected {{/on}} in the template",
		"{{#off}}{{nobody}}{{/off}}": "unexpected {{nobody}} in the template",
	} {
		_, err := Fill(template, values)
		assert.EqualError(t, err, want, template)
	}
}
