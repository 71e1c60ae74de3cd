package adaptercmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"example.org/ripple/cmd/ripple/internal/annotate"
	"example.org/ripple/cmd/ripple/internal/attached"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
	"example.org/ripple/runtime/terminal"
)

// bench shows a program's own prompt to a user, annotated with how a session interprets each part.
// It restarts the program when the adapter's file changes.
type bench struct {
	*app
	tty       *attached.Terminal
	reload    func() (*registry.Entry, error)
	file      string
	entry     *registry.Entry
	flags     tryFlags
	recording *recording // nil: not recording
	news      chan struct{}

	mu      sync.Mutex
	layout  layout
	sheet   *annotate.Sheet
	term    *terminal.Terminal // nil: no program is running
	session *session.Session   // nil: no prompt yet
	fed     bool               // input was typed while a command ran
	rule    string             // rule that ended the last wait
	result  string             // the session's result of the last command
	problem string             // reason why no program is running
	end     [statusRows]string // the last state shown
}

func newBench(a *app, s *attached.Terminal, name string, e *registry.Entry, f tryFlags, rec *recording) *bench {
	return &bench{app: a, tty: s, reload: a.Reloader(name, e.Path), file: e.Path, entry: e, flags: f, recording: rec, news: make(chan struct{}, 1)}
}

// errChanged reports that the adapter's file has changed.
var errChanged = errors.New("the file has changed")

// run runs the bench until the user leaves, the program ends or ctx ends.
func (b *bench) run(ctx context.Context) error {
	cols, rows, err := b.tty.Size()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if b.tty.Detacher, err = console.NewDetacher(leaveKeys); err != nil {
		return err
	}
	var w *watched // nil: the file is not watched
	if b.entry.Origin != registry.OriginEmbedded && b.recording == nil {
		if w, err = newWatched(b.reload, b.file); err != nil {
			return ui.FailWith(ui.ExitFailed, err, "")
		}
		w.look()
	}
	b.setLayout(cols, rows)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := b.tty.Attach(rows); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	defer b.tty.Restore()
	painted := make(chan struct{})
	painting, stop := context.WithCancel(context.Background())
	go b.tty.Guard(func() { defer close(painted); b.paint(painting) })
	go b.tty.Guard(func() { b.tty.ForwardSizes(ctx, b) })
	go b.tty.Guard(func() { b.tty.ForwardKeys(ctx, b, cancel) })
	why := b.rounds(ctx, w)
	stop()
	<-painted
	b.tty.Write(b.last())
	b.tty.Restore()
	return b.endError(why)
}

// rounds restarts the program whenever the file changes.
func (b *bench) rounds(ctx context.Context, w *watched) error {
	if w != nil {
		defer w.notify.Close() // nothing is lost
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
		if err := b.load(w); err != nil {
			return err
		}
	}
}

// load reloads the adapter. It returns an error for a project's adapter that has to be approved again:
// the terminal is the program's, so nobody can be asked.
func (b *bench) load(w *watched) error {
	e, err := b.reload()
	if untrusted, is := errors.AsType[*registry.UntrustedError](err); is {
		return untrusted
	}
	e, err = tried(e, err, true)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.entry = &registry.Entry{Path: b.file, Origin: registry.OriginFile}
		return nil
	}
	if b.entry = e; e.Adapter != nil {
		w.follow(e.Adapter)
		w.look()
	}
	return nil
}

// round runs the program once, until it ends. If it cannot start, round waits for a change.
func (b *bench) round(ctx context.Context) error {
	s, err := b.open(ctx)
	if err != nil {
		b.locked(func() { b.term, b.problem = nil, ui.FirstLine(err.Error()) })
		<-ctx.Done()
		return context.Cause(ctx)
	}
	b.locked(func() { b.session = s; _ = s.Resize(b.layout.cols, b.layout.rows) }) // the program may have ended
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
		b.locked(func() { b.end = [statusRows]string{state, line} })
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	if s.State().Phase == session.PhaseRunning || !errors.Is(err, errChanged) {
		cancel()
	}
	_ = s.Close(soon) // the guard ends remaining processes
	b.locked(func() { b.session, b.term = nil, nil })
	return err
}

// closeTime is how long a program may take to end by itself.
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
	b.repaint()
	if e.Adapter == nil {
		return nil, b.loadError()
	}
	o := b.flags.session
	o.Cols, o.Rows, o.Attended, o.Window = l.cols, l.rows, true, 0
	o.OnTerminal = func(t *terminal.Terminal) { b.locked(func() { b.term = t }) }
	o.Observer = &noting{sheet, b}
	o.OnTyped = func(t *session.TypedCommand) { go b.tty.Guard(func() { b.typed(t) }) }
	return session.Open(ctx, e.Adapter, o)
}

// noting annotates the output of one start of the program.
type noting struct {
	*annotate.Sheet
	b *bench
}

// ObservePiece implements session.PieceObserver.
func (n *noting) ObservePiece(p session.Piece) {
	n.Sheet.ObservePiece(p)
	if p.Class == session.ClassEnd {
		n.b.locked(func() { n.b.rule = p.Text })
	}
	n.b.repaint()
}

// loadError returns the reason why the file is not a valid adapter.
func (b *bench) loadError() error {
	_, err := b.reload()
	if broken, is := ui.AsBroken(err); is && len(broken.Diagnostics) > 0 {
		d := broken.Diagnostics[0]
		d.File = filepath.Base(d.File)
		return errors.New(d.String())
	} else if err == nil {
		return errChanged // the file is valid by now; the change is noticed immediately
	}
	return err
}

// typed waits for the end of a typed command.
func (b *bench) typed(t *session.TypedCommand) {
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

// locked changes the displayed state.
func (b *bench) locked(f func()) {
	b.mu.Lock()
	f()
	b.mu.Unlock()
	b.repaint()
}

// repaint requests a repaint.
func (b *bench) repaint() {
	select {
	case b.news <- struct{}{}:
	default: // a repaint is already pending
	}
}

// Type passes typed bytes to the program.
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
	case t != nil: // the program asks something before its first prompt
		_, err := t.Write(typed)
		return err
	}
	return nil
}

// Resize resizes the program's part of the user's terminal.
func (b *bench) Resize(cols, rows int) error {
	b.setLayout(cols, rows)
	return nil
}

func (b *bench) setLayout(cols, rows int) {
	b.locked(func() {
		if b.layout = newLayout(cols, rows); b.sheet != nil {
			b.sheet.Resize(b.layout.cols, b.layout.rows)
		}
		if b.session != nil {
			_ = b.session.Resize(b.layout.cols, b.layout.rows) // the program may have ended
		}
	})
}

// endError returns the reason for the end.
func (b *bench) endError(why error) error {
	untrusted, isUntrusted := errors.AsType[*registry.UntrustedError](why)
	switch {
	case isUntrusted:
		return ui.FailWith(ui.ExitUsage, fmt.Errorf("this project's adapter %s has changed, and has not been approved again", untrusted.Name),
			"to see what changed: ripple trust --show\nto approve it: ripple trust")
	case errors.Is(why, attached.ErrDetached):
		return nil
	case errors.Is(why, context.Canceled), ui.BySignal(why):
		return ui.ExitWith(ui.ExitInterrupted)
	case errors.Is(why, session.ErrExited):
		b.Note("%s: %v", filepath.Base(b.file), why)
		return nil
	}
	return ui.FailWith(ui.ExitFailed, why, "")
}
