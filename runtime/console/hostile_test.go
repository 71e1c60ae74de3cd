//go:build unix

package console

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console/place"
	"example.org/ripple/schema"
)

// clientOf returns a client whose host answers every request with the given bytes and closes the
// connection.
func clientOf(dir string, answer []byte) *Client {
	c := newClient(Status{Name: "c"}, place.Files{Socket: filepath.Join(dir, "c.sock"), Lock: filepath.Join(dir, "c.lock"), Record: filepath.Join(dir, "c")})
	c.http.Transport = &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			r, err := http.ReadRequest(bufio.NewReader(theirs))
			if err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = theirs.Write(answer) // the client may have closed the connection
			}
			_ = theirs.Close()
		}()
		return ours, nil
	}}
	return c
}

// callAll calls every method of a client; each may return an error or an answer.
func callAll(t testing.TB, c *Client) {
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(30*time.Second))
	defer cancel()
	_, _ = c.Status(ctx)
	_, _ = c.Exec(ctx, ExecRequest{Code: "true"}, io.Discard)
	_, _ = c.Wait(ctx, WaitRequest{}, io.Discard)
	_, _ = c.Send(ctx, SendRequest{Text: "x"})
	_, _ = c.Interrupt(ctx)
	_, _, _ = c.Screen(ctx)
	_, _ = c.Read(ReadRequest{})
	require.NoError(t, ctx.Err(), "it took too long")
}

func response(status, body string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

// A client handles any answer of a host.
func TestBrokenHosts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer []byte
		want   string // substring of the error of Status
	}{
		{"nothing", nil, "has ended"},
		{"no HTTP", []byte("SSH-2.0-OpenSSH_9.2\r\n"), "has ended"},
		{"half a header", []byte("HTTP/1.1 200 OK\r\nContent-Le"), "has ended"},
		{"half an answer", []byte("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"api\":1"), "the answer cannot be read"},
		{"no JSON", response("200 OK", "<html>"), "the answer cannot be read"},
		{"another type", response("200 OK", `{"name":[1,2],"host_pid":"x"}`), "the answer cannot be read"},
		{"a redirect", []byte("HTTP/1.1 302 Found\r\nLocation: http://example.com/\r\nContent-Length: 0\r\n\r\n"), "does not support this request (302 Found)"},
		{"an error without a message", response("500 Internal Server Error", ""), "does not support this request (500 Internal Server Error)"},
		{"an error of another kind", response("409 Conflict", `{"error":{"code":"of the future","message":"no"}}`), "no"},
		{"an unknown path", response("404 Not Found", "404 page not found\n"), "another version of ripple, which does not support this request"},
		{"deep", response("200 OK", strings.Repeat(`{"command":`, 20_000)), "the answer cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := clientOf(t.TempDir(), tt.answer)
			_, err := c.Status(t.Context())
			require.ErrorContains(t, err, tt.want)
			callAll(t, c)
		})
	}
}

// endless is a host whose answer never ends.
type endless struct{ unit string }

func (e endless) RoundTrip(r *http.Request) (*http.Response, error) {
	many := strings.Repeat(e.unit, 64<<10/len(e.unit)) // copied at once
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(&repeated{ctx: r.Context(), unit: many})}, nil
}

type repeated struct {
	ctx  context.Context
	unit string
	at   int
}

func (r *repeated) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n := 0
	for n < len(b) {
		m := copy(b[n:], r.unit[r.at:])
		n, r.at = n+m, (r.at+m)%len(r.unit)
	}
	return n, nil
}

func TestAnEndlessAnswerIsCut(t *testing.T) {
	c := clientOf(t.TempDir(), nil)
	c.http.Transport = endless{`"xxxxxxxx`}
	_, err := c.Status(t.Context())
	require.Error(t, err)
	for _, unit := range testkit.FewerOf(t, 1, []string{" ", "x"}) {
		c.http.Transport = endless{unit}
		_, err = c.Exec(t.Context(), ExecRequest{}, io.Discard)
		require.Error(t, err)
	}
	c.http.Transport = endless{"{}\n"} // kinds of lines that a later host may send
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = c.Exec(ctx, ExecRequest{}, io.Discard)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func FuzzHostsAnswers(f *testing.F) {
	done := `{"output":"a"}` + "\n" + `{"raw":"/w=="}` + "\n" + `{"done":{"why":"done","status":{"name":"c"},"command":{"id":1,"from":-5,"bytes":9223372036854775807}}}`
	for _, seed := range []string{`{"api":1,"name":"c","command":{"id":1,"bytes":-1}}`, done, `{"error":{"code":"busy"}}`, `{"text":"x"}`} {
		f.Add(response("200 OK", seed))
		f.Add(response("409 Conflict", seed))
	}
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}\n{}\r\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, answer []byte) { callAll(t, clientOf(dir, answer)) })
}

