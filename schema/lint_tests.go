package schema

import (
	"slices"

	"github.com/dlclark/regexp2"

	"example.org/ripple/internal/lazyregexp"
)

// lintTests looks for tests that can only pass or only fail.
func lintTests(d *document, a *Adapter) {
	canFail := a.DetectsErrors()
	if a.Probe != nil {
		lintExpect(d, "/probe/expect", &a.Probe.Expect)
	}
	for i, t := range a.Tests {
		at := indexed("/tests", i)
		asserts := t.Step.asserts()
		lintStep(d, at, t.Step, canFail)
		for j, s := range t.SetupSequence {
			asserts = asserts || s.asserts()
			lintStep(d, indexed(at+"/setup_sequence", j), s, canFail)
		}
		if !asserts {
			d.warn(at, KindVacuous, "test %q expects nothing, so it cannot fail", t.Name)
		}
	}
}

// DetectsErrors reports whether a failed command can be distinguished from a successful one.
func (a *Adapter) DetectsErrors() bool {
	return a.Capabilities.ExitCode == ExitCodeTrue || a.Output.ErrorPattern != "" ||
		slices.ContainsFunc(a.Modes, func(m Mode) bool { return m.AutoEnter })
}

func lintStep(d *document, pointer string, s Step, canFail bool) {
	lintExpect(d, pointer+"/expect", s.Expect)
	lintExpect(d, pointer+"/expect_out_of_band", s.ExpectOutOfBand)
	if s.ExpectError != nil && *s.ExpectError && !canFail {
		d.warn(pointer+"/expect_error", KindImpossible, "expect_error can never be true: capabilities.exit_code is not true, no mode has auto_enter and there is no output.error_pattern")
	}
}

// asserts reports whether a step can fail because of the program.
func (s Step) asserts() bool {
	return s.Expect != nil || s.ExpectError != nil || s.ExpectExitCode != nil && !s.ExitCodeIsUnreliable ||
		s.ExpectCwdUpdate != nil || s.ExpectMode != nil || s.ExpectLevel != nil ||
		s.ExpectOutOfBand != nil || s.ExpectNoLastExit != nil
}

// trimmedEnd and trimmedStart are patterns of one line that want a blank at an end.
var (
	trimmedEnd   = lazyregexp.New(`^(?:\^|\\A)(?:[^\\\n.|]|\\[^nsSDWX])*(?: |\\[nrt]|\n)\+?(?:\$|\\[zZ])$`)
	trimmedStart = lazyregexp.New(`^\\A(?: |\\[nrt]|\n)[^*?{]`)
)

// lintExpect reports a pattern that matches no matter what is printed, or never.
func lintExpect(d *document, pointer string, pattern *string) {
	if pattern == nil {
		return
	}
	re, err := CompilePattern(*pattern, regexp2.Singleline)
	if err != nil {
		return // a file with a bad pattern does not get here
	}
	switch {
	case trimmedEnd().MatchString(*pattern), trimmedStart().MatchString(*pattern):
		d.warn(pointer, KindImpossible, "the pattern expects blank space at an end of the output, which is removed before the comparison: the test cannot pass")
	case matches(re, "") && matches(re, "x"):
		d.warn(pointer, KindVacuous, "the pattern matches whatever is printed, even nothing")
	case !slices.ContainsFunc([]string{"\u2603", "zq", "-7", "A\nb"}, func(s string) bool { return !matches(re, s) }):
		d.warn(pointer, KindVacuous, "the pattern matches any output that is not empty")
	}
}
