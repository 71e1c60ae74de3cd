package terminal

import (
	"context"
	"io"
	"os"
	"slices"

	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/pty"
)

// Subscription follows a program's output for one reader: a recorder, a user or a page. A slow
// reader blocks nothing: it loses the output that it does not read in time, and receives the
// current screen instead.
type Subscription struct {
	t    *Terminal
	wake chan struct{}

	// Under Terminal.mu.
	at      int64 // number of output bytes delivered
	started bool
	repaint bool // the next piece is a snapshot
	fits    bool // the output fits the subscriber's window
	tail    int  // history lines still to be delivered with the snapshot
	closed  bool
	window  window // the window that displays the output
	buf     []byte
}

// Piece is one delivery to a subscriber.
type Piece struct {
	// Bytes are output of the program or, for a snapshot, sequences that paint the screen on an
	// empty terminal of its size and leave it in the state of this terminal: cursor, modes and
	// title, and, if the output was cut within a sequence or character, its beginning. The next
	// piece continues them. They are valid until the next call of Next.
	Bytes    []byte
	Snapshot bool
	Lost     int64 // of a snapshot: bytes printed since the previous piece, which it replaces

	Cols, Rows int   // the terminal's size
	End        int64 // number of bytes printed and shown ([Terminal.Show]) up to the end of this piece
}

// maxPiece is the maximum number of output bytes delivered at once.
const maxPiece = 32 << 10

// Subscribe returns a subscription that begins with a snapshot of the screen; further output
// follows without a gap. A change of the terminal's size also causes a snapshot.
func (t *Terminal) Subscribe() *Subscription {
	return t.follow(&Subscription{})
}

// SubscribeWindow is Subscribe for a window of the given size that may contain anything
// and be in any mode. A snapshot repaints the window; the first one also writes the last
// tail lines of the history, so that they scroll off above it. While the sizes of terminal
// and window differ, all pieces are snapshots, which show as much as fits, including the
// cursor.
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

// Next waits for the next piece. Errors: io.EOF after the last one, os.ErrClosed after Close, or
// the context's error.
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

// next returns the piece available now; an empty piece without an error means that all output was
// delivered.
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

// partial reports whether the subscriber's window has another size than the screen; Terminal.mu is
// held.
func (s *Subscription) partial() bool { return s.fits && s.window.size != s.t.size.now }

// paint makes a snapshot; Terminal.mu is held.
func (s *Subscription) paint() {
	s.t.picture.read(s.snapshot)
	s.tail = 0
}

func (s *Subscription) snapshot(screen *vt.Screen) {
	switch {
	case s.partial():
		s.buf = screen.AppendView(s.buf[:0], s.window.size.Cols, s.window.size.Rows, s.tail)
	case s.fits:
		s.buf = screen.AppendPending(screen.AppendAnew(s.buf[:0], s.tail))
	default:
		s.buf = screen.AppendPending(screen.AppendANSI(s.buf[:0]))
	}
}

// notify wakes Next, since there may be a piece.
func (s *Subscription) notify() {
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is pending
	}
}

// Close ends the subscription; if it determined the terminal's size, another subscriber does.
func (s *Subscription) Close() {
	t := s.t
	t.mu.Lock()
	defer t.mu.Unlock()
	s.closed = true
	t.viewers = slices.DeleteFunc(t.viewers, func(o *Subscription) bool { return o == s })
	s.notify()
	_ = t.fit() // an error means that the program has ended
}
