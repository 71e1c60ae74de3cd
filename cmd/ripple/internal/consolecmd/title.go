package consolecmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/console"
)

// title shows what an attached user should know about a console in the terminal's title.
type title struct {
	name  string
	write func([]byte)

	mu     sync.Mutex // held until the title is written
	silent bool       // the host does not respond
	last   console.Notice
}

// notify shows a notice of the host. A bell says that keys are dropped.
func (t *title) notify(n *console.Notice) {
	t.mu.Lock()
	defer t.mu.Unlock()
	drops := n.LateSecret && !t.last.LateSecret
	if t.last = *n; t.silent {
		return
	}
	text := titled(noticeText(n))
	if drops {
		text = append(text, '\a')
	}
	t.write(text)
}

// holds reports whether the console holds keys of the user, which it drops when the user detaches.
func (t *title) holds() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last.Held > 0
}

// respond shows whether the host responds. The notice about held keys, or else the program's title now,
// appears again when it does.
func (t *title) respond(yes bool, now string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case yes == !t.silent:
		return
	case !yes:
		t.write(append(titled(fmt.Sprintf("[console %s does not respond]", t.name)), '\a'))
	default:
		if t.last.Held == 0 {
			t.last.Title = now
		}
		t.write(titled(noticeText(&t.last)))
	}
	t.silent = !yes
}

// titled returns the sequence that sets the terminal's title.
func titled(text string) []byte { return []byte("\x1b]2;" + text + "\x1b\\") }

// noticeText returns the title for a notice. It omits the number of held keys: they may be a secret,
// whose length the title would reveal.
func noticeText(n *console.Notice) string {
	text := ui.Harmless(n.Title)
	switch {
	case n.Held > 0:
		does := "runs"
		if n.Holder == console.AnotherUser {
			does = "types"
		}
		text = fmt.Sprintf("[keys held: %s %s] %s", n.Holder, does, text)
	case n.LateSecret:
		text = "[keys dropped up to Enter: the question for a secret is over] " + text
	}
	return text
}

// respondInterval is how often the host of an attached console is asked whether it responds.
const respondInterval = 2 * time.Second

// watch shows whether the console's host responds, until the context ends. Without the host's socket
// this is unknown: the attachment does not need it.
func (t *title) watch(ctx context.Context, c *console.Client) {
	tick := time.NewTicker(respondInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		s, err := c.Status(ctx)
		if err == nil {
			t.respond(true, s.Title)
		} else if _, gone := os.Lstat(c.RecordedStatus.Socket); console.IsUnresponsive(err) && !errors.Is(gone, os.ErrNotExist) {
			t.respond(false, "")
		}
	}
}
