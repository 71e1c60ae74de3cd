package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// Every assertion of the test vocabulary, passing and failing. An empty message means that the step
// passes.
func TestAssertions(t *testing.T) {
	t.Parallel()
	output := func(s string) observation { return observation{result: session.Result{Output: s}} }
	code := func(n int) observation { return observation{result: session.Result{ExitCode: &n}} }
	for _, c := range []struct {
		name    string
		step    schema.Step
		seen    observation
		message string
	}{
		{"nothing asserted", schema.Step{}, output("anything"), ""},

		{"expect is not anchored", schema.Step{Expect: ptr("b")}, output("abc"), ""},
		{"expect trims outer blank space", schema.Step{Expect: ptr(`\A5\z`)}, output("\n  5 \n\n"), ""},
		{"expect anchors at each line", schema.Step{Expect: ptr("^two$")}, output("one\ntwo\nthree"), ""},
		{"expect: a dot matches a line end", schema.Step{Expect: ptr("one.two")}, output("one\ntwo"), ""},
		{"expect removes colors", schema.Step{Expect: ptr("^red$")}, output("\x1b[1;31mred\x1b[0m"), ""},
		{"expect removes titles", schema.Step{Expect: ptr("^x$")}, output("\x1b]0;title\ax\x1b]2;t\x1b\\"), ""},
		{"expect is case sensitive", schema.Step{Expect: ptr("Error")}, output("error"), "expect: the output does not match"},
		{"expect of an empty output", schema.Step{Expect: ptr("^$")}, output("\n"), ""},
		{"expect: .NET lookbehind", schema.Step{Expect: ptr(`(?<=a)b`)}, output("ab"), ""},
		{"expect: a pattern that does not compile", schema.Step{Expect: ptr("(")}, output(""), "expect: missing closing )"},
		{"expect: a pattern that takes too long", schema.Step{Expect: ptr(`^(\w+\s?)*$`)}, output("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"), "timeout"},

		{"expect_error seen", schema.Step{ExpectError: ptr(true)}, observation{result: session.Result{Failed: true}}, ""},
		{"expect_error not seen", schema.Step{ExpectError: ptr(true)}, code(0), "expect_error: no error was seen (exit code 0"},
		{"expect_error false", schema.Step{ExpectError: ptr(false)}, code(0), ""},
		{"expect_error false, but seen", schema.Step{ExpectError: ptr(false)}, observation{result: session.Result{Failed: true}}, "expect_error: false, but an error was seen (no exit code"},

		{"expect_exit_code", schema.Step{ExpectExitCode: ptr(3)}, code(3), ""},
		{"expect_exit_code differs", schema.Step{ExpectExitCode: ptr(3)}, code(0), "expect_exit_code: want 3, got exit code 0"},
		{"expect_exit_code without one", schema.Step{ExpectExitCode: ptr(0)}, output(""), "expect_exit_code: want 0, got no exit code"},
		{"exit_code_is_unreliable asserts nothing", schema.Step{ExpectExitCode: ptr(3), ExitCodeIsUnreliable: true}, code(0), ""},

		{"expect_no_last_exit", schema.Step{ExpectNoLastExit: ptr(true)}, output(""), ""},
		{"expect_no_last_exit, but there is one", schema.Step{ExpectNoLastExit: ptr(true)}, code(1), "expect_no_last_exit: got exit code 1"},
		{"expect_no_last_exit false", schema.Step{ExpectNoLastExit: ptr(false)}, code(1), ""},
		{"expect_no_last_exit false without one", schema.Step{ExpectNoLastExit: ptr(false)}, output(""), "no exit code was reported"},

		{"expect_mode", schema.Step{ExpectMode: ptr("pdb")}, observation{result: session.Result{Mode: "pdb"}}, ""},
		{"expect_mode differs", schema.Step{ExpectMode: ptr("pdb")}, observation{result: session.Result{Mode: "main"}}, `expect_mode: want "pdb", got "main"`},

		{"expect_level", schema.Step{ExpectLevel: ptr(2)}, observation{result: session.Result{Level: ptr(2)}}, ""},
		{"expect_level differs", schema.Step{ExpectLevel: ptr(2)}, observation{result: session.Result{Level: ptr(1)}}, "expect_level: want 2, got 1"},
		{"expect_level without one", schema.Step{ExpectLevel: ptr(0)}, observation{result: session.Result{Mode: "main"}}, `expect_level: want 0, but mode "main" reports no level`},

		{"expect_cwd_update", schema.Step{ExpectCwdUpdate: ptr(true)}, observation{cwdReported: true}, ""},
		{"expect_cwd_update without one", schema.Step{ExpectCwdUpdate: ptr(true)}, observation{}, "the program did not announce its directory"},
		{"expect_cwd_update false", schema.Step{ExpectCwdUpdate: ptr(false)}, observation{cwdReported: true}, ""},
		{"expect_cwd_update false, but announced", schema.Step{ExpectCwdUpdate: ptr(false)}, observation{result: session.Result{CwdReported: true, Cwd: "/x"}}, `announced "/x"`},

		{"expect_out_of_band", schema.Step{ExpectOutOfBand: ptr("tick")}, observation{outOfBand: "a tick\n"}, ""},
		{"expect_out_of_band in the output", schema.Step{ExpectOutOfBand: ptr("tick")}, output("a tick"), "expect_out_of_band: the output between commands does not match"},

		{"errors come first", schema.Step{Expect: ptr("x"), ExpectExitCode: ptr(0)}, code(2), "expect_exit_code"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := check(c.step, c.seen)
			if c.message == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.message)
			}
		})
	}
}
