//go:build unix

package console_test

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
)

// heapFile is the name of the file in which a host of the tests reports its heap.
const heapFile = "heap"

// reportHeap writes what the host still refers to into a file, at each SIGUSR1.
func reportHeap() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	file := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), heapFile)
	for range asked {
		runtime.GC()
		runtime.GC() // what has a finalizer goes in the second one
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if err := os.WriteFile(file+".new", fmt.Appendln(nil, m.HeapObjects, m.HeapAlloc), 0o600); err == nil {
			_ = os.Rename(file+".new", file) // the test notices that there is none
		}
	}
}

// heapOf asks a host for the number of objects and of bytes that it refers to.
func heapOf(t *testing.T, c *console.Client) (objects, bytes int64) {
	t.Helper()
	file := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), heapFile)
	require.NoError(t, os.RemoveAll(file))
	s, err := c.Status(t.Context())
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(s.HostPID, syscall.SIGUSR1))
	var text []byte
	require.Eventually(t, func() bool {
		text, err = os.ReadFile(file)
		return err == nil
	}, testkit.Patience(time.Minute), time.Millisecond)
	_, err = fmt.Fscan(strings.NewReader(string(text)), &objects, &bytes)
	require.NoError(t, err)
	return objects, bytes
}

// A host keeps the last commands in memory and nothing of those before: once their number is
// reached, more commands cost no memory.
func TestManyCommandsCostNoMemory(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	const more = 200
	many := func(n int) {
		for i := range n {
			exec(t, c, fmt.Sprintf(`echo %d; printf '%%s\n' {1..50}`, i))
		}
	}
	many(console.MaxCommands + 50)
	// Memory that commands leave allocated grows in each round; buffers and goroutines in use at one moment do not.
	objects, bytes := heapOf(t, c)
	var grown []string
	for range 4 {
		many(more)
		objectsThen, bytesThen := heapOf(t, c)
		grown = append(grown, fmt.Sprintf("%d objects, %d bytes; then %d and %d", objects, bytes, objectsThen, bytesThen))
		if objectsThen-objects < more/2 && bytesThen-bytes < 64<<10 {
			return
		}
		objects, bytes = objectsThen, bytesThen
	}
	assert.Fail(t, "each round of commands costs memory", strings.Join(grown, "\n"))
}
