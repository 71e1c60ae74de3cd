package terminal

import (
	"context"
	"io"
	"os"
	"slices"

	"ripple/runtime/pty"
)

// Subscription is somebody who follows a program's output: a recorder, a person,
// a page. Only he waits for himself: what he does not read in time is lost to
// him, and the screen as it has become takes its place.
type Subscription struct {
	t    *Terminal
	wake chan struct{}

	// Under Terminal.mu.
	at      int64 // how much of the output he has got
	started bool
	repaint bool // the next piece is a snapshot
	fits    bool // what he gets is for his window
	tail    int  // how many lines of the history he is still to get with it
	closed  bool
	window  window // where he sees it
	buf     []byte
}

// Piece is a part of what a subscriber gets.
type Piece struct {
	// Bytes are what the program printed or, of a snapshot, what paints the
	// screen on an empty terminal of its size and leaves it as the program left
	// ours: cursor, modes and title, and where the output was cut within a
	// sequence or character its beginning. What comes next continues them. They
	// are valid until the next call of Next.
	Bytes    []byte
	Snapshot bool
	Lost     int64 // of a snapshot: bytes printed since the piece before, which it stands for

	Cols, Rows int   // the terminal's size
	End        int64 // how many bytes the program had printed at the end of this piece
}

// maxPiece is the most that is delivered at once of what was printed, in bytes.
const maxPiece = 32 << 10

// Subscribe begins with a snapshot of the screen; what is printed after it
// follows without a gap. So does a snapshot when the terminal's size changed.
func (t *Terminal) Subscribe() *Subscription {
	return t.follow(&Subscription{})
}

// SubscribeWindow is Subscribe for a window of that size, where anything may be shown
// and set already. A snapshot paints it anew; the first one lets the end of the history
// scroll off before, tail lines of it. While the terminal has another size than the
// window all pieces are snapshots, which show as much as fits, with the cursor in it.
func (t *Terminal) SubscribeWindow(cols, rows, tail int) *Subscription {
	return t.follow(&Subscription{fits: true, tail: tail, window: window{size: pty.Size{Cols: cols, Rows: rows}}})
}

func (t *Terminal) follow(s *Subscription) *Subscription {
	s.t, s.wake, s.repaint = t, make(chan struct{}, 1), true
	t.mu.Lock()
	defer t.mu.Unlock()
	t.viewers = append(t.viewers, s)
	return s
}

// Next waits for the next piece. Errors: io.EOF after the last one, os.ErrClosed
// after Close, the context's.
func (s *Subscription) Next(ctx context.Context) (Piece, error) {
	for {
		p, err := s.next()
		if err != nil || p.Snapshot || len(p.Bytes) > 0 {
			return p, err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return Piece{}, ctx.Err()
		}
	}
}

// next is what there is for him now; nothing and no error: he has all.
func (s *Subscription) next() (Piece, error) {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	p := Piece{Cols: t.size.now.Cols, Rows: t.size.now.Rows}
	switch {
	case s.closed:
		return p, os.ErrClosed
	case s.repaint || s.at < t.out.start() || s.partial() && s.at < t.out.end:
		p.Snapshot = true
		if s.started {
			p.Lost = t.out.end - s.at
		}
		s.paint()
		s.at, s.started, s.repaint = t.out.end, true, false
	case s.at < t.out.end:
		to := min(t.out.end, s.at+maxPiece)
		first, second := t.out.between(s.at, to)
		s.buf = append(append(s.buf[:0], first...), second...)
		s.at = to
	case t.over:
		return p, io.EOF
	default:
		return p, nil
	}
	p.Bytes, p.End = s.buf, s.at
	return p, nil
}

// partial says that he sees the screen in a window of another size; Terminal.mu is held.
func (s *Subscription) partial() bool { return s.fits && s.window.size != s.t.size.now }

// paint makes a snapshot; Terminal.mu is held.
func (s *Subscription) paint() {
	screen := s.t.picture.upToDate()
	switch {
	case s.partial():
		s.buf = screen.AppendView(s.buf[:0], s.window.size.Cols, s.window.size.Rows, s.tail)
	case s.fits:
		s.buf = screen.AppendPending(screen.AppendAnew(s.buf[:0], s.tail))
	default:
		s.buf = screen.AppendPending(screen.AppendANSI(s.buf[:0]))
	}
	s.tail = 0
}

// notify says that there may be something for him.
func (s *Subscription) notify() {
	select {
	case s.wake <- struct{}{}:
	default: // he knows
	}
}

// Close ends the subscription; if he led the terminal's size, another one does.
func (s *Subscription) Close() {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	s.closed = true
	t.viewers = slices.DeleteFunc(t.viewers, func(o *Subscription) bool { return o == s })
	s.notify()
	_ = t.fit() // the program has ended
}
