package adaptercmd

import (
	"cmp"
	"fmt"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// hold reads the requirements on adapters: a level, and another adapter.
func (f *testFlags) hold(a *app, entries []*registry.Entry) error {
	switch {
	case f.level < 0 || f.level > contract.MaxLevel:
		return ui.UsageError("", "--level must be 1 to %d, not %d", contract.MaxLevel, f.level)
	case f.level > 0 && (f.filter != "" || f.options.NoDerived):
		return ui.UsageError("leave one of them out", "--level needs all tests: leave out --filter and --no-derived")
	}
	for _, e := range entries {
		if e.Adapter.Family == schema.FamilyAgent && (f.level > 0 || f.like != "") {
			return ui.UsageError("", "--level and --like apply to programs with a prompt; %s is a coding agent", e.Name)
		}
	}
	if f.like == "" {
		return nil
	}
	other, err := a.Adapter(f.like)
	if err != nil {
		return err
	}
	f.options.Baseline = other.Adapter
	return nil
}

// graded fails adapters whose level is lower than --level.
func (f *testFlags) graded(reports []*contract.Report) error {
	for _, r := range reports {
		if r.Skipped == "" && r.Level < f.level {
			return ui.FailWith(ui.ExitFailed, fmt.Errorf("%s: level %d reached, --level requires %d", cmp.Or(r.File, r.Adapter), r.Level, f.level), r.LevelNote)
		}
	}
	return nil
}
