package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
				handler := s.Handler("secret")
				session := ""
				send := func(method, body string) *httptest.ResponseRecorder {
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
