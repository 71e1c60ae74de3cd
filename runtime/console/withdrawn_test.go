package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// typedProgram is at its prompt until a user types there, and then refuses the command that was submitted before.
type typedProgram struct {
	program
	typing chan struct{} // closed when the user types
}

func (p *typedProgram) State() session.State {
	return session.State{Phase: session.PhaseReady, Typing: isClosed(p.typing)}
}

func (p *typedProgram) WaitState(ctx context.Context, _ func(session.State) bool) (session.State, error) {
	<-ctx.Done()
	return session.State{}, ctx.Err()
}

func (p *typedProgram) Submit(context.Context, string) (func(context.Context) (session.Result, error), error) {
	<-p.typing
	return nil, session.ErrTyping
}

func (p *typedProgram) Send(context.Context, []byte) error {
	return errors.New("no command is running")
}

func (p *typedProgram) Interrupt(context.Context) (session.Result, error) {
	return session.Result{}, nil
}

func newTyped() (handlers, *typedProgram) {
	p := &typedProgram{typing: make(chan struct{})}
	h := &host{adapter: &schema.Adapter{}, record: &record{}, session: p, opened: make(chan struct{})}
	close(h.opened)
	return handlers{host: h}, p
}

// A user may be faster than a client whose command already has its number. It is not run then, and no client waits for it
// any longer.
func TestNobodyWaitsForACommandThatIsNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := newTyped()
		calls := []struct {
			path       string
			body       any
			code, says string
		}{
			{path: "/v1/exec", body: ExecRequest{Code: "true"}, code: FaultTyping, says: "a user is typing"},
			{path: "/v1/exec", body: ExecRequest{Code: "true", Queue: true}, code: FaultTyping, says: "a user is typing"},
			{path: "/v1/wait", body: WaitRequest{}, code: FaultTyping, says: "the command was not run: a user is typing"},
			{path: "/v1/wait", body: WaitRequest{Command: 1, From: -1, KeepWaiting: true}, code: FaultTyping, says: "the command was not run: a user is typing"},
			{path: "/v1/send", body: SendRequest{Text: "x", Wait: time.Hour}, code: FaultNotWaiting, says: "no command is running"},
			{path: "/v1/interrupt", body: struct{}{}, code: FaultUnknown, says: "has run no command"},
		}
		var answered atomic.Int32
		answers := make([]*httptest.ResponseRecorder, len(calls))
		for i, c := range calls {
			go func() {
				answers[i] = h.post(t.Context(), c.path, c.body)
				answered.Add(1)
			}()
			synctest.Wait() // the first one is admitted before the others
		}
		assert.Zero(t, answered.Load())
		close(p.typing)
		synctest.Wait()
		if assert.EqualValues(t, len(calls), answered.Load()) {
			for i, c := range calls {
				assert.Contains(t, answers[i].Body.String(), `"code":"`+c.code+`"`, "%s", c.path)
				assert.Contains(t, answers[i].Body.String(), c.says, "%s", c.path)
				assert.NotContains(t, answers[i].Body.String(), `"command"`, "%s", c.path)
			}
		}
		assert.Zero(t, h.visitors.clients)
	})
}

// The wait of an interrupt for the end of the command is bounded, too.
func TestTheWaitAfterAnInterruptIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := newTyped()
		close(h.add("true", "", 0).sent)
		w := h.post(t.Context(), "/v1/interrupt", struct{}{})
		assert.Equal(t, http.StatusOK, w.Code, w.Body)
		assert.Contains(t, w.Body.String(), `"why":"time"`)
	})
}

func (h handlers) post(ctx context.Context, path string, q any) *httptest.ResponseRecorder {
	body, _ := json.Marshal(q) // cannot fail
	w := httptest.NewRecorder()
	h.handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, path, bytes.NewReader(body)))
	return w
}
