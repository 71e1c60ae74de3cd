package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a recorded setting, in bytes.
const (
	maxBeganValue = 64 << 10
	maxBeganPlace = 4 << 10
)

// checkBegan rejects recorded settings that no run can have written.
func checkBegan(name string, s Source) error {
	of, known := lookupSetting(name)
	odd := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	switch {
	case !known || of.Name != name:
		return fmt.Errorf("the run's record has a setting %.80q, which is unknown to this version", name)
	case len(s.Value) > maxBeganValue || len(s.From)+len(s.Name) > maxBeganPlace:
		return fmt.Errorf("the run's record has a setting %s that is longer than a setting can be", name)
	case !utf8.ValidString(s.Value) || strings.ContainsFunc(s.Value+s.From+s.Name, odd):
		return fmt.Errorf("the run's record has a setting %s with invalid characters", name)
	}
	return nil
}

// keep returns the value that a run started with, as a layer.
func keep(s Setting, began map[string]Source) layer {
	v, has := began[s.Name]
	if !has {
		v = Source{s.Name, s.Default, "default"}
	}
	return layer{s.Name: v}
}

// changedSince records that the environment or the files have a different value now. A flag had
// precedence over them then, too.
func (c *Config) changedSince(s Setting, kept Source, layers []layer) []string {
	now := Source{s.Name, s.Default, "default"}
	for _, l := range layers[1:] {
		if i := slices.IndexFunc(s.names(), func(n string) bool { _, has := l[n]; return has }); i >= 0 {
			now = l[s.names()[i]]
			break
		}
	}
	_, given := layers[0][s.Name]
	if given || now.Value == kept.Value || strings.HasPrefix(kept.From, "--") {
		return nil
	}
	how := ""
	if s.Flag != "" {
		how = "; --" + s.Flag + " changes it"
	}
	shown, _ := c.shown(now)
	return []string{fmt.Sprintf("%s is %q now (%s), and the run keeps the %q that it started with%s", s.Name, shown, now.From, kept.Value, how)}
}
