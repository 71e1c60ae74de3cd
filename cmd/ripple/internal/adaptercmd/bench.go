package adaptercmd

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"ripple/cmd/ripple/internal/seat"
	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/annotate"
	"ripple/runtime/console"
	"ripple/runtime/registry"
	"ripple/runtime/session"
	"ripple/runtime/terminal"
)

// bench is where a person sits at a program's own prompt, beside it what a session takes
// each part for. When the adapter's file changes the program is started anew.
type bench struct {
	*app
	seat      *seat.Seat
	file      string
	entry     *registry.Entry
	flags     tryFlags
	recording *recording // nil: nothing is recorded
	news      chan struct{}

	mu      sync.Mutex
	layout  layout
	sheet   *annotate.Sheet
	term    *terminal.Terminal // nil: nothing runs
	session *session.Session   // nil: there was no prompt yet
	fed     bool               // something was typed while a command ran
	rule    string             // what ended the last wait
	result  string             // what a session made of the last command
	problem string             // why nothing runs
	end     [feet]string       // how it stood at last
}

func newBench(a *app, s *seat.Seat, e *registry.Entry, f tryFlags, rec *recording) *bench {
	return &bench{app: a, seat: s, file: e.Path, entry: e, flags: f, recording: rec, news: make(chan struct{}, 1)}
}

// errChanged: the adapter's file did.
var errChanged = errors.New("the file has changed")

// run is the whole of it, until the person leaves, the program ends or ctx does.
func (b *bench) run(ctx context.Context) error {
	cols, rows, err := b.seat.Size()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if b.seat.Detacher, err = console.NewDetacher(leaveKeys); err != nil {
		return err
	}
	w, err := b.watched()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	b.lay(cols, rows)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := b.seat.Take(rows); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	defer b.seat.GiveBack()
	painted := make(chan struct{})
	painting, stop := context.WithCancel(context.Background())
	go b.seat.Guard(func() { defer close(painted); b.paint(painting) })
	go b.seat.Guard(func() { b.seat.Resizes(ctx, b) })
	go b.seat.Guard(func() { b.seat.Types(ctx, b, cancel) })
	why := b.rounds(ctx, w)
	stop()
	<-painted
	b.seat.Write(b.last())
	b.seat.GiveBack()
	return b.farewell(why)
}

// watched is what is looked at for changes; nil: the adapter
// comes with ripple, or is to get tests of what happens now.
func (b *bench) watched() (*watched, error) {
	if b.entry.Origin == registry.OriginEmbedded || b.recording != nil {
		return nil, nil
	}
	w, err := newWatched(b.file)
	if err == nil {
		w.look()
	}
	return w, err
}

// rounds start the program again and again, as often as the file changes.
func (b *bench) rounds(ctx context.Context, w *watched) error {
	if w != nil {
		defer w.notify.Close() // only read from
	}
	for {
		round, cancel := context.WithCancelCause(ctx)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if w != nil && w.changed(round) {
				cancel(errChanged)
			}
		}()
		err := b.round(round)
		changed := errors.Is(context.Cause(round), errChanged)
		cancel(nil)
		<-gone
		if !changed {
			return err
		}
		w.look()
		b.load(w)
	}
}

// load reads the adapter anew.
func (b *bench) load(w *watched) {
	e, err := tried(b.app, b.file, true)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.entry = &registry.Entry{Path: b.file, Origin: registry.OriginFile}
		return
	}
	if b.entry = e; e.Adapter != nil {
		w.follow(e.Adapter)
		w.look()
	}
}

