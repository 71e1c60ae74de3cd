package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/schema"
)

// fakeAgent speaks the protocol without a process: it answers requests, and asks one question in
// its turn.
func fakeAgent(p *process) {
	print := func(lines ...string) {
		p.chunks <- chunk{data: []byte(strings.Join(lines, "\n") + "\n")}
	}
	inbox := make(chan []byte, 10)
	p.send = func(b []byte) { inbox <- b }
	go func() {
		for b := range inbox {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			_ = json.Unmarshal(b, &m) // written by this program
			answer := func(result string) { print(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`) }
			switch m.Method {
			case "initialize":
				answer(`{"protocolVersion":1}`)
			case "session/new":
				answer(`{"sessionId":"s"}`)
			case "session/prompt":
				print(`{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"make","kind":"execute"},"options":[{"optionId":"y","kind":"allow_once"}]}}`)
			case "": // the answer
				print(`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`)
			case "_ripple/done":
				answer(`{}`)
			}
		}
	}()
	p.hangUp = func() {
		close(inbox)
		close(p.chunks)
	}
}

// A question is open for a week, and no clock of its turn runs meanwhile: both the silence and
// the total limit resume when it is answered.
func TestAQuestionIsOpenForAWeek(t *testing.T) {
	const limit = time.Minute // of silence and in total
	synctest.Test(t, func(t *testing.T) {
		dead := make(chan struct{})
		p := &process{
			chunks: make(chan chunk), exited: dead, dead: dead, status: func() (int, string) { return 0, "" },
			members: func() []proctree.Process { return nil },
			end:     func(context.Context, ...proctree.Step) error { return nil }, close: func() {},
		}
		fakeAgent(p)
		hangUp := p.hangUp
		p.hangUp = func() { hangUp(); close(dead) }
		a := &schema.Adapter{Name: "fake", Agent: &schema.Agent{Transport: schema.TransportACP, ACP: &schema.AgentACP{StartMS: 60000}, Output: schema.AgentOutput{Format: schema.FormatNDJSON, Stream: "stdout"}}}
		began := time.Now()
		w, err := newWatch(t.Context(), a, Turn{}, Command{Message: "go"}, Options{
			Timeout: limit, IdleTimeout: limit, Grace: time.Second, OnEvent: func(event.Event) {},
			Ask: func(ctx context.Context, q event.Question) (event.Answer, error) {
				week := time.NewTimer(7 * 24 * time.Hour)
				defer week.Stop()
				select {
				case <-week.C:
					return event.Answer{Option: "y", By: "somebody"}, nil
				case <-ctx.Done():
					return event.Answer{}, ctx.Err()
				}
			},
		})
		require.NoError(t, err)
		w.p = p
		out := w.r.outcome(w.turn(t.Context()))
		assert.Nil(t, out.Failure)
		assert.GreaterOrEqual(t, time.Since(began), 7*24*time.Hour)
		assert.True(t, out.OK())
	})
}

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := newClock(time.Minute)
		defer c.stop()
		for range 3 { // it runs for 10 seconds and is paused for an hour
			<-time.After(10 * time.Second)
			c.stand(true)
			<-time.After(time.Hour)
			c.stand(false)
		}
		<-c.C
		assert.Equal(t, 3*time.Hour+time.Minute, time.Since(began))

		c.reset()
		<-c.C
		assert.Equal(t, 3*time.Hour+2*time.Minute, time.Since(began))
	})
	none := newClock(0)
	none.stand(true)
	none.stand(false)
	none.reset()
	assert.Nil(t, none.timer, "no limit never comes")
}
