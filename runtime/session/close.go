package session

import (
	"context"
	"syscall"
	"time"
)

// defaultGrace is how long a program may take after lifecycle.shutdown.command,
// when the adapter declares no grace_ms.
const defaultGrace = time.Second

// forceSignals are the values of lifecycle.shutdown.force_signal.
var forceSignals = map[string]syscall.Signal{
	"": syscall.SIGKILL, "kill": syscall.SIGKILL, "term": syscall.SIGTERM,
	"hup": syscall.SIGHUP, "int": syscall.SIGINT, "quit": syscall.SIGQUIT,
}

// close ends the program and removes the session's files.
func (d *driver) close(ctx context.Context) error {
	d.politely(ctx)
	err := d.tty.Close()
	<-d.dead
	d.locked(func() {
		if d.timer != nil {
			d.timer.Stop() // its generation is over anyway
		}
		d.timerGen++
	})
	d.removeFiles()
	return err
}

// politely asks the program to end, when it is at its prompt, and waits for it
// as long as the adapter's grace and the context allow.
func (d *driver) politely(ctx context.Context) {
	shutdown := d.adapter.Lifecycle.Shutdown
	asked := false
	d.locked(func() {
		if d.state.step == stepReady && shutdown.Command != "" {
			d.region = regionIdle
			d.send(shutdown.Command + d.lineEnding())
			asked = true
		}
	})
	if !asked {
		return
	}
	grace := time.Duration(shutdown.GraceMS) * time.Millisecond
	if grace == 0 {
		grace = defaultGrace
	}
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	select {
	case <-d.dead:
	case <-ctx.Done():
	}
}
