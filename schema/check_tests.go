package schema

import (
	"fmt"
	"strconv"
)

func indexed(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }

func (r adapterRules) checkModes(a *Adapter) {
	first, start := map[string]int{}, -1
	for i, m := range a.Modes {
		at := indexed("/modes", i)
		if j, taken := first[m.Name]; taken && m.Name != "" {
			r.errorPointer(at+"/name", KindDuplicate, "mode %q is already declared in line %d", m.Name, r.position(indexed("/modes", j)).Line)
		}
		first[m.Name] = i
		if m.Default && start >= 0 {
			r.errorPointer(at+"/default", KindConflict, "mode %q is already the default one", a.Modes[start].Name)
		} else if m.Default {
			start = i
		}
		if m.Name != "" && !m.Default { // the default mode is where no other one is
			r.needs(at, fmt.Sprintf("mode %q", m.Name), at+"/primary", at+"/detect")
		}
		if m.LevelCapture != nil {
			r.needs(at+"/level_capture", "level_capture", at+"/primary")
			r.checkGroup(at+"/level_capture", *m.LevelCapture, "the mode's primary", groupsOf(m.Primary))
		}
	}
}

func (r adapterRules) checkTests(a *Adapter) {
	first := map[string]int{}
	for i, t := range a.Tests {
		at := indexed("/tests", i)
		if j, taken := first[t.Name]; taken && t.Name != "" {
			r.errorPointer(at+"/name", KindDuplicate, "test %q is already declared in line %d", t.Name, a.Tests[j].Pos.Line)
		}
		first[t.Name] = i
		if t.Name != "" && a.Family != FamilyAgent {
			r.needs(at, fmt.Sprintf("test %q", t.Name), at+"/eval", at+"/setup", at+"/setup_sequence")
		}
		r.checkMode(a, at, t.Step)
		for j, s := range t.SetupSequence {
			r.checkMode(a, indexed(at+"/setup_sequence", j), s)
		}
	}
}

// checkMode reports an assertion about a mode that nothing declares.
func (r adapterRules) checkMode(a *Adapter, pointer string, s Step) {
	if s.ExpectMode == nil || r.places["/modes"].value != nil && len(a.Modes) == 0 {
		return
	}
	names := modeNames(a)
	for _, name := range names {
		if name == *s.ExpectMode {
			return
		}
	}
	r.errorPointer(pointer+"/expect_mode", KindConflict, "mode %s is not declared in modes%s", quoted(*s.ExpectMode), Suggest(*s.ExpectMode, names))
}

func modeNames(a *Adapter) []string {
	names := make([]string, len(a.Modes))
	for i, m := range a.Modes {
		names[i] = m.Name
	}
	return names
}
