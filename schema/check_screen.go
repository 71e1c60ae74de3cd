package schema

import "slices"

// checkScreen: each rule looks at something, at rows that can be there, and an answer is
// for what can be answered.
func (r agentRules) checkScreen(a *Agent) {
	if a.Screen == nil {
		return
	}
	for i, s := range a.Screen.States {
		at := indexed("/agent/screen/states", i)
		if s.Pattern == "" && s.Title == "" && s.Progress == nil {
			r.errorPointer(at, KindConflict, "a rule needs at least one of pattern, title and progress")
		}
		if s.Pattern == "" && s.Without == "" && s.Question == "" && r.has(at+"/rows") {
			r.errorPointer(at+"/rows", KindConflict, "rows limits where pattern, without and question match, and the rule has none of these")
		}
		if len(s.Rows) == 2 && !ordered(s.Rows[0], s.Rows[1]) {
			r.errorPointer(at+"/rows", KindValue, "invalid rows [%d, %d]: give the first and the last row, counted from 1 at the top or from -1 at the bottom", s.Rows[0], s.Rows[1])
		}
		if asks := []string{ScreenAsks, ScreenMenu, ScreenTrust, ScreenLogin}; !slices.Contains(asks, s.State) {
			for _, key := range []string{"answers", "question"} {
				if r.has(at + "/" + key) {
					r.errorPointer(at+"/"+key, KindConflict, "%s is for states that wait for an answer, and %s does not", key, s.State)
				}
			}
		}
	}
}

// ordered reports whether rows can lie between a first and a last one. One from the top and
// one from the bottom always can.
func ordered(first, last int) bool {
	return first != 0 && last != 0 && ((first > 0) != (last > 0) || first <= last)
}
