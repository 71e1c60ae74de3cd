package contract

import "sync"

// exclusion lets tests of several runs in one process go on side by side, except for
// those that count what the whole process has open.
var exclusion sync.RWMutex

func join(exclusive bool) (leave func()) {
	if exclusive {
		exclusion.Lock()
		return exclusion.Unlock
	}
	exclusion.RLock()
	return exclusion.RUnlock
}
