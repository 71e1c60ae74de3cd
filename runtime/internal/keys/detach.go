package keys

import (
	"fmt"
	"strings"
)

// Detacher looks for keys, typed one after another, that are meant for ripple, not for the program.
type Detacher struct {
	split Splitter
	want  []rune // letters of control keys
	met   int    // how many of them were typed
	held  []byte // what was typed since the first of them
	done  bool
}

// NewDetacher takes keys as "C-\ C-d": one or more control keys with blanks between.
func NewDetacher(spec string) (*Detacher, error) {
	d := &Detacher{}
	for _, name := range strings.Fields(spec) {
		letter, ok := strings.CutPrefix(strings.ToLower(name), "c-")
		if !ok || len(letter) != 1 || !(letter[0] >= 'a' && letter[0] <= 'z' || strings.ContainsAny(letter, `@\]^_`)) {
			return nil, fmt.Errorf(`%q cannot be used to detach: use control keys, C-a to C-z or C-@ C-\ C-] C-^ C-_`, name)
		}
		d.want = append(d.want, rune(letter[0]))
	}
	if len(d.want) == 0 {
		return nil, fmt.Errorf(`the keys to detach are missing: write them as "C-\ C-d"`)
	}
	return d, nil
}

// Feed returns what is for the program, and whether the keys were typed; later
// keys are dropped.
func (d *Detacher) Feed(b []byte) (pass []byte, detached bool) {
	d.split.Feed(b, func(k *Key) { pass = d.key(k, pass) })
	return pass, d.done
}

// Holds reports whether the beginning of a key is held back; see Splitter.
func (d *Detacher) Holds() bool { return d.split.holds() }

// Flush returns it, for the program.
func (d *Detacher) Flush() (pass []byte) {
	d.split.Flush(func(k *Key) { pass = d.key(k, pass) })
	return pass
}

func (d *Detacher) key(k *Key, pass []byte) []byte {
	switch {
	case d.done:
		return pass
	case k.Kind == Released && d.met > 0: // of one of the keys
		d.held = append(d.held, k.Raw...)
		return pass
	case k.Kind == Ambient || k.Kind == Reply:
		return append(pass, k.Raw...)
	case d.is(k, d.met):
		d.met++
		d.held = append(d.held, k.Raw...)
		d.done = d.met == len(d.want)
		return pass
	}
	pass = append(pass, d.held...)
	d.held, d.met = d.held[:0], 0
	if d.is(k, 0) {
		d.met, d.held = 1, append(d.held, k.Raw...)
		return pass
	}
	return append(pass, k.Raw...)
}

func (d *Detacher) is(k *Key, at int) bool {
	return k.Kind == Typed && k.Ctrl && (k.Code == d.want[at] || k.Base == d.want[at])
}
