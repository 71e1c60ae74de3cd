package console

import (
	"context"
	"sync"
)

// visitors counts waiting clients and attached terminals.
type visitors struct {
	clients  int            // waiting clients and attached terminals
	all      sync.WaitGroup // terminals
	people   int            // terminals that may type
	attached int            // number of terminals attached so far
	shownIn  map[string]int // number of terminals that belong to other consoles, by console name
	queue    queue          // calls that wait for their turn
}

// show adds n to the number of terminals that belong to the console in, if that is not empty.
func (v *visitors) show(in string, n int) {
	if in == "" {
		return
	}
	if v.shownIn == nil {
		v.shownIn = map[string]int{}
	}
	if v.shownIn[in] += n; v.shownIn[in] <= 0 {
		delete(v.shownIn, in)
	}
}

// wait returns when all terminals have been sent the end.
func (v *visitors) wait(ctx context.Context) {
	told := make(chan struct{})
	go func() {
		v.all.Wait()
		close(told)
	}()
	select {
	case <-told:
	case <-ctx.Done(): // a terminal does not read
	}
}
