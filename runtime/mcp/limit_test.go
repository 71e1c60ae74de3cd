package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console"
)

// overHTTP begins a client's session over HTTP and returns a function that sends its requests.
func overHTTP(t *testing.T, s *Server) (send func(method, body string) *httptest.ResponseRecorder) {
	handler, session := s.Handler("secret"), ""
	send = func(method, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1/", strings.NewReader(body))
		for name, value := range map[string]string{"Authorization": "Bearer secret", "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	hello := send(http.MethodPost, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	require.Equal(t, http.StatusOK, hello.Code, hello.Body)
	session = hello.Header().Get("Mcp-Session-Id")
	send(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`)
	return send
}

// Calls for one console are carried out in the order in which they arrive over HTTP, in a batch or in
// requests of their own, also if there are more than can run at once.
func TestCallsOverHTTPHaveAnOrder(t *testing.T) {
	const batches, each = 2, maxCalls + 100
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Getenv: os.Getenv})
		release := make(chan struct{})
		var mu sync.Mutex
		var order []string
		sdk.AddTool(s.sdk, &sdk.Tool{Name: "console_exec"}, func(ctx context.Context, r *sdk.CallToolRequest, in struct {
			Code string `json:"code"`
		},
		) (*sdk.CallToolResult, any, error) {
			ctx, err := s.turns.await(ctx, r)
			if err != nil {
				return nil, nil, err
			}
			<-release
			mu.Lock()
			order = append(order, in.Code)
			mu.Unlock()
			if host := httptrace.ContextClientTrace(ctx); host != nil {
				host.GotFirstResponseByte()
			}
			return &sdk.CallToolResult{}, nil, nil
		})
		send := overHTTP(t, s)
		call := func(n int) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"console_exec","arguments":{"code":"%[1]d"}}}`, n)
		}
		var want []string
		var all sync.WaitGroup
		for b := range batches {
			var list []string
			for n := range each {
				list = append(list, call(b*each+n))
				want = append(want, strconv.Itoa(b*each+n))
			}
			all.Go(func() {
				assert.Equal(t, http.StatusOK, send(http.MethodPost, "["+strings.Join(list, ",")+"]").Code)
			})
			synctest.Wait() // it has arrived
		}
		close(release)
		all.Wait()
		assert.Equal(t, want, order)
		send(http.MethodPost, call(batches*each))
		assert.Equal(t, strconv.Itoa(batches*each), order[len(order)-1])
		send(http.MethodDelete, "")
	})
}

// A call that fails before a console's host has it does not block the later calls of its batch.
func TestAFailedCallOverHTTPEndsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		send := overHTTP(t, New(Options{Getenv: os.Getenv}))
		const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"console_exec","arguments":{"code":5}}}`
		w := send(http.MethodPost, "["+fmt.Sprintf(call, 1)+","+fmt.Sprintf(call, 2)+"]")
		assert.Equal(t, http.StatusOK, w.Code)
		assert.Contains(t, w.Body.String(), `"id":1`)
		assert.Contains(t, w.Body.String(), `"id":2`)
		send(http.MethodDelete, "")
	})
}

// Over HTTP, too, a limited number of calls is in flight, whether they come in one batch or in several
// requests, and a batch has a limited length and uses an ID once.
func TestCallsOverHTTP(t *testing.T) {
	calls := func(from, n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"block","arguments":{}}}`, from+i)
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	for _, tt := range []struct {
		name   string
		bodies []string // sent at the same time
		atOnce int32    // calls that run at the same time
		code   int      // of HTTP
		want   string   // in each answer
	}{
		{"a batch", []string{calls(0, 2*maxCalls)}, maxCalls, http.StatusOK, fmt.Sprintf(`"id":%d,"result"`, 2*maxCalls-1)},
		{"two batches", []string{calls(0, maxCalls), calls(maxCalls, maxCalls)}, maxCalls, http.StatusOK, `"result"`},
		{"a long batch", []string{calls(0, maxBatch+1)}, 0, http.StatusBadRequest, `"error":{"code":-32600,"message":"the batch has 1025 messages, but at most 1024 are accepted: send several batches"}`},
		{"a long batch before something else", []string{calls(0, maxBatch+1) + "x"}, 0, http.StatusBadRequest, `"error":{"code":-32700,`},
		{"an ID twice", []string{"[" + strings.Trim(calls(0, 2), "[]") + "," + strings.Trim(calls(1, 1), "[]") + "]"}, 0, http.StatusBadRequest, `"error":{"code":-32600,"message":"two calls of the batch have the id 1"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(Options{Getenv: os.Getenv})
				var running atomic.Int32
				release := make(chan struct{})
				sdk.AddTool(s.sdk, &sdk.Tool{Name: "block"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
					running.Add(1)
					<-release
					return &sdk.CallToolResult{}, nil, nil
				})
				send := overHTTP(t, s)
				answers := make(chan *httptest.ResponseRecorder)
				for _, body := range tt.bodies {
					go func() { answers <- send(http.MethodPost, body) }()
				}
				synctest.Wait()
				assert.Equal(t, tt.atOnce, running.Load())
				close(release)
				for range tt.bodies {
					w := <-answers
					assert.Equal(t, tt.code, w.Code)
					assert.True(t, strings.Contains(w.Body.String(), tt.want), "%.200s", w.Body)
				}
				send(http.MethodDelete, "")
			})
		})
	}
}

// Nothing is kept of a client over HTTP that ended its session, or sent no request for a day.
func TestSessionsOverHTTPEnd(t *testing.T) {
	for name, end := range map[string]func(send func(method, body string) *httptest.ResponseRecorder){
		"it ends its session": func(send func(method, body string) *httptest.ResponseRecorder) {
			assert.Equal(t, http.StatusNoContent, send(http.MethodDelete, "").Code)
		},
		"it is gone": func(func(method, body string) *httptest.ResponseRecorder) { time.Sleep(sessionTimeout + time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(Options{Getenv: os.Getenv})
				sdk.AddTool(s.sdk, &sdk.Tool{Name: "console_exec"}, func(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
					s.told.note(placeOf(r, "main"), &console.Command{ID: 1}, console.Idle)
					return &sdk.CallToolResult{}, nil, nil
				})
				send := overHTTP(t, s)
				call := func() int {
					return send(http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"console_exec","arguments":{}}}`).Code
				}
				known := func() int {
					s.told.mu.Lock()
					defer s.told.mu.Unlock()
					return len(s.told.of)
				}
				require.Equal(t, http.StatusOK, call())
				require.Equal(t, 1, known())
				end(send)
				synctest.Wait()
				assert.Zero(t, known())
				assert.Equal(t, http.StatusNotFound, call())
			})
		})
	}
}
