package session

import (
	"slices"

	"example.org/ripple/runtime/internal/keys"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/terminal"
)

// held is the input of users that the program has not received yet, in order.
type held []typedKeys

// typedKeys are keys of one user, up to the end of a line or as far as they were typed.
type typedKeys struct {
	who     int
	raw     []byte
	ends    int    // length in bytes of the last key, if it ends a line; else 0
	drafted bool   // the user edits them before the program's prompt gets them
	secret  bool   // the command asks for a secret, and is given them when the line ends
	asked   asking // the question that they answer
	late    bool   // the question for the secret is over: they are dropped when the line ends
	signal  rune   // set for a single key that terminals turn into a signal; else 0
}

// asking is a question for a secret. Its zero value is an unknown one.
type asking struct {
	waitID  uint64 // of the thread that reads the answer
	printed int64  // the number of bytes that the program had printed
}

// isOver reports whether now is another question. The program was woken, but not by output alone: other programs print, too. Nor by
// a signal alone, such as that of a changed size.
func (a asking) isOver(now asking) bool {
	return a.waitID != 0 && a.waitID != now.waitID && a.printed != now.printed
}

// answer records that the program asks for a secret now.
func (k *typedKeys) answer(now asking) {
	if k.secret = true; k.asked == (asking{}) {
		k.asked = now
	}
	k.late = k.late || k.asked.isOver(now)
}

// closed reports whether further input must not be appended to k.
func (k *typedKeys) closed() bool { return k.ends > 0 || k.signal != 0 }

// cut removes the first keys that together have at least size bytes from k, and returns them; 0 stands for all.
func (k *typedKeys) cut(size int) typedKeys {
	first, n := *k, 0
	if size == 0 {
		size = len(k.raw)
	}
	for n < size && n < len(k.raw) {
		n += keys.First(k.raw[n:])
	}
	if first.raw, k.raw = k.raw[:n:n], k.raw[n:]; len(k.raw) > 0 {
		first.ends = 0
	}
	return first
}

// add appends a key to the keys of its user.
func (h *held) add(who int, k *keys.Key, signal rune, drafted bool) {
	last := -1
	for i := range *h {
		if (*h)[i].who == who {
			last = i
		}
	}
	if last < 0 || (*h)[last].closed() || (*h)[last].drafted != drafted || signal != 0 {
		*h = append(*h, typedKeys{who: who, signal: signal, drafted: drafted})
		last = len(*h) - 1
	}
	at := &(*h)[last]
	at.raw = append(at.raw, k.Raw...)
	if k.Enter() {
		at.ends = len(k.Raw)
	}
}

// next returns the first keys that may be given while owner has an unfinished line; owner 0
// means that no user has. Signals of other users are included, so that they can cancel the
// owner's line. If drafts is true, keys for a draft are skipped, and so are the keys of the users in without.
// It returns nil for none.
func (h held) next(owner int, drafts bool, without []int) *typedKeys {
	for i := range h {
		if k := &h[i]; (!drafts || !k.drafted) && (owner == 0 || k.who == owner || k.signal != 0) && !slices.Contains(without, k.who) {
			return k
		}
	}
	return nil
}

// given removes keys that the program has been given.
func (h *held) given(k *typedKeys) {
	for i := range *h {
		if &(*h)[i] == k {
			*h = slices.Delete(*h, i, i+1)
			return
		}
	}
}

// putBack makes a line that a user has begun the first held keys.
func (h *held) putBack(l *begunLine) {
	*h = slices.Insert(*h, 0, typedKeys{who: l.who, raw: l.keys, drafted: l.drafted})
}

// forget discards a user's input.
func (h *held) forget(who int) {
	*h = slices.DeleteFunc(*h, func(k typedKeys) bool { return k.who == who })
}

// forgetSecrets discards input for a command that asks for a secret.
func (h *held) forgetSecrets() {
	*h = slices.DeleteFunc(*h, func(k typedKeys) bool { return k.secret })
}

// endSecrets records that the question for which users have begun secrets is over.
func (h held) endSecrets() {
	for i := range h {
		h[i].late = h[i].late || h[i].secret && h[i].asked != (asking{})
	}
}

// size returns the number of bytes held.
func (h held) size() (n int) {
	for i := range h {
		n += len(h[i].raw)
	}
	return n
}

// counts returns the number of bytes held for each user, without secrets and what drafter is to edit.
func (h held) counts(drafter int) map[int]int {
	var of map[int]int
	for _, k := range h {
		if k.secret || k.drafted && k.who == drafter {
			continue
		}
		if of == nil {
			of = map[int]int{}
		}
		of[k.who] += len(k.raw)
	}
	return of
}

// lateSecrets returns the users who have begun secrets whose question is over.
func (h held) lateSecrets() (whose []int) {
	for _, k := range h {
		if k.late && !slices.Contains(whose, k.who) {
			whose = append(whose, k.who)
		}
	}
	return whose
}

// passedOn returns the length of the part of input that a terminal that edits lines passes on to the program.
func passedOn(modes *pty.Modes, input []byte) int {
	n := len(input)
	for n > 0 && !modes.Acts(input[n-1]) {
		n--
	}
	return n
}

// begunLine is a part of a line that a user has typed while a command runs, and that waits in the terminal for its end.
type begunLine struct {
	who     int    // 0: no user has begun a line
	keys    []byte // empty if a part of them was not echoed: it may be a secret
	drafted bool
	hidden  bool           // a part was not echoed
	reads   *pty.ReadWatch // since the line began; nil: none, or the system has no such watch
}

// given records keys that the terminal is given; held says that it keeps an unfinished line.
func (l *begunLine) given(k *typedKeys, term *terminal.Terminal, modes *pty.Modes, held bool) {
	if !held || k.closed() || k.raw[len(k.raw)-1] == eof {
		l.end()
		return
	}
	if l.who != k.who || l.drafted != k.drafted || l.wasRead() {
		l.end()
		l.who, l.drafted = k.who, k.drafted
		l.reads, _ = term.WatchReads() // nil if it fails
	}
	l.hidden = l.hidden || !modes.Echoes()
	l.keys = append(l.keys, k.raw...)
	if l.hidden {
		l.keys = nil
	}
}

// end forgets the line.
func (l *begunLine) end() {
	if l.reads != nil {
		_ = l.reads.Close() // nothing was written to it
	}
	*l = begunLine{}
}

// wasRead reports whether a program has read a part of the line, which it can after it has stopped the terminal
// from editing lines. How much it has read is unknown.
func (l *begunLine) wasRead() bool { return l.reads != nil && l.reads.Any() }

// eof is the key that makes a terminal pass on an unfinished line: VEOF.
const eof = 0x04
