package contract

import (
	"fmt"
	"reflect"
	"slices"

	"example.org/ripple/schema"
)

// likeCases compares an adapter with another one of the same program, so that no test is
// lost unnoticed: the probe and the declared tests of the other adapter must be in this
// one word for word, and a derived test that applies to the other adapter must apply to
// this one. A missing test is a failed test.
func likeCases(cases []testCase, a, other *schema.Adapter) []testCase {
	if (a.Family == schema.FamilyAgent) != (other.Family == schema.FamilyAgent) {
		return append(cases, testCase{name: "family", kind: KindProbe, level: 1, lost: fmt.Sprintf("family is %s, and in %s it is %s", a.Family, other.Source, other.Family)})
	}
	for i := range cases {
		if cases[i].kind == KindDerived {
			cases[i].lost = lostOf(cases[i].name, a, other)
		}
	}
	return append(cases, missingCases(a, other)...)
}

// lostOf returns the reason why a derived test that applies to another adapter does not apply to
// this one.
func lostOf(name string, a, other *schema.Adapter) string {
	d := derivedTests[slices.IndexFunc(derivedTests, func(d derived) bool { return d.name == name })]
	switch why := d.unmet(a); {
	case d.unmet(other) != "":
		return ""
	case why != "":
		return fmt.Sprintf("it applies to %s, but not to this adapter: %s", other.Source, why)
	case d.less != nil:
		return d.less(a, other)
	}
	return ""
}

// missingCases returns cases for assertions of another adapter that this one does not have.
func missingCases(a, other *schema.Adapter) (cases []testCase) {
	missing := func(name string, kind Kind, level int) {
		cases = append(cases, testCase{
			name: name + " (as in " + other.Source + ")", kind: kind, level: level,
			lost: fmt.Sprintf("%s declares this test, but this adapter does not declare the same test", other.Source),
		})
	}
	if p := other.Probe; p != nil && (a.Probe == nil || a.Probe.Eval != p.Eval || a.Probe.Expect != p.Expect) {
		missing("probe", KindProbe, 1)
	}
	for _, t := range other.Tests {
		same := func(own schema.Test) bool { return reflect.DeepEqual(withoutPositions(own), withoutPositions(t)) }
		if !slices.ContainsFunc(a.Tests, same) {
			missing(t.Name, KindDeclared, 2)
		}
	}
	return cases
}

// withoutPositions returns a test without its positions.
func withoutPositions(t schema.Test) schema.Test {
	t.Pos, t.Step.Pos = schema.Position{}, schema.Position{}
	t.SetupSequence = slices.Clone(t.SetupSequence)
	for i := range t.SetupSequence {
		t.SetupSequence[i].Pos = schema.Position{}
	}
	return t
}

// lessExitCodes reports an adapter that has less reliable exit codes than another one.
func lessExitCodes(a, other *schema.Adapter) string {
	if other.Capabilities.ExitCode == schema.ExitCodeTrue && a.Capabilities.ExitCode != schema.ExitCodeTrue {
		return fmt.Sprintf("capabilities.exit_code is true in %s, and %s in this adapter", other.Source, a.Capabilities.ExitCode)
	}
	return ""
}
