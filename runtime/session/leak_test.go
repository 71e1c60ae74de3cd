package session_test

import (
	"context"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// resources are the resources that a session might leak in this process.
type resources struct{ goroutines, descriptors, children int }

func count(t *testing.T) resources {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	children, err := os.ReadFile("/proc/self/task/self/children")
	if err != nil {
		children = nil // some kernels do not list them; proctree's tests check another way
	}
	return resources{runtime.NumGoroutine(), len(fds), len(children)}
}

// settled waits until goroutines that are about to end have ended.
func settled(t *testing.T, want resources) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		got := count(t)
		if got.goroutines <= want.goroutines && got.descriptors <= want.descriptors && got.children <= want.children {
			return
		}
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("left behind: %+v, before: %+v\n%s", got, want, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestStartsAndStopsLeaveNothing(t *testing.T) {
	n := testkit.Fewer(t, 20, testkit.Times(t, 40, 1000))
	a := adapter(t, "bash")
	home := t.TempDir()
	once := func() {
		s, err := session.Open(deadline(t), a, session.Options{Env: []string{"HOME=" + home}})
		if !assert.NoError(t, err) {
			return
		}
		r, err := s.Eval(deadline(t), "echo alive")
		assert.NoError(t, err)
		assert.Equal(t, "alive\n", r.Output)
		assert.NoError(t, s.Close(context.Background()))
	}
	once()
	files := scratchDirs(t)
	before := count(t)
	work := make(chan struct{}, n)
	for range n {
		work <- struct{}{}
	}
	close(work)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range work {
				once()
			}
		})
	}
	wg.Wait()
	settled(t, before)
	assert.Equal(t, files, scratchDirs(t))
}