// round is one start of the program, up to its end. What cannot be started waits for a
// change.
func (b *bench) round(ctx context.Context) error {
	s, err := b.open(ctx)
	if err != nil {
		b.locked(func() { b.term, b.problem = nil, ui.FirstLine(err.Error()) })
		<-ctx.Done()
		return context.Cause(ctx)
	}
	b.locked(func() { b.session = s; _ = s.Resize(b.layout.cols, b.layout.rows) }) // it may have ended
	select {
	case <-s.Done():
		_, err = s.WaitState(context.Background(), func(session.State) bool { return false })
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if !errors.Is(err, errChanged) {
		state, line := b.standing()
		if errors.Is(err, session.ErrExited) {
			state = err.Error()
		}
		b.locked(func() { b.end = [feet]string{state, line} })
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	if s.State().Phase == session.PhaseRunning || !errors.Is(err, errChanged) {
		cancel()
	}
	_ = s.Close(soon) // what resists, the guard ends
	b.locked(func() { b.session, b.term = nil, nil })
	return err
}

// closeTime is how long a program may take to end in its own way.
const closeTime = 2 * time.Second

func (b *bench) open(ctx context.Context) (*session.Session, error) {
	b.mu.Lock()
	e, l := b.entry, b.layout
	sheet := annotate.NewSheet(l.cols, l.rows)
	b.sheet, b.term, b.session, b.rule, b.result = sheet, nil, nil, "", ""
	if e.Adapter != nil {
		b.problem = ""
	}
	b.mu.Unlock()
	b.tell()
	if e.Adapter == nil {
		return nil, b.unread()
	}
	o := b.flags.session
	o.Cols, o.Rows, o.Patient, o.Window = l.cols, l.rows, true, 0
	o.Terminal = func(t *terminal.Terminal) { b.locked(func() { b.term = t }) }
	o.Observer = &noting{sheet, b}
	o.Typed = func(t *session.Typed) { go b.seat.Guard(func() { b.typed(t) }) }
	return session.Open(ctx, e.Adapter, o)
}

// noting is the sheet of one start of the program.
type noting struct {
	*annotate.Sheet
	b *bench
}

// Take makes it a session.PieceObserver.
func (n *noting) Take(p session.Piece) {
	n.Sheet.Take(p)
	if p.As == session.TakenEnd {
		n.b.locked(func() { n.b.rule = p.Text })
	}
	n.b.tell()
}

// unread is why the file is no adapter.
func (b *bench) unread() error {
	r, err := b.Registry()
	if err == nil {
		_, err = r.Find(b.file)
	}
	if broken, is := ui.AsBroken(err); is && len(broken.Diagnostics) > 0 {
		d := broken.Diagnostics[0]
		d.File = filepath.Base(d.File)
		return errors.New(d.String())
	} else if err == nil {
		return errChanged // it is one by now; that is seen at once
	}
	return err
}

// typed waits for the end of a command that was typed.
func (b *bench) typed(t *session.Typed) {
	r, err := t.Wait()
	code := t.Code()
	b.locked(func() {
		b.result = resultWords(r, err)
		if b.recording != nil {
			b.result = b.recording.add(code, r, err, b.fed) + " · " + b.result
		}
		b.fed = false
	})
}

// locked changes what is shown.
func (b *bench) locked(f func()) {
	b.mu.Lock()
	f()
	b.mu.Unlock()
	b.tell()
}

// tell says that there is something to be painted.
func (b *bench) tell() {
	select {
	case b.news <- struct{}{}:
	default: // it is known
	}
}

// Type gives the program what the person types.
func (b *bench) Type(typed []byte) error {
	b.mu.Lock()
	s, t := b.session, b.term
	b.mu.Unlock()
	switch {
	case s != nil:
		if s.State().Phase == session.PhaseRunning {
			b.locked(func() { b.fed = true })
		}
		return s.Type(1, typed)
	case t != nil: // it asks something before its first prompt
		_, err := t.Write(typed)
		return err
	}
	return nil
}

// Resize gives the program its part of another size of the person's terminal.
func (b *bench) Resize(cols, rows int) error {
	b.lay(cols, rows)
	return nil
}

func (b *bench) lay(cols, rows int) {
	b.locked(func() {
		if b.layout = layOut(cols, rows); b.sheet != nil {
			b.sheet.Resize(b.layout.cols, b.layout.rows)
		}
		if b.session != nil {
			_ = b.session.Resize(b.layout.cols, b.layout.rows) // it may have ended
		}
	})
}

// farewell says why it is over.
func (b *bench) farewell(why error) error {
	switch {
	case errors.Is(why, seat.ErrDetached):
		return nil
	case errors.Is(why, context.Canceled), ui.BySignal(why):
		return ui.ExitWith(ui.ExitInterrupted)
	case errors.Is(why, session.ErrExited):
		b.Note("%s: %v", filepath.Base(b.file), why)
		return nil
	}
	return ui.FailWith(ui.ExitFailed, why, "")
}
