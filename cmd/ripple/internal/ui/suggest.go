package ui

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/ripple/schema"
)

// DidYouMean formats suggestions as a hint, or returns otherwise if there are none.
func DidYouMean(suggestions []string, otherwise string) string {
	switch len(suggestions) {
	case 0:
		return otherwise
	case 1:
		return fmt.Sprintf("did you mean %q?", suggestions[0])
	}
	quoted := make([]string, len(suggestions))
	for i, s := range suggestions {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return "did you mean one of " + strings.Join(quoted, ", ") + "?"
}

// NearNames returns the names that contain a word similar to one of the pattern's.
func NearNames(pattern string, names []string) []string {
	byWord := map[string][]string{}
	var words []string
	for _, name := range names {
		for _, w := range wordsOf(name) {
			if byWord[w] == nil {
				words = append(words, w)
			}
			byWord[w] = append(byWord[w], name)
		}
	}
	var found []string
	seen := map[string]bool{}
	for _, want := range wordsOf(pattern) {
		for _, w := range schema.Nearest(want, words) {
			for _, name := range byWord[w] {
				if !seen[name] {
					seen[name], found = true, append(found, name)
				}
			}
		}
	}
	return found
}

// wordsOf splits a string into words of letters and digits; words that are too short to compare are
// omitted.
func wordsOf(s string) []string {
	var words []string
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if len(w) > 2 {
			words = append(words, w)
		}
	}
	return words
}

// FlagError explains a flag that does not exist or cannot be parsed.
func FlagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	hint := SeeHelp(cmd)
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok && e.GetSpecifiedShortnames() != "" && strings.Contains(cmd.Use, "CODE") {
		hint = "code that begins with a dash needs -- before it; " + hint
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok && e.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		var flags []string
		for _, n := range schema.Nearest(e.GetSpecifiedName(), names) {
			flags = append(flags, "--"+n)
		}
		hint = DidYouMean(flags, hint)
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return badValue(e, hint)
	}
	return UsageError(hint, "%w", err)
}

// badValue describes the values that a flag accepts, instead of the error of strconv.
func badValue(e *pflag.InvalidValueError, hint string) error {
	takes := "a value"
	switch e.GetFlag().Value.Type() {
	case "int", "int64":
		takes = "a whole number"
	case "float64":
		takes = "a number"
	case "duration":
		takes = "a duration with its unit, such as 500ms, 30s, 2m or 1d"
	case "bool", "boolfunc":
		takes = "true or false"
	}
	return UsageError(hint, "--%s takes %s, not %q", e.GetFlag().Name, takes, e.GetValue())
}
