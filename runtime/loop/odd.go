package loop

import (
	"fmt"
	"slices"
	"strings"

	"ripple/runtime/loop/record"
)

// odd says what is wrong with what looks like a status block and is none, or not in
// all of it; "" for nothing. Lines of the prompt are no attempt.
func odd(text, prompt string, b *block) string {
	if b != nil {
		return b.Odd
	}
	known := strings.Split(prompt, "\n")
	opened := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		switch bare := strings.Trim(line, " \t*_`>#"); {
		case bare != blockBegin && bare != blockEnd || slices.Contains(known, line):
		case line != bare:
			return fmt.Sprintf("its status block is not read: %s must stand alone on its line, without %q", bare, strings.Replace(line, bare, "", 1))
		case line == blockBegin:
			opened = true
		}
	}
	if opened {
		return "its status block is not read: it has no line " + blockEnd
	}
	return ""
}

// oddLine says what is wrong with a line of a block whose key stands with a value.
// What has a bar is the prompt's own template.
func oddLine(key, v string, read bool) string {
	bare := strings.Trim(key, " \t*_`>-")
	if bare != key && slices.Contains(blockKeys, bare) {
		return fmt.Sprintf("the line %q of its status block is not read: %s must stand at its beginning, as it is", record.OneLine(key+": "+v, 60), bare)
	}
	of, listed := blockValues[key]
	if !listed || read || v == "" || strings.Contains(v, "|") {
		return ""
	}
	return fmt.Sprintf("%s: %s of its status block is not read: it must be one of %s", key, record.OneLine(v, 40), strings.Join(of, ", "))
}

var (
	blockKeys   = []string{"STATUS", "TASKS_COMPLETED_THIS_LOOP", "FILES_MODIFIED", "TESTS_STATUS", "WORK_TYPE", "EXIT_SIGNAL", "RECOMMENDATION"}
	blockValues = map[string][]string{"STATUS": statuses, "TESTS_STATUS": tests, "WORK_TYPE": workTypes, "EXIT_SIGNAL": {"true", "false"}}
)
