package loop

import (
	"regexp"
	"slices"
	"strings"

	"ripple/internal/lazyregexp"
	"ripple/runtime/internal/vt"
	"ripple/runtime/loop/record"
)

// quotedKey is a line of JSON that only has "error" in a key: stage one of the
// filter drops it, so that `"is_error": false` counts for nothing.
var quotedKey = lazyregexp.New(`"[^"]*(?i:error)[^"]*"\s*:`)

// realError is stage two: what an error looks like at the place where it is
// reported, not wherever the word stands.
var realError = lazyregexp.New(`^(?:Error|ERROR|error):|\]: error|Link: error|Error occurred|failed with error|Exception|Fatal|FATAL`)

// errorLines are the lines of an agent's decoded text that report an error.
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

// What differs between two reports of one error, in the order of replacement.
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

const maxSignature = 200 // characters of a line, and signatures of a turn

// signatures are the distinct errors of a turn without what varies from one
// report to the next, sorted.
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
	line = vt.Strip(record.Shorten(line, 20*maxSignature)) // a line of megabytes is not worth its time
	for _, v := range variable {
		line = v.pattern().ReplaceAllString(line, v.name)
	}
	return record.Shorten(strings.TrimSpace(line), maxSignature)
}

// repeated says whether every error of a turn was in the turn before.
func repeated(now, before []string) bool {
	return len(now) > 0 && !slices.ContainsFunc(now, func(s string) bool { return !slices.Contains(before, s) })
}
