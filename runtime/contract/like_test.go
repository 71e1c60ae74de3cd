package contract

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/schema"
)

// Assertions and abilities of the other adapter must not be lost: each change of the toy's adapter
// removes one.
func TestLike(t *testing.T) {
	const lacks = "before.yaml declares this test, but this adapter does not declare the same test"
	for name, tt := range map[string]struct {
		change func(a *schema.Adapter)
		want   []string // the tests that fail, with the reason
	}{
		"the same": {func(*schema.Adapter) {}, nil},
		"more": {func(a *schema.Adapter) {
			a.Tests = append(a.Tests, named("another", step("print x")))
		}, nil},
		"in another place": {func(a *schema.Adapter) {
			a.Tests = append([]schema.Test{named("another", step("print x"))}, a.Tests...)
			a.Tests[1].Pos, a.Tests[1].Step.Pos = schema.Position{Line: 90}, schema.Position{Line: 91}
		}, nil},
		"a test is gone":       {func(a *schema.Adapter) { a.Tests = nil }, []string{"enters the debugger (as in before.yaml): " + lacks, "modes are reached and left: it applies to before.yaml, but not to this adapter: no mode has both a test with expect_mode, which enters it, and exit_commands, which leave it"}},
		"a test asserts less":  {func(a *schema.Adapter) { a.Tests[0].ExpectMode = nil; a.Modes = nil }, []string{"enters the debugger (as in before.yaml): " + lacks, "modes are reached and left: it applies to before.yaml, but not to this adapter: no modes are declared"}},
		"the probe is another": {func(a *schema.Adapter) { a.Probe.Expect = ".*" }, []string{"probe (as in before.yaml): " + lacks}},
		"no probe":             {func(a *schema.Adapter) { a.Probe = nil }, []string{"probe (as in before.yaml): " + lacks}},
		"a sample is gone":     {func(a *schema.Adapter) { a.Samples.ReadLine = "" }, []string{"reading a line is reported: it applies to before.yaml, but not to this adapter: samples.read_line is not declared"}},
		"no interrupt":         {func(a *schema.Adapter) { a.Signals.Interrupt = nil }, []string{"timeout, interrupt, usable: it applies to before.yaml, but not to this adapter: signals.interrupt is null: the adapter has no safe interrupt"}},
		"exit codes are no longer reported": {
			func(a *schema.Adapter) { a.Capabilities.ExitCode = schema.ExitCodeFalse },
			[]string{"exit codes as declared: capabilities.exit_code is true in before.yaml, and false in this adapter"},
		},
		"a coding agent": {func(a *schema.Adapter) {
			a.Family, a.Tests = schema.FamilyAgent, nil
		}, []string{"family: family is agent, and in before.yaml it is repl"}},
	} {
		t.Run(name, func(t *testing.T) {
			before, now := toyAdapter(), toyAdapter()
			before.Source = "before.yaml"
			tt.change(now)
			var got []string
			for _, c := range plan(now, Options{Baseline: before}) {
				if c.lost != "" {
					got = append(got, c.name+": "+c.lost)
				}
			}
			assert.ElementsMatch(t, tt.want, got)
		})
	}
}

// A missing test fails, and no level that needs it is reached.
func TestLostTestFails(t *testing.T) {
	before, now := toyAdapter(), toyAdapter()
	now.Samples.ReadLine = ""
	withoutKill := regexp.MustCompile("^[^k]")
	whole := runToy(t, now, "", Options{Filter: withoutKill})
	assert.True(t, whole.OK(), outcome(whole))
	r := runToy(t, now, "", Options{Filter: withoutKill, Baseline: before})
	assert.False(t, r.OK())
	level, note := level(r.Tests)
	assert.Equal(t, 2, level)
	assert.Equal(t, "level 3 (hostile input and output, interrupts, forgery) is not reached: failed: reading a line is reported", note)
}
