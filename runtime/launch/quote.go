package launch

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// quoting maps the styles of capabilities.cd_command_quote to what is replaced.
// PowerShell takes typographic quotes for quotes, so those double as well.
var quoting = map[string]*strings.Replacer{
	"single_quote_posix":   strings.NewReplacer(`'`, `'\''`),
	"single_quote_pwsh":    strings.NewReplacer(`'`, `''`, "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛"),
	"double_quote_cmd":     strings.NewReplacer(`"`, `""`),
	"c_style_double_quote": strings.NewReplacer(`\`, `\\`, `"`, `\"`),
}

// Quote escapes text for the inside of a string literal, in one of the styles of
// capabilities.cd_command_quote; the quotes themselves are in the template. It returns an error
// for text with control characters, which no style can represent on one line, and, if style is
// empty, for text that needs escaping.
func Quote(style, text string) (string, error) {
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		return "", fmt.Errorf("%q contains the control character %q, which cannot be written in a line of code", text, []rune(text[i:])[0])
	}
	replacer, ok := quoting[style]
	switch {
	case ok:
		return replacer.Replace(text), nil
	case style != "":
		return "", fmt.Errorf("capabilities.cd_command_quote: unknown style %q", style)
	case strings.ContainsFunc(text, unsafeInQuotes):
		return "", fmt.Errorf("%q needs escaping, and the adapter does not say how: capabilities.cd_command_quote is missing", text)
	}
	return text, nil
}

// unsafeInQuotes reports characters that end or change a quoted string in some
// language.
func unsafeInQuotes(r rune) bool {
	if r == filepath.Separator {
		return false
	}
	return unicode.IsControl(r) || strings.ContainsRune("'\"`$\\‘’‚‛", r)
}

// quote sets a value that comes from outside, escaped for a script.
func (v *values) quote(name, text, style string) error {
	escaped, err := Quote(style, text)
	if err != nil {
		return err
	}
	v.all[name] = escaped
	return nil
}
