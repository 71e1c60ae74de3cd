package notice

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// feed serves an answer and counts who asks.
func feed(t *testing.T, status int, body string) (address string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// of is a notice on a terminal, at noon of the first of a month.
func of(t *testing.T, address string) *Notice {
	t.Helper()
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	return &Notice{
		Feed: address, Version: "v1.2.0", Terminal: true, Dir: filepath.Join(t.TempDir(), "cache"),
		Getenv: func(string) string { return "" }, Now: func() time.Time { return now }, After: time.Hour,
	}
}

const newer = `{"tag_name":"v1.10.0","name":"what else there is"}`

// Whatever the answer is, one that names no newer release is silent.
func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		body   string
		told   string
	}{
		{"newer", 200, newer, "there is a newer ripple, v1.10.0; this is v1.2.0 (RIPPLE_NO_UPDATE_NOTICE=1 switches this off)"},
		{"the same", 200, `{"tag_name":"v1.2.0"}`, ""},
		{"older", 200, `{"tag_name":"v1.1.9"}`, ""},
		{"not released yet", 200, `{"tag_name":"v2.0.0-rc.1"}`, ""},
		{"no version", 200, `{"tag_name":"\u001b[2Jlatest"}`, ""},
		{"no object", 200, `<html>`, ""},
		{"nothing", 200, ``, ""},
		{"refused", 403, newer, ""},
		{"broken", 500, newer, ""},
		{"endless", 200, `{"tag_name":"` + strings.Repeat("v", 2*maxBody) + `"}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			address, asked := feed(t, test.status, test.body)
			n := of(t, address)
			_ = n.ask(context.Background())
			assert.EqualValues(t, 1, asked.Load())
			assert.Equal(t, test.told, n.Begin()())
		})
	}
}

// It is asked and told once a day, and again the next.
func TestOnceADay(t *testing.T) {
	address, asked := feed(t, 200, newer)
	n := of(t, address)
	now := n.Now()
	n.Now = func() time.Time { return now }
	for _, step := range []struct {
		on    time.Duration
		asked int32
		told  bool
	}{{0, 1, true}, {time.Hour, 1, false}, {22 * time.Hour, 1, false}, {2 * time.Hour, 2, true}, {-40 * 24 * time.Hour, 3, true}} {
		now = now.Add(step.on)
		_ = n.ask(context.Background())
		assert.Equal(t, step.asked, asked.Load(), "after %s", step.on)
		assert.Equal(t, step.told, n.Begin()() != "", "after %s", step.on)
	}
}

// A check that fails is not repeated on the same day.
func TestFailureCounts(t *testing.T) {
	address, asked := feed(t, 500, "")
	n := of(t, address)
	for range 3 {
		_ = n.ask(context.Background())
	}
	assert.EqualValues(t, 1, asked.Load())
}

// Where it is off, nobody is asked and no file is made.
func TestNoRequestWhenTheNoticeIsOff(t *testing.T) {
	address, asked := feed(t, 200, newer)
	set := func(name string) func(*Notice) {
		return func(n *Notice) {
			n.Getenv = func(asked string) string { return map[string]string{name: "1"}[asked] }
		}
	}
	for name, change := range map[string]func(*Notice){
		"no terminal":       func(n *Notice) { n.Terminal = false },
		"CI":                set("CI"),
		"the variable":      set(off),
		"no address":        func(n *Notice) { n.Feed = "" },
		"no release":        func(n *Notice) { n.Version = "v0.0.0-20260101000000-0123456789ab" },
		"built from source": func(n *Notice) { n.Version = "(devel)" },
		"no home":           func(n *Notice) { n.Dir = "" },
	} {
		t.Run(name, func(t *testing.T) {
			n := of(t, address)
			dir := n.Dir
			n.After = 0
			change(n)
			assert.Empty(t, n.Begin()())
			assert.NoDirExists(t, dir)
		})
	}
	assert.Zero(t, asked.Load())
}

// A command that is over waits for no answer, and a short one does not even ask.
func TestNobodyWaits(t *testing.T) {
	asked := make(chan struct{})
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		close(asked)
		<-q.Context().Done() // it never answers
		close(over)
	}))
	defer s.Close()
	n := of(t, s.URL)
	assert.Empty(t, n.Begin()())
	assert.NoDirExists(t, n.Dir, "a short command")
	n.After = 0
	end := n.Begin()
	<-asked
	assert.Empty(t, end())
	<-over // the connection is given up
}

// A notice that cannot be recorded is not shown, because it would be shown every time.
func TestDirectoryOfOthers(t *testing.T) {
	address, asked := feed(t, 200, newer)
	n := of(t, address)
	require.NoError(t, os.WriteFile(n.Dir, nil, 0o600))
	_ = n.ask(context.Background())
	assert.Zero(t, asked.Load())
	assert.Empty(t, n.Begin()())
	n = of(t, address)
	require.NoError(t, os.MkdirAll(n.Dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(n.Dir, updateFile), []byte("{broken"), 0o600))
	_ = n.ask(context.Background())
	assert.NotEmpty(t, n.Begin()(), "a broken file is replaced")
}
