package session

import (
	"slices"

	"ripple/runtime/internal/keys"
)

// held is what persons have typed and the program has not been given, in its order.
type held []typedKeys

// typedKeys are keys of one person up to the end of a line, or as far as they were typed.
type typedKeys struct {
	who    int
	raw    []byte
	ends   int  // how many bytes the last key has, which ends a line; 0: none does
	signal rune // it is a single key that terminals make signals of; 0: it is not
}

// closed says that what is typed next goes on elsewhere.
func (k *typedKeys) closed() bool { return k.ends > 0 || k.signal != 0 }

// add puts a key behind the others of that person.
func (h *held) add(who int, k *keys.Key, signal rune) {
	last := -1
	for i := range *h {
		if (*h)[i].who == who {
			last = i
		}
	}
	if last < 0 || (*h)[last].closed() || signal != 0 {
		*h = append(*h, typedKeys{who: who, signal: signal})
		last = len(*h) - 1
	}
	at := &(*h)[last]
	at.raw = append(at.raw, k.Raw...)
	if k.Enter() {
		at.ends = len(k.Raw)
	}
}

// next is where the keys stand that come first while owner is in the midst of a line, 0:
// nobody. Signals pass: whoever waits for the other one's line can take it away. nil: none.
func (h held) next(owner int) *typedKeys {
	for i := range h {
		if k := &h[i]; owner == 0 || k.who == owner || k.signal != 0 {
			return k
		}
	}
	return nil
}

// given takes out keys that the program has been given.
func (h *held) given(k *typedKeys) {
	for i := range *h {
		if &(*h)[i] == k {
			*h = slices.Delete(*h, i, i+1)
			return
		}
	}
}

// forget forgets what a person has typed.
func (h *held) forget(who int) {
	*h = slices.DeleteFunc(*h, func(k typedKeys) bool { return k.who == who })
}

// counts is how many bytes are held of each person.
func (h held) counts() map[int]int {
	if len(h) == 0 {
		return nil
	}
	of := map[int]int{}
	for _, k := range h {
		of[k.who] += len(k.raw)
	}
	return of
}
