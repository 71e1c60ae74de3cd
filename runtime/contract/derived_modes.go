package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// visit is a way into a mode and one way out of it.
type visit struct {
	mode    schema.Mode
	way     []string // code to evaluate to get there
	byError bool     // the code is samples.error, because no test enters the mode
	exit    schema.ModeCommand
}

// visits returns all known visits: the way in is that of the first test that expects the mode, or
// samples.error for a mode that the program enters itself; there is one visit for each of the
// mode's exit commands that can be sent unchanged.
func visits(a *schema.Adapter) []visit {
	var list []visit
	for _, m := range a.Modes {
		if m.Default {
			continue
		}
		way, byError := wayInto(a, m)
		if way == nil {
			continue
		}
		for _, exit := range m.ExitCommands {
			if !strings.ContainsAny(exit.Command, "{}") {
				list = append(list, visit{m, way, byError, exit})
			}
		}
	}
	return list
}

func wayInto(a *schema.Adapter, m schema.Mode) (way []string, byError bool) {
	for _, test := range a.Tests {
		way = nil
		for _, s := range steps(test) {
			if s.Eval != nil {
				way = append(way, *s.Eval)
			}
			if s.ExpectMode != nil && *s.ExpectMode == m.Name && len(way) > 0 {
				return way, false
			}
		}
	}
	if m.AutoEnter && a.Samples.Error != "" {
		return []string{a.Samples.Error}, true
	}
	return nil, false
}

func modesReachedAndLeft(ctx context.Context, t *testRun) error {
	for _, v := range visits(t.adapter) {
		if err := t.openOwn(ctx, session.Options{}); err != nil {
			return err
		}
		err := runVisit(ctx, t, v)
		step, sent, result := t.step, t.sent, t.result
		if closing := t.closeOwn(ctx); err == nil && closing != nil {
			return closing
		}
		if err != nil {
			t.step, t.sent, t.result = step, sent, result
			return err
		}
	}
	return nil
}

// runVisit carries out one visit. A debugger that ends with its program has left the mode too.
func runVisit(ctx context.Context, t *testRun, v visit) error {
	var entered session.Result
	for i, code := range v.way {
		r, err := t.eval(ctx, fmt.Sprintf("into mode %s (%d of %d)", v.mode.Name, i+1, len(v.way)), code)
		if err != nil {
			return err
		}
		entered = r
	}
	switch {
	case entered.Mode != v.mode.Name && v.byError:
		return failf("mode %q was not reached: after samples.error the mode is %q, and no test has expect_mode: %s (write one that enters it)",
			v.mode.Name, entered.Mode, v.mode.Name)
	case entered.Mode != v.mode.Name:
		return failf("mode %q was not reached in a new session: the mode is %q (a test that enters a mode must not rely on the tests before it)",
			v.mode.Name, entered.Mode)
	}
	r, err := t.eval(ctx, "out of mode "+v.mode.Name, v.exit.Command)
	if errors.Is(err, session.ErrExited) && t.adapter.Family == schema.FamilyDebugger {
		t.note("%s of mode %s ends the program", v.exit.Command, v.mode.Name)
		return nil
	}
	if err != nil {
		return err
	}
	if r.Mode == v.mode.Name && !lower(r.Level, entered.Level) {
		return failf("exit command %q did not leave mode %q", v.exit.Command, v.mode.Name)
	}
	return nil
}

func lower(now, before *int) bool { return now != nil && before != nil && *now < *before }

// backToDefaultMode leaves modes that an error may have entered, by the modes' own exit commands; a
// nested mode may need several.
func backToDefaultMode(ctx context.Context, t *testRun) error {
	const deepest = 8
	for range deepest {
		exit := exitOf(t.adapter, t.ev.State().Mode)
		if exit == "" {
			return nil
		}
		if _, err := t.eval(ctx, "back to the default mode", exit); err != nil {
			return err
		}
	}
	return failf("the exit commands of mode %q do not lead back to the default mode", t.ev.State().Mode)
}

func exitOf(a *schema.Adapter, mode string) string {
	for _, m := range a.Modes {
		if m.Name == mode && !m.Default && len(m.ExitCommands) > 0 {
			return m.ExitCommands[0].Command
		}
	}
	return ""
}
