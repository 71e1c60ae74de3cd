//go:build unix

package console_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/internal/testkit"
	"example.com/ripple/runtime/console"
)

// A host of this version understands the requests of the first version's clients, and its answers
// contain everything that the first version's did.
func TestAFirstVersionClient(t *testing.T) {
	place(t)
	start(t, console.Spec{Name: "main", Dir: "/usr"})
	socket := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "ripple", "main.sock")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", socket)
	}}}
	for _, e := range console.FirstExchanges(t) {
		r, err := http.NewRequest(e.Method, "http://console"+e.Path, strings.NewReader(e.Request))
		require.NoError(t, err)
		resp, err := client.Do(r)
		require.NoError(t, err, e.Name)
		assert.Equal(t, e.Status, resp.StatusCode, e.Name)
		then, now := json.NewDecoder(strings.NewReader(e.Answer)), json.NewDecoder(resp.Body)
		for then.More() {
			var was, is any
			require.NoError(t, then.Decode(&was))
			require.NoError(t, now.Decode(&is), e.Name)
			console.RequireWithin(t, e.Name, was, is)
		}
		require.NoError(t, resp.Body.Close())
	}
}

// A host of this version lets a client of the first version attach.
func TestAFirstVersionClientAttaches(t *testing.T) {
	place(t)
	start(t, console.Spec{Name: "main", Dir: "/usr"})
	conn, err := net.Dial("unix", filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "ripple", "main.sock"))
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(testkit.Patience(time.Minute))))
	console.FirstClientAttaches(t, conn)
}
