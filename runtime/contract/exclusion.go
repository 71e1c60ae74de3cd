package contract

import "sync"

// exclusion lets tests of several runs in one process run concurrently, except for those that count
// the open resources of the whole process.
var exclusion sync.RWMutex

func enterExclusion(exclusive bool) (leave func()) {
	if exclusive {
		exclusion.Lock()
		return exclusion.Unlock
	}
	exclusion.RLock()
	return exclusion.RUnlock
}