// exitedHost is a host whose program has ended.
func exitedHost(t testing.TB) *host {
	rec := newRecord(t, filepath.Join(privateDir(t), "r"))
	h := newHost(&place.Pending{Order: place.Order{Spec: Spec{Name: "c"}}, Adapter: &schema.Adapter{}, Claim: &place.Claim{}}, "test", rec, slog.New(slog.DiscardHandler))
	h.outcome.exit = "the program ended"
	close(h.opened)
	t.Cleanup(rec.remove)
	return h
}

// A host answers every request, with JSON if it knows the path, and never with an internal error.
func FuzzRequests(f *testing.F) {
	for _, path := range []string{"/v1/exec", "/v1/wait", "/v1/send", "/v1/resize", "/v1/interrupt", "/v1/close", "/v1/screen", "/v1"} {
		f.Add("POST", path, []byte(`{"code":"true","for":"text","keys":["C-c"],"cols":80,"rows":24,"wait_ns":1}`))
		f.Add("GET", path, []byte(`{}`))
	}
	f.Add("POST", "/v1/exec", []byte(`{"code":"\u0000`))
	f.Add("PUT", "/v1/../../etc", []byte(`null`))
	h := exitedHost(f)
	handler := handlers{h}.handler()
	f.Fuzz(func(t *testing.T, method, path string, body []byte) {
		r, err := http.NewRequest(method, "http://console/"+strings.TrimPrefix(path, "/"), bytes.NewReader(body))
		if err != nil {
			return // a client cannot send it
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Less(t, w.Code, 500)
		if strings.HasPrefix(w.Header().Get("Content-Type"), "application/") {
			for answer := json.NewDecoder(w.Body); answer.More(); {
				var any map[string]json.RawMessage
				require.NoError(t, answer.Decode(&any))
			}
		}
	})
}

// Records with arbitrary contents are read as far as possible.
func FuzzRecords(f *testing.F) {
	good, err := json.Marshal(Command{ID: 2, Code: "seq 3", Bytes: 6, Lines: 3})
	require.NoError(f, err)
	f.Add([]byte(`{"name":"c","host_pid":1}`), append(good, '\n'), []byte("1\n2\n3\n"), "output-00000000000000000000")
	f.Add([]byte(`{"name":"../c"}`), []byte(`{"id":1,"from":-9223372036854775808,"bytes":9223372036854775807}`+"\n{"), []byte("x"), "output--0000000000000000001")
	f.Add([]byte(`{"name":"c","socket":"/proc/x.sock"}`), []byte("null\n"), []byte{}, "output-99999999999999999999")
	home := memoryDir(f)
	dir := filepath.Join(home, "state/ripple/consoles/c")
	f.Fuzz(func(t *testing.T, status, index, text []byte, segment string) {
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.MkdirAll(dir, 0o700))
		for name, content := range map[string][]byte{statusName: status, indexName: index, filepath.Base("/" + segment): text} {
			_ = os.WriteFile(filepath.Join(dir, name), content, 0o600) // some names are invalid
		}
		getenv := func(name string) string {
			return map[string]string{"XDG_RUNTIME_DIR": home, "XDG_STATE_HOME": filepath.Join(home, "state")}[name]
		}
		_, err := List(t.Context(), getenv)
		require.NoError(t, err)
		c := newClient(Status{Name: "c"}, place.Files{Socket: filepath.Join(home, "c.sock"), Lock: filepath.Join(home, "c.lock"), Record: dir})
		for _, id := range []int{0, 1, 2} {
			lines, err := c.Read(ReadRequest{Command: id, From: -2})
			if err == nil {
				assert.LessOrEqual(t, len(lines.Lines), len(text)+1)
			}
		}
	})
}

