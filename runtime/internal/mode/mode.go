// Package mode detects which of an adapter's modes a program is in: its main prompt, a
// debugger, a package shell. [New] compiles the declared modes once, [Detector.Detect]
// judges the text after a boundary.
//
// The evidence, strongest first:
//
//  1. a mode's primary matches at the end of the text. The longest match wins;
//     between equals one whose detect matches, then the mode we were in, then the
//     default one, then file order. exit_detect after detect takes that back.
//  2. for modes without a primary: detect matches, or we were in the mode; and
//     exit_detect does not match after that.
//  3. otherwise it is the default mode.
//
// So detect never outvotes a prompt that is there to be seen: printing "Break
// reached:" does not open a debugger.
package mode

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"example.org/ripple/schema"
)

// State is the mode of a program.
type State struct {
	Name  string // empty when the adapter declares no modes
	Level *int   // nesting, from level_capture; nil when there is none
}

// Boundary is the prompt of a mode, which ends a command like any other.
type Boundary struct {
	Mode   string
	Key    string // for messages: modes[2].primary
	Source string // the pattern with placeholders expanded
}

// Detector knows the modes of one adapter. It is safe for concurrent use.
type Detector struct {
	modes    []compiled
	fallback int // index of the default mode; -1: none
}

type compiled struct {
	schema.Mode
	primary, detect, exit *pattern
}

// New compiles the modes. Placeholders in patterns stand for the values as
// literal text. The error names the key of a pattern that does not compile.
func New(modes []schema.Mode, values map[string]string) (*Detector, error) {
	d := &Detector{fallback: defaultMode(modes)}
	literal := make(map[string]string, len(values))
	for name, value := range values {
		literal[name] = regexp2.Escape(value)
	}
	for i, m := range modes {
		c := compiled{Mode: m}
		for _, p := range []struct {
			key, source string
			to          **pattern
		}{{"primary", m.Primary, &c.primary}, {"detect", m.Detect, &c.detect}, {"exit_detect", m.ExitDetect, &c.exit}} {
			source := schema.Expand(p.source, literal)
			if source == "" {
				continue
			}
			compiled, err := newPattern(fmt.Sprintf("modes[%d].%s", i, p.key), source)
			if err != nil {
				return nil, err
			}
			*p.to = compiled
		}
		d.modes = append(d.modes, c)
	}
	return d, nil
}

// defaultMode is the one declared so, else the first that is entered on purpose.
func defaultMode(modes []schema.Mode) int {
	for i, m := range modes {
		if m.Default {
			return i
		}
	}
	for i, m := range modes {
		if !m.AutoEnter {
			return i
		}
	}
	return -1
}

// Boundaries are the prompts of all modes that have one, in file order.
func (d *Detector) Boundaries() []Boundary {
	var list []Boundary
	for _, m := range d.modes {
		if m.primary != nil {
			list = append(list, Boundary{m.Name, m.primary.key, m.primary.source})
		}
	}
	return list
}

// Default is the name of the mode that a program starts in; it may be empty.
func (d *Detector) Default() string { return d.at(d.fallback).Name }

// AutoEnter reports whether a program enters the mode by itself, which says that
// something went wrong.
func (d *Detector) AutoEnter(name string) bool {
	for _, m := range d.modes {
		if m.Name == name {
			return m.AutoEnter
		}
	}
	return false
}

func (d *Detector) at(i int) State {
	if i < 0 {
		return State{}
	}
	return State{Name: d.modes[i].Name}
}

// level reads level_capture: a number, or a sign for each level. A nested mode
// whose group is empty is on its outermost level, 0: some programs number only those
// above it.
func level(m schema.Mode, match *regexp2.Match) *int {
	if m.LevelCapture == nil {
		return nil
	}
	text := ""
	if g := match.GroupByNumber(*m.LevelCapture); g != nil {
		text = g.String()
	}
	if n, err := strconv.Atoi(text); err == nil {
		return &n
	}
	if n, drawn := tally(text); m.Nested && drawn {
		return &n
	}
	return nil
}

// tally counts a text that repeats one character other than a letter or digit.
func tally(text string) (n int, ok bool) {
	sign, _ := utf8.DecodeRuneInString(text)
	if unicode.IsLetter(sign) || unicode.IsDigit(sign) {
		return 0, false
	}
	return utf8.RuneCountInString(text), strings.Trim(text, string(sign)) == ""
}
