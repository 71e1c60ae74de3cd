//go:build linux

package consoles

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// dial connects to a console's socket.
func (p *place) dial(name string) net.Conn {
	p.Helper()
	c, err := net.Dial("unix", p.path("run/ripple/"+name+".sock"))
	require.NoError(p, err)
	require.NoError(p, c.SetDeadline(time.Now().Add(timeout)))
	p.Cleanup(func() { _ = c.Close() }) // most are closed by then
	return c
}

// raw sends bytes and returns the status code and the body of the answer.
func (p *place) raw(name, request string) (int, string) {
	p.Helper()
	c := p.dial(name)
	go func() { _, _ = io.WriteString(c, request) }() // it may be refused before its end
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(p, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(p, err)
	return resp.StatusCode, string(body)
}

func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: console\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// Requests that no ripple client sends are refused with a message, and the console continues.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	for _, tt := range []struct {
		name, request string
		status        int
		want          string
	}{
		{"no JSON", post("/v1/exec", "echo hi"), 400, "the request cannot be read"},
		{"half of it", post("/v1/exec", `{"code":"echo`), 400, "the request cannot be read"},
		{"another type", post("/v1/exec", `{"code":5}`), 400, "the request cannot be read"},
		{"deep", post("/v1/exec", strings.Repeat("[", 100_000)), 400, "the request cannot be read"},
		{"huge", post("/v1/exec", `{"code":"`+strings.Repeat("x", 17<<20)+`"}`), 400, "too large"},
		{"an unknown command", post("/v1/wait", `{"command":-7}`), 409, "has run no command yet"},
		{"another wait", post("/v1/wait", `{"for":"ever"}`), 400, "use done, input, text or idle"},
		{"an unknown key", post("/v1/send", `{"keys":["any"]}`), 400, "unknown key"},
		{"too small", post("/v1/resize", `{"cols":2,"rows":1}`), 400, "the minimum is 20 by 5"},
		{"too large", post("/v1/resize", `{"cols":1000000,"rows":1000000}`), 400, "the maximum 1000 by 1000"},
		{"input without a command", post("/v1/send", `{"text":"rm -rf /\n"}`), 409, "no command is running that could read it"},
		{"an interrupt without a command", post("/v1/interrupt", `{}`), 409, "has run no command yet"},
		{"another path", post("/v2/exec", `{}`), 404, ""},
		{"another method", "DELETE /v1 HTTP/1.1\r\nHost: console\r\nConnection: close\r\n\r\n", 405, ""},
		{"no HTTP", "\x00\x01\x02\r\n\r\n", 400, ""},
		{"a header without an end", "GET /v1 HTTP/1.1\r\nHost: console\r\nX: " + strings.Repeat("x", 2<<20) + "\r\n\r\n", 431, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := *p
			q.T = t
			status, body := q.raw("main", tt.request)
			assert.Equal(t, tt.status, status, body)
			assert.Contains(t, body, tt.want)
		})
	}
	assert.Equal(t, "still here\n", p.exec("main", "echo still here").out)
}

