package console

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

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
	for name, act := range map[string]func(context.Context, handlers){
		"text": func(ctx context.Context, h handlers) { _, f := h.typeIn(ctx, SendRequest{Text: "x"}); assert.Nil(t, f) },
		"keys": func(ctx context.Context, h handlers) {
			_, f := h.typeIn(ctx, SendRequest{Keys: []string{"C-c"}, OnlyIfWaiting: true})
			assert.Nil(t, f)
		},
		"interrupt": func(ctx context.Context, h handlers) {
			w := httptest.NewRecorder()
			h.postInterrupt(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/interrupt", nil))
			assert.Equal(t, http.StatusOK, w.Code, w.Body)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{adapter: &schema.Adapter{}, record: &record{}}
				p := &slowProgram{run: h.add("cat", "", 0)}
				h.session = p
				close(p.run.done)
				acted := make(chan struct{})
				go func() {
					defer close(acted)
					act(t.Context(), handlers{host: h})
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
