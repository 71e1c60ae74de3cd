package contract

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dlclark/regexp2"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// observation is the input of a step's assertions.
type observation struct {
	result      session.Result
	cwdReported bool   // during this step or an earlier one of the same test
	outOfBand   string // of the whole test so far
}

// assertions are in the order in which they are checked and reported: errors precede the output,
// because they explain it.
var assertions = []func(schema.Step, observation) (pattern string, err error){
	expectError, expectExitCode, expectNoLastExit, expect, expectOutOfBand, expectMode, expectLevel, expectCwdUpdate,
}

// check applies a step's assertions and returns the first one that fails, with its pattern.
func check(s schema.Step, o observation) (pattern string, err error) {
	if o.result.Fault != "" {
		return "", errors.New(o.result.Fault)
	}
	for _, holds := range assertions {
		if pattern, err := holds(s, o); err != nil {
			return pattern, err
		}
	}
	return "", nil
}

func expect(s schema.Step, o observation) (string, error) {
	return matches("expect", s.Expect, o.result.Output, "the output")
}

func expectOutOfBand(s schema.Step, o observation) (string, error) {
	return matches("expect_out_of_band", s.ExpectOutOfBand, o.outOfBand, "the output between commands")
}

// matches implements v1's rule: unanchored, ^ and $ match at line ends, . matches a line end too,
// ANSI sequences are removed and blank space at both ends is trimmed.
func matches(key string, pattern *string, text, what string) (string, error) {
	if pattern == nil {
		return "", nil
	}
	re, err := schema.CompilePattern(*pattern, regexp2.Singleline)
	if err != nil {
		return *pattern, unsound{fmt.Errorf("%s: %w", key, err)}
	}
	ok, err := re.MatchString(compared(text))
	if err != nil {
		return *pattern, unsound{fmt.Errorf("%s: %w", key, err)}
	}
	if !ok {
		return *pattern, mismatch{key, what}
	}
	return "", nil
}

// compared returns the text that a pattern is compared with.
func compared(text string) string { return strings.TrimSpace(vt.Strip(text)) }

// mismatch is the error for a text that a pattern does not match.
type mismatch struct{ key, what string }

func (e mismatch) Error() string { return e.key + ": " + e.what + " does not match" }

func expectError(s schema.Step, o observation) (string, error) {
	if s.ExpectError == nil || *s.ExpectError == o.result.Failed {
		return "", nil
	}
	if *s.ExpectError {
		return "", failf("expect_error: no error was seen (%s, mode %q, and output.error_pattern did not match)",
			exitCode(o.result), o.result.Mode)
	}
	return "", failf("expect_error: false, but an error was seen (%s, mode %q)", exitCode(o.result), o.result.Mode)
}

func expectExitCode(s schema.Step, o observation) (string, error) {
	if s.ExpectExitCode == nil || s.ExitCodeIsUnreliable {
		return "", nil
	}
	if got := o.result.ExitCode; got == nil || *got != *s.ExpectExitCode {
		return "", failf("expect_exit_code: want %d, got %s", *s.ExpectExitCode, exitCode(o.result))
	}
	return "", nil
}

func expectNoLastExit(s schema.Step, o observation) (string, error) {
	if s.ExpectNoLastExit == nil || *s.ExpectNoLastExit == (o.result.ExitCode == nil) {
		return "", nil
	}
	if *s.ExpectNoLastExit {
		return "", failf("expect_no_last_exit: got %s", exitCode(o.result))
	}
	return "", failf("expect_no_last_exit: false, but no exit code was reported")
}

func expectMode(s schema.Step, o observation) (string, error) {
	if s.ExpectMode == nil || *s.ExpectMode == o.result.Mode {
		return "", nil
	}
	return "", failf("expect_mode: want %q, got %q", *s.ExpectMode, o.result.Mode)
}

func expectLevel(s schema.Step, o observation) (string, error) {
	if s.ExpectLevel == nil {
		return "", nil
	}
	if got := o.result.Level; got == nil {
		return "", failf("expect_level: want %d, but mode %q reports no level", *s.ExpectLevel, o.result.Mode)
	} else if *got != *s.ExpectLevel {
		return "", failf("expect_level: want %d, got %d", *s.ExpectLevel, *got)
	}
	return "", nil
}

// expectCwdUpdate accepts a report during an earlier step of the same test:
// some programs announce their directory at each prompt, others only when it
// changes, and a test changes it in its setup.
func expectCwdUpdate(s schema.Step, o observation) (string, error) {
	switch {
	case s.ExpectCwdUpdate == nil:
	case *s.ExpectCwdUpdate && !o.cwdReported:
		return "", failf("expect_cwd_update: the program did not announce its directory")
	case !*s.ExpectCwdUpdate && o.result.CwdReported:
		return "", failf("expect_cwd_update: false, but the program announced %q", o.result.Cwd)
	}
	return "", nil
}

func exitCode(r session.Result) string {
	if r.ExitCode == nil {
		return "no exit code"
	}
	return fmt.Sprintf("exit code %d", *r.ExitCode)
}
