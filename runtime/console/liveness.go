package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"example.org/ripple/internal/awake"
	"example.org/ripple/runtime/proctree"
)

const (
	// answerLimit is how long a host may take to answer a request that it can answer immediately.
	answerLimit = 2 * time.Second
	// stoppedLimit is answerLimit for a process that the kernel reports as stopped.
	stoppedLimit = 100 * time.Millisecond
	// probeAfter is how long a request may take before the client checks whether the host is alive.
	probeAfter = answerLimit / 4
	// askedHeader carries the time at which a request was sent, on the clock of uptime.
	askedHeader = "Ripple-Asked"
)

// answerLimit returns how long the host may take to answer now.
func (c *Client) answerLimit() time.Duration {
	if proctree.StoppedGroup(c.RecordedStatus.HostPID) != 0 {
		return stoppedLimit
	}
	return answerLimit
}

// unresponsive returns the fault for a host that is alive but does not respond.
func (c *Client) unresponsive() *Fault {
	s := c.RecordedStatus
	if noted, err := readStatus(filepath.Join(c.files.Record, statusName)); err == nil {
		s = noted
	}
	s.State = Unresponsive
	return &Fault{Code: FaultUnresponsive, Status: &s, Message: fmt.Sprintf("%s: its host, process %d, %s", c.Name, s.HostPID, c.silenceReason())}
}

// silenceReason says why a host that is alive does not respond.
func (c *Client) silenceReason() string {
	if !c.socketGone() {
		return "does not answer: it is stopped, or the machine is very busy"
	}
	socket := c.RecordedStatus.Socket
	if socket == "" {
		socket = c.files.Socket
	}
	return fmt.Sprintf("is alive, but its socket %s was removed: it makes it again within a few seconds, unless it is stopped or of an older version", socket)
}

// socketGone reports whether there is no socket where the host recorded it.
func (c *Client) socketGone() bool {
	_, err := os.Lstat(c.files.Socket)
	return errors.Is(err, os.ErrNotExist)
}

// IsUnresponsive reports whether err says that a console's host is alive but does not respond.
func IsUnresponsive(err error) bool {
	f, ok := errors.AsType[*Fault](err)
	return ok && f.Code == FaultUnresponsive
}

// watched returns a context that ends when the host turns out to be unresponsive. The host is
// probed once, after probeAfter; the caller calls answered when the host has responded, and cancel
// when it stops reading.
func watched(ctx context.Context, c *Client) (_ context.Context, answered, cancel func()) {
	ctx, giveUp := context.WithCancelCause(ctx)
	var done atomic.Bool
	probe := time.AfterFunc(probeAfter, func() {
		asking, stop := context.WithCancel(context.Background()) // a trace of the original request does not apply to the probe
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		if _, err := c.Status(asking); IsUnresponsive(err) && !done.Load() {
			giveUp(err)
		}
	})
	return ctx, func() { done.Store(true); probe.Stop() }, func() { probe.Stop(); giveUp(nil) }
}

// silence bounds how long a host may send nothing after the wait that the host itself has to end.
type silence struct {
	timer *awake.Timer // nil: the wait is unbounded
	wait  *awake.Timer // the wait of the host
	end   func()
}

// boundSilence returns a context that ends when the host sends nothing for too long after wait.
func boundSilence(ctx context.Context, c *Client, wait time.Duration) (context.Context, *silence) {
	ctx, giveUp := context.WithCancelCause(ctx)
	s := &silence{end: func() { giveUp(nil) }}
	if wait > 0 {
		s.wait = awake.AfterFunc(wait, func() {})
		s.timer = awake.AfterFunc(wait+answerLimit, func() { giveUp(c.unresponsive()) })
		s.end = func() { s.wait.Stop(); s.timer.Stop(); giveUp(nil) }
	}
	return ctx, s
}

// start is called before reading from the host.
func (s *silence) start() {
	if s.timer != nil {
		s.timer.Reset(s.wait.Left() + answerLimit)
	}
}

// stop is called while the client is busy elsewhere.
func (s *silence) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
}

// failure returns the cause of the context's end, or err.
func failure(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// Status returns the console's current status.
//
// Errors: *Fault: FaultExited, FaultUnresponsive.
func (c *Client) Status(ctx context.Context) (Status, error) { return c.statusWithin(ctx, answerLimit) }

func (c *Client) statusWithin(ctx context.Context, limit time.Duration) (s Status, err error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	b, err := c.request(limited, http.MethodGet, "/v1", nil)
	if err == nil {
		err = c.decode(b, &s)
	}
	if err != nil && limited.Err() != nil {
		if err = ctx.Err(); err == nil {
			err = c.unresponsive()
		}
	}
	return s, err
}

// timely refuses requests that arrive so long after they were sent that their clients have given
// up: the host was stopped in the meantime.
func timely(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, err := strconv.ParseInt(r.Header.Get(askedHeader), 10, 64)
		if late := uptime() - time.Duration(asked); err == nil && asked > 0 && late > answerLimit && r.Method != http.MethodGet {
			refuse(w, newFault(FaultUnresponsive, "the request arrived %s after it was sent: nothing was done", late.Truncate(time.Millisecond)))
			return
		}
		next.ServeHTTP(w, r)
	})
}
