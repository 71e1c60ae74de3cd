package loop

import (
	"fmt"
	"slices"
	"strings"

	"example.org/ripple/runtime/loop/record"
)

// odd describes the error of text that resembles a status block and is ignored, or not
// completely; "" if there is none. Lines that the prompt also contains are ignored.
func odd(text, prompt string, b *block) string {
	if b != nil {
		return b.Odd
	}
	if slices.ContainsFunc(ownBlocks(text, prompt), func(p placed) bool { return p.shown }) {
		return "its status block is ignored: it is in fenced code, and words follow it"
	}
	known := strings.Split(prompt, "\n")
	opened := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		switch bare := strings.Trim(line, " \t*_`>#"); {
		case bare != blockBegin && bare != blockEnd || slices.Contains(known, line):
		case line != bare:
			return fmt.Sprintf("its status block is ignored: %s must be alone on its line, without %q", bare, strings.Replace(line, bare, "", 1))
		case line == blockBegin:
			opened = true
		}
	}
	if opened {
		return "its status block is ignored: it has no line " + blockEnd
	}
	return ""
}

// oddLine describes the error of a block's line with a key and a value. A value with a bar comes
// from the prompt's template.
func oddLine(key, v string, read bool) string {
	bare := strings.Trim(key, " \t*_`>-")
	if bare != key && slices.Contains(blockKeys, bare) {
		return fmt.Sprintf("the line %q of its status block is ignored: %s must be at its start, unchanged", record.OneLine(key+": "+v, 60), bare)
	}
	of, listed := blockValues[key]
	if !listed || read || v == "" || strings.Contains(v, "|") {
		return ""
	}
	return fmt.Sprintf("%s: %s of its status block is ignored: it must be one of %s", key, record.OneLine(v, 40), strings.Join(of, ", "))
}

var (
	blockKeys   = []string{"STATUS", "TASKS_COMPLETED_THIS_LOOP", "FILES_MODIFIED", "TESTS_STATUS", "WORK_TYPE", "EXIT_SIGNAL", "RECOMMENDATION"}
	blockValues = map[string][]string{"STATUS": statuses, "TESTS_STATUS": tests, "WORK_TYPE": workTypes, "EXIT_SIGNAL": {"true", "false"}}
)
