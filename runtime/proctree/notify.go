package proctree

import (
	"os"
	"os/signal"
	"slices"
	"sync"
)

// A signal to the group of a guarded program reaches both of its processes, one
// to a process id only that one, and nothing in the signal tells which it was. So
// each side counts: what the outer process has got so often and the inner one so
// often was sent as often as the greater of the two says.

// tally counts one signal on both sides.
type tally struct{ direct, passed, notified int }

// next tells whether one more was sent.
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

// Notify is os/signal's Notify for a program under Guard: a signal that reached
// both of its processes comes once. Signals must be named. Nobody waits for a
// receiver: c needs room.
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

// Stop ends Notify for c. A signal that nobody else takes does again what it did
// before.
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

// count enters one signal and hands it on if it was not told before. It tells
// whether anybody takes this signal.
func count(s os.Signal, enter func(*tally)) (taken bool) {
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
			default: // it has enough
			}
		}
	}
	return true
}