// memoryDir returns a private directory in memory if the system has one: on a disk, a renamed file
// has to be synced first.
func memoryDir(f *testing.F) string {
	parent := "/dev/shm"
	if info, err := os.Stat(parent); err != nil || !info.IsDir() {
		parent = f.TempDir()
	}
	dir, err := os.MkdirTemp(parent, "records")
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, os.RemoveAll(dir)) })
	return dir
}

// A record that a project brings with a home directory names no files of the user: a console that is not running has none to remove.
func TestARecordOfAProjectRemovesNoFiles(t *testing.T) {
	home, private := t.TempDir(), filepath.Join(t.TempDir(), "private")
	require.NoError(t, os.Mkdir(private, 0o700))
	runtime := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home, "XDG_RUNTIME_DIR": runtime}[name] }
	names := []string{"Cargo.lock", "Cargo.sock"}
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(private, name), []byte("mine"), 0o600))
	}
	record := filepath.Join(home, ".local", "state", "ripple", "consoles", "c1")
	require.NoError(t, os.MkdirAll(record, 0o700))
	text := fmt.Sprintf(`{"api":1,"name":"c1","adapter":"bash","state":"idle","host_pid":1,"pid":2,"socket":"%s/Cargo.sock"}`, private)
	require.NoError(t, os.WriteFile(filepath.Join(record, "console.json"), []byte(text), 0o600))
	all, err := List(t.Context(), getenv)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, Dead, all[0].State)
	entries, err := os.ReadDir(private)
	require.NoError(t, err)
	require.Len(t, entries, len(names))
	for i, e := range entries {
		assert.Equal(t, names[i], e.Name())
	}
}

// A record that a project brings, with a link in place of the directory of records or in a record that ripple did not make, does not
// make ripple remove any file of the user.
func TestAHostileRecordRemovesNothing(t *testing.T) {
	for _, tt := range []struct {
		name string
		link bool
		mode os.FileMode // of the record
		seen time.Duration
	}{
		{"a link", true, 0o700, -1e15},
		{"a link, long seen", true, 0o700, 1},
		{"a directory for all", false, 0o755, 1}, // seen that long ago only if the machine has run for a day
		{"a negative time", false, 0o700, -1e15},
		{"a private directory", false, 0o700, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home, runtime := t.TempDir(), t.TempDir()
			getenv := func(name string) string { return map[string]string{"HOME": home, "XDG_RUNTIME_DIR": runtime}[name] }
			consoles := filepath.Join(home, ".local", "state", "ripple", "consoles")
			record := filepath.Join(consoles, "c1")
			require.NoError(t, os.MkdirAll(filepath.Dir(consoles), 0o700))
			if tt.link {
				elsewhere := t.TempDir()
				require.NoError(t, os.Symlink(elsewhere, consoles))
				record = filepath.Join(elsewhere, "c1")
			}
			require.NoError(t, os.MkdirAll(filepath.Join(record, "log"), 0o700))
			text := fmt.Sprintf(`{"api":1,"name":"c1","adapter":"bash","state":"dead","seen_dead_ns":%d,"host_pid":1,"pid":2,"socket":"/x/ripple/c1.sock"}`, tt.seen)
			files := []string{"console.json", "mine", "output-notes", "log/mine"}
			for i, name := range files {
				require.NoError(t, os.WriteFile(filepath.Join(record, name), []byte([]string{text, "mine", "mine", "mine"}[i]), 0o600))
			}
			require.NoError(t, os.Chmod(record, tt.mode))
			for range 2 {
				all, err := List(t.Context(), getenv)
				require.NoError(t, err)
				assert.True(t, !tt.link || len(all) == 0, "%v", all)
			}
			kept := func() {
				t.Helper()
				for _, name := range files[1:] {
					assert.FileExists(t, filepath.Join(record, name))
				}
			}
			kept()
			if tt.link {
				return
			}
			_, err := resetDir(record)
			require.Error(t, err)
			require.Error(t, place.Files{Record: record}.Remove())
			kept()
		})
	}
}
