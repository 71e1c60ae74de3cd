package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// slowProgram runs a command from the moment its run is marked as sent.
type slowProgram struct {
	program
	run *run
	got []string
}

func (p *slowProgram) State() session.State {
	return session.State{Phase: session.PhaseRunning, Waiting: session.WaitingInput}
}

func (p *slowProgram) take(what string) error {
	if !isClosed(p.run.sent) {
		return errors.New("no command is running")
	}
	p.got = append(p.got, what)
	return nil
}

func (p *slowProgram) Send(_ context.Context, b []byte) error { return p.take(string(b)) }

func (p *slowProgram) Interrupt(context.Context) (session.Result, error) {
	return session.Result{}, p.take("interrupt")
}

// A command has its number before it is sent to the program. Input and interrupts that arrive in
// between wait until it has been sent.
func TestInputWaitsUntilTheCommandIsSent(t *testing.T) {
	for name, q := range map[string]*SendRequest{
		"text":      {Text: "x"},
		"keys":      {Keys: []string{"C-c"}, OnlyIfWaiting: true},
		"wait":      {Text: "x", Wait: time.Minute},
		"interrupt": nil,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, p := newSlow()
				acted := make(chan struct{})
				go func() {
					defer close(acted)
					if q != nil {
						w := h.send(t.Context(), *q)
						assert.Equal(t, http.StatusOK, w.Code, w.Body)
						return
					}
					w := httptest.NewRecorder()
					h.postInterrupt(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/interrupt", nil))
					assert.Equal(t, http.StatusOK, w.Code, w.Body)
				}()
				synctest.Wait()
				assert.Empty(t, p.got)
				close(p.run.sent)
				<-acted
				assert.Len(t, p.got, 1)
			})
		})
	}
}

// A client that waits for an answer does so until its wait ends, and a moment longer: then nothing is typed, and it gets an answer.
func TestNothingIsTypedAfterTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := newSlow()
		began := time.Now()
		w := h.send(t.Context(), SendRequest{Text: "x", Wait: 5 * time.Second})
		assert.Equal(t, 5*time.Second, time.Since(began))
		assert.Equal(t, http.StatusConflict, w.Code, w.Body)
		assert.Contains(t, w.Body.String(), FaultBusy)

		gone, leave := context.WithTimeout(t.Context(), time.Second) // the client disconnects
		defer leave()
		w = h.send(gone, SendRequest{Text: "x"})
		assert.Equal(t, http.StatusConflict, w.Code, w.Body)

		close(p.run.sent)
		w = h.send(gone, SendRequest{Text: "x"})
		assert.Equal(t, http.StatusConflict, w.Code, w.Body)
		assert.Empty(t, p.got)

		w = h.send(t.Context(), SendRequest{Text: "x", Wait: time.Nanosecond}) // the shortest wait
		assert.Equal(t, http.StatusOK, w.Code, w.Body)
		assert.Len(t, p.got, 1)
	})
}

// newSlow returns a console whose latest command has not been sent to its program.
func newSlow() (handlers, *slowProgram) {
	h := &host{adapter: &schema.Adapter{}, record: &record{}}
	p := &slowProgram{run: h.add("cat", "", 0)}
	h.session = p
	close(p.run.done)
	return handlers{host: h}, p
}

func (h handlers) send(ctx context.Context, q SendRequest) *httptest.ResponseRecorder {
	body, _ := json.Marshal(q) // cannot fail
	w := httptest.NewRecorder()
	h.postSend(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/send", bytes.NewReader(body)))
	return w
}