// Clients that start a request and disconnect, that connect and send nothing, and that stop reading
// in the middle of long output, do not delay others.
func TestClientsThatLinger(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	request := post("/v1/exec", `{"code":"echo half"}`)
	for cut := range len(request) - 1 {
		c := p.dial("main")
		_, err := io.WriteString(c, request[:cut])
		require.NoError(t, err)
		require.NoError(t, c.Close())
	}
	assert.Equal(t, "whole\n", p.exec("main", "echo whole").out)
	assert.Equal(t, 1, p.status("main").Command.ID, "half a request runs nothing")

	stuck := p.dial("main")
	lines := testkit.Times(t, 700_000, 2_000_000) // 5 MB, 15 MB
	from := fmt.Sprint(6 * lines)                 // bytes: near the end
	last := fmt.Sprint(lines, "\nend\n")
	_, err := io.WriteString(stuck, post("/v1/exec", fmt.Sprintf(`{"code":"seq 1 %d; echo end"}`, lines))) // and reads nothing
	require.NoError(t, err)
	r := p.run("", "console", "wait", "main", "--from", from)
	for strings.Contains(r.err, "has run no command yet") || p.status("main").Command.ID < 2 { // the request has not arrived yet
		r = p.run("", "console", "wait", "main", "--from", from)
	}
	assert.True(t, strings.HasSuffix(p.run("", "console", "wait", "main", "--from", from).out, last), r.err)
	assert.Equal(t, "next\n", p.exec("main", "echo next").out)

	silent := make([]net.Conn, 1500) // more than are served at a time
	for i := range silent {
		silent[i], err = net.Dial("unix", p.path("run/ripple/main.sock"))
		require.NoError(t, err)
	}
	assert.Less(t, memory(t, p.status0("main").Host), 100<<20)
	for _, c := range silent {
		require.NoError(t, c.Close())
	}
	p.eventually(func() bool { return p.exec("main", "echo after").out == "after\n" }, func() string { return p.exec("main", "echo after").err })
	p.ok("console", "close", "main") // with one client that does not read
	p.requireNothingLeft()
}

// status0 returns the status of a console from its record, without its host.
func (p *place) status0(name string) (s status) {
	p.Helper()
	b, err := os.ReadFile(p.path("home/.local/state/ripple/consoles/" + name + "/console.json"))
	require.NoError(p, err)
	require.NoError(p, json.Unmarshal(b, &s))
	return s
}

// The status sent by a host cannot control the user's terminal.
func TestAHostThatLies(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	require.NoError(t, os.Mkdir(p.path("run/ripple"), 0o700))
	dir := p.path("home/.local/state/ripple/consoles/liar")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	const evil = `\u001b]0;pwned\u0007\u001b[2J`
	answer := fmt.Sprintf(`{"api":1,"name":"liar","adapter":"%[1]s","state":"%[1]s","cwd":"%[1]s","title":"%[1]s","exit":"%[1]s","notice":"%[1]s","version":"%[1]s","mode":"%[1]s",`+
		`"host_pid":-1,"pid":1,"started":"2026-01-01T00:00:00Z","age_ns":-5,"command":{"id":1,"code":"%[1]s","by":"%[1]s","started":"2026-01-01T00:00:00Z","bytes":9223372036854775807,"from":-1,"exit_code":null}}`, evil)
	require.NoError(t, os.WriteFile(dir+"/console.json", []byte(answer), 0o600))
	l, err := net.Listen("unix", p.path("run/ripple/liar.sock"))
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v1":
			fmt.Fprint(w, answer)
		case r.URL.Path == "/v1/screen":
			fmt.Fprintf(w, `{"status":%s,"text":"%s"}`, answer, evil)
		case r.URL.Path == "/v1/exec":
			w.WriteHeader(http.StatusConflict)
			fmt.Fprintf(w, `{"error":{"code":"busy","message":"%s","status":%s}}`, evil, answer)
		default:
			fmt.Fprintf(w, `{"done":{"why":"exited","status":%s}}`+"\n", answer)
		}
	})}
	go func() { _ = server.Serve(l) }()
	s := p.server()
	for _, command := range [][]string{{"console", "list"}, {"console", "exec", "liar", "true"}, {"console", "wait", "liar"}, {"console", "read", "liar"}, {"console", "peek", "liar"}} {
		r := p.run("", command...)
		assert.NotContains(t, r.out+r.err, "\x1b", "%q", command)
	}
	for tool, a := range map[string]args{
		"console_list": {}, "console_exec": {"console": "liar", "code": "true"}, "console_wait": {"console": "liar", "wait_s": 1}, "console_peek": {"console": "liar"}, "console_read": {"console": "liar"},
	} {
		text, err := s.try(tool, a)
		assert.NoError(t, err)
		assert.NotContains(t, text, "\x1b", tool)
	}
	require.NoError(t, server.Shutdown(context.Background()))
	require.NoError(t, os.RemoveAll(dir))
}
