package proctree

import (
	"os"
	"os/signal"
	"slices"
	"sync"
)

// A signal to the group of a guarded program reaches both of its processes; a signal to a
// process id reaches only one. The signal itself does not show which it was, so each side
// counts: the number of signals sent is the greater of the two counts.

// tally counts one signal on both sides.
type tally struct{ direct, passed, notified int }

// next reports whether one more signal was sent.
func (t *tally) next() bool {
	if max(t.direct, t.passed) == t.notified {
		return false
	}
	t.notified++
	return true
}

// inbox is the state of Notify, by signal.
var inbox = struct {
	sync.Mutex
	direct map[os.Signal]chan os.Signal
	tally  map[os.Signal]*tally
	to     map[os.Signal][]chan<- os.Signal
}{direct: map[os.Signal]chan os.Signal{}, tally: map[os.Signal]*tally{}, to: map[os.Signal][]chan<- os.Signal{}}

// Notify is os/signal's Notify for a program under Guard: a signal that reached both of its
// processes is delivered once. Signals must be named. Sending does not block: c needs room.
func Notify(c chan<- os.Signal, signals ...os.Signal) {
	inbox.Lock()
	defer inbox.Unlock()
	for _, s := range signals {
		inbox.to[s] = append(inbox.to[s], c)
		if inbox.direct[s] != nil {
			continue
		}
		direct := make(chan os.Signal, 4)
		inbox.direct[s] = direct
		signal.Notify(direct, s)
		go func() {
			for s := range direct {
				count(s, func(t *tally) { t.direct++ })
			}
		}()
	}
}

// Stop ends Notify for c. A signal that no other channel receives regains its previous action.
func Stop(c chan<- os.Signal) {
	inbox.Lock()
	defer inbox.Unlock()
	for s, to := range inbox.to {
		inbox.to[s] = slices.DeleteFunc(to, func(other chan<- os.Signal) bool { return other == c })
		if direct := inbox.direct[s]; direct != nil && len(inbox.to[s]) == 0 {
			signal.Stop(direct)
			close(direct)
			delete(inbox.direct, s)
		}
	}
}

// count records one signal, and delivers it unless it was delivered before. It reports whether a
// channel receives this signal.
func count(s os.Signal, enter func(*tally)) (received bool) {
	inbox.Lock()
	defer inbox.Unlock()
	if len(inbox.to[s]) == 0 {
		return false
	}
	t := inbox.tally[s]
	if t == nil {
		t = &tally{}
		inbox.tally[s] = t
	}
	enter(t)
	if t.next() {
		for _, c := range inbox.to[s] {
			select {
			case c <- s:
			default: // its buffer is full
			}
		}
	}
	return true
}
