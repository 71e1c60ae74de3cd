//go:build unix

package console

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/runtime/console/place"
)

// recordedData is the data sent by one side of the first version's attachment, as recorded on the wire. The
// file is never changed, for the same reason as the exchanges.
type recordedData struct {
	byClient bool
	bytes    string
}

func firstAttachment(t *testing.T) (all []recordedData) {
	text, err := os.ReadFile("testdata/v1/attach.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		b, err := strconv.Unquote(strings.TrimSpace(line[2:]))
		require.NoError(t, err, line)
		all = append(all, recordedData{line[0] == '>', b})
	}
	return all
}

// playFirstHost plays the first version's host for an attaching client: it sends the host's data and
// waits for the client's data in between.
func playFirstHost(t *testing.T, l net.Listener) {
	conn, err := l.Accept()
	if !assert.NoError(t, err) {
		return
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for i, s := range firstAttachment(t) {
		switch {
		case i == 0: // later clients may send more
			then, err := http.ReadRequest(bufio.NewReader(strings.NewReader(s.bytes)))
			assert.NoError(t, err)
			now, err := http.ReadRequest(in)
			if !assert.NoError(t, err) {
				return
			}
			assert.Equal(t, []string{then.Method, then.URL.Path, then.Header.Get("Connection"), then.Header.Get("Upgrade")},
				[]string{now.Method, now.URL.Path, now.Header.Get("Connection"), now.Header.Get("Upgrade")})
			for key := range then.URL.Query() {
				assert.Equal(t, then.URL.Query().Get(key), now.URL.Query().Get(key), key)
			}
		case s.byClient:
			b := make([]byte, len(s.bytes))
			_, err := io.ReadFull(in, b)
			if !assert.NoError(t, err) || !assert.Equal(t, s.bytes, string(b)) {
				return
			}
		default:
			_, err := io.WriteString(conn, s.bytes)
			assert.NoError(t, err)
		}
	}
}

// A client of this version attaches to a host of the first version.
func TestAttachToAFirstVersionHost(t *testing.T) {
	dir, err := os.MkdirTemp("", "console") // a short path, because it holds a socket
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	f := place.Files{Socket: filepath.Join(dir, "main.sock"), Lock: filepath.Join(dir, "main.lock"), Record: filepath.Join(dir, "main")}
	l, err := net.Listen("unix", f.Socket)
	require.NoError(t, err)
	played := make(chan struct{})
	go func() {
		defer close(played)
		playFirstHost(t, l)
	}()
	t.Cleanup(func() { _ = l.Close(); <-played })

	a, err := newClient(Status{Name: "main"}, f).Attach(t.Context(), AttachRequest{Cols: 100, Rows: 30})
	require.NoError(t, err)
	defer a.Close()
	next := func() Happening {
		h, err := a.Next()
		require.NoError(t, err)
		return h
	}
	assert.Equal(t, "\x1b[2J\x1b[H/usr$ ", string(next().Output))
	require.NoError(t, a.Type([]byte("echo hi\r")))
	assert.Equal(t, "echo hi\r\nhi\r\n/usr$ ", string(next().Output))
	require.NoError(t, a.Resize(80, 24))
	assert.Equal(t, &Notice{Title: "a title", Held: 3, For: "command 1 of exec"}, next().Notice)
	assert.Equal(t, &Notice{Title: "a title"}, next().Notice)
	require.NoError(t, a.Type([]byte("exit 3\r")))
	end := next().End
	require.NotNil(t, end)
	assert.Equal(t, []any{"exited", "the program ended with exit code 3", 3}, []any{end.Why, end.Status.Exit, *end.Status.ExitCode})
}

// FirstClientAttaches sends the first version's client data to a host, waits for its answers, and
// reports where they lack data that the first version's host sent.
func FirstClientAttaches(t *testing.T, conn io.ReadWriter) {
	f := frames{Reader: conn, w: conn}
	var shown bytes.Buffer
	until := func(pattern string) {
		for wanted := regexp.MustCompile(pattern); !wanted.Match(shown.Bytes()); {
			kind, body, err := f.read()
			require.NoError(t, err, "waiting for %s, there is %q", pattern, &shown)
			if kind == frameOutput {
				shown.Write(body)
			}
		}
	}
	all := firstAttachment(t)
	for i, s := range all {
		switch {
		case s.byClient:
			_, err := io.WriteString(conn, s.bytes)
			require.NoError(t, err)
		case i == 1:
			b := make([]byte, len(s.bytes))
			_, err := io.ReadFull(conn, b)
			require.NoError(t, err)
			require.Equal(t, s.bytes, string(b))
		case s.bytes[0] == frameOutput && strings.Contains(s.bytes, "\nhi\r"):
			until(`[\nH\x07]hi[\r ]`) // a line, as printed or as repainted
		case s.bytes[0] == frameOutput:
			until("/usr")
		case s.bytes[0] == frameEnd:
			for {
				kind, body, err := f.read()
				require.NoError(t, err)
				if kind != frameEnd {
					continue
				}
				var was, is any
				require.NoError(t, json.Unmarshal([]byte(s.bytes[5:]), &was))
				require.NoError(t, json.Unmarshal(body, &is))
				RequireWithin(t, "the end", was, is)
				return
			}
		}
	}
}
