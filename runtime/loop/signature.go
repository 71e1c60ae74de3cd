package loop

import (
	"regexp"
	"slices"
	"strings"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/loop/record"
)

// quotedKey matches a line of JSON that has "error" only in a key: the first stage of the filter
// removes it, so that `"is_error": false` is ignored.
var quotedKey = lazyregexp.New(`"[^"]*(?i:error)[^"]*"\s*:`)

// realError is the second stage: it matches errors in the positions in which they are reported,
// not every occurrence of the word.
var realError = lazyregexp.New(`^(?:Error|ERROR|error):|\]: error|Link: error|Error occurred|failed with error|Exception|Fatal|FATAL`)

// errorLines returns the lines of an agent's decoded text that report an error.
func errorLines(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if realError().MatchString(line) && !quotedKey().MatchString(line) {
			found = append(found, line)
		}
	}
	return found
}

// Parts that differ between two reports of one error, in the order of replacement.
var variable = []struct {
	pattern func() *regexp.Regexp
	name    string
}{
	{lazyregexp.New("\"[^\"]*\"|`[^`]*`|“[^”]*”|(?:^|\\B)'[^']*'"), "<quoted>"},
	{lazyregexp.New(`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d\d?:\d\d(?::\d\d)?(?:[.,]\d+)?\b`), "<time>"},
	{lazyregexp.New(`(?:[A-Za-z]:)?(?:[\w.@~+-]*[/\\])+[\w.@~+-]*(?::\d+)*`), "<path>"},
	{lazyregexp.New(`\b0[xX][0-9a-fA-F]+\b|\b[0-9a-fA-F]*(?:\d[a-fA-F]|[a-fA-F]\d)[0-9a-fA-F-]{5,}\b`), "<hex>"},
	{lazyregexp.New(`\d+(?:[.,]\d+)*`), "<n>"},
	{lazyregexp.New(`\s+`), " "},
}

const maxSignature = 200 // maximum length of a line in characters, and maximum number of signatures per turn

// signatures returns the distinct errors of a turn, sorted, without the parts that vary between
// reports.
func signatures(errors []string) []string {
	var list []string
	for _, e := range errors {
		for line := range strings.Lines(e) {
			if s := signature(line); s != "" {
				list = append(list, s)
			}
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return list[:min(len(list), maxSignature)]
}

func signature(line string) string {
	line = vt.Strip(record.Shorten(line, 20*maxSignature)) // do not process lines of megabytes
	for _, v := range variable {
		line = v.pattern().ReplaceAllString(line, v.name)
	}
	return record.Shorten(strings.TrimSpace(line), maxSignature)
}

// repeated reports whether every error of a turn occurred in the previous turn.
func repeated(now, before []string) bool {
	return len(now) > 0 && !slices.ContainsFunc(now, func(s string) bool { return !slices.Contains(before, s) })
}
