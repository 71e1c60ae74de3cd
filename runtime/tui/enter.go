package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/runtime/internal/vt"
	"example.org/ripple/schema"
)

// NotReadyError is a prompt for which the agent was not ready: nothing was typed, or
// something opened over what was, and it was not sent.
type NotReadyError struct {
	Name  string
	State State
}

func (e *NotReadyError) Error() string {
	switch e.State.State {
	case schema.ScreenWorking:
		return e.Name + " works: wait until it is ready, or interrupt it"
	case schema.ScreenAsks, schema.ScreenMenu, schema.ScreenTrust:
		return fmt.Sprintf("%s waits for an answer (%s), not for a prompt: look at its screen, and answer", e.Name, e.State.State)
	case schema.ScreenLogin:
		return e.Name + " requires a login: a user must attach and log in"
	case "":
		return e.Name + " shows something that its adapter does not know: look at its screen, and send keys"
	}
	return fmt.Sprintf("%s is not ready for a prompt (%s): look at its screen", e.Name, e.State.State)
}

var (
	// ErrNotEntered: a prompt was typed, and the screen did not show it; it was not sent.
	ErrNotEntered = errors.New("the prompt was typed, but the screen does not show it; it was not sent")
	// ErrLines: the agent takes no prompt of several lines.
	ErrLines = errors.New("it takes prompts of one line on its screen")
)

// enterLimit is how long a prompt may take to appear where it was typed.
const enterLimit = 30 * time.Second

// Type gives the program input as it is, which a person typed; from then on what was seen
// does not count.
func (t *TUI) Type(b []byte) error {
	t.mu.Lock()
	t.watch.begins(time.Now())
	t.counts, t.replied, t.drawn, t.wait = false, false, false, t.term.WaitID()
	t.mu.Unlock()
	_, err := t.term.Write(b)
	select {
	case t.typed <- struct{}{}:
	default:
	}
	return err
}

// Press presses keys, each when the program has reacted to the one before: several that
// it reads at once may be one to it.
func (t *TUI) Press(ctx context.Context, keys ...string) error {
	for i, k := range keys {
		if i > 0 {
			if err := heeded(ctx, t); err != nil {
				return err
			}
		}
		if err := t.Type([]byte(k)); err != nil {
			return err
		}
	}
	return nil
}

// heedLimit is how long a screen of which nothing is known is watched for what a key does.
const heedLimit = time.Second

// heeded waits until the program has read what was last typed, as far as can be seen: it
// shows something else and is still, or rests as it was.
func heeded(ctx context.Context, t *TUI) error {
	limit := time.NewTimer(heedLimit)
	defer limit.Stop()
	for late := false; ; {
		printed := t.term.Printed()
		t.mu.Lock()
		s, drawn, news := t.state(), t.drawn, t.news
		t.mu.Unlock()
		calm := make(<-chan time.Time)
		switch {
		case s.Ended:
			return ErrEnded
		case t.faults.failure() != nil: // nothing is known of the screen
			return nil
		case s.Counts, late && (drawn || s.State == "" || s.quiet > 0):
			return nil
		case drawn:
			calm = time.After(still)
		}
		select {
		case <-calm:
			return nil
		case <-limit.C:
			late = true
		case <-printed:
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// reaction waits until the program has drawn something and is still, or so much time is
// over.
func (t *TUI) reaction(ctx context.Context, patience time.Duration) error {
	limit := time.NewTimer(max(patience, 2*still))
	defer limit.Stop()
	for first := true; ; first = false {
		printed := t.term.Printed()
		calm := make(<-chan time.Time)
		if !first {
			calm = time.After(still)
		}
		select {
		case <-printed:
		case <-calm:
			return nil
		case <-limit.C:
			return nil
		case <-t.over:
			return ErrEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// enter types a prompt and sends it. Errors: *NotReadyError, ErrLines, ErrNotEntered,
// ErrEnded, the context's.
func (t *TUI) enter(ctx context.Context, prompt string) error {
	prompt = typeable(prompt)
	if !t.screen.Prompt.Paste && strings.Contains(prompt, "\n") {
		return fmt.Errorf("%s: %w", t.name, ErrLines)
	}
	switch s := t.State(); {
	case s.Ended:
		return ErrEnded
	case s.State != schema.ScreenReady && s.State != schema.ScreenError: // that one may take a prompt
		return &NotReadyError{t.name, s}
	}
	shown := t.rules.shows(prompt, t.Picture)
	if t.screen.Prompt.Paste {
		prompt = "\x1b[200~" + prompt + "\x1b[201~"
	}
	if err := t.Type([]byte(prompt)); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, enterLimit)
	defer cancel()
	covered := func(s State) bool { return s.Counts && opened(s) && !shown() }
	if _, err := t.WaitState(limit, func(s State) bool { return shown() || covered(s) }); err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("%s: %w", t.name, ErrNotEntered)
		}
		return err
	}
	if err := t.reaction(ctx, t.watch.quiet); err != nil {
		return err
	}
	select {
	case <-time.After(time.Duration(t.screen.Prompt.PauseMS) * time.Millisecond):
	case <-t.over:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
	if s := t.State(); opened(s) && !shown() {
		return &NotReadyError{t.name, s}
	}
	return t.Press(ctx, t.screen.Prompt.Submit...)
}

// opened says that something waits for an answer, and takes the keys of a prompt for it.
func opened(s State) bool {
	switch s.State {
	case schema.ScreenAsks, schema.ScreenMenu, schema.ScreenTrust, schema.ScreenLogin:
		return true
	}
	return false
}

// typeable is a text without what a terminal would take for keys.
func typeable(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// tailLength is how much of a prompt's end is looked for, in characters.
const tailLength = 24

// shows returns a function that reports whether the screen shows the prompt one more time
// than now: its end, a row that contains nothing else, or the placeholder for one that is
// too long. The text at that place before may have had the same letters.
func (r *Rules) shows(prompt string, picture func() Picture) func() bool {
	end := []rune(inked(prompt))
	tail := string(end[max(len(end)-tailLength, 0):])
	count := func() (texts, rows, signs int) {
		p := picture()
		texts = strings.Count(inked(strings.Join(p.Rows, "")), tail)
		for _, row := range p.Rows {
			ink := inked(row)
			if _, size := utf8.DecodeRuneInString(ink); ink == tail || ink[size:] == tail { // behind a sign
				rows++
			}
		}
		if re := r.prompt; re != nil {
			m, err := re.FindStringMatch(strings.Join(p.Rows, "\n"))
			for ; err == nil && m != nil; m, err = re.FindNextMatch(m) {
				signs++
			}
		}
		return texts, rows, signs
	}
	texts, rows, signs := count()
	return func() bool {
		nowTexts, nowRows, nowSigns := count()
		return nowTexts > texts || nowRows > rows || nowSigns > signs
	}
}

// inked is a text without blanks and without lines of boxes: as it is wrapped does not
// matter.
func inked(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r >= 0x2500 && r <= 0x259f {
			return -1
		}
		return r
	}, s)
}

// allRows are the rows of the history and the screen.
func (t *TUI) allRows() (rows []string) {
	_ = t.tryScreen("reading the agent's screen", func(s *vt.Screen) { // who waits gets the error
		rows = nil
		if !s.Alternate() {
			for i := range s.History() {
				text, _ := s.HistoryRow(i)
				rows = append(rows, text)
			}
		}
		rows = append(rows, t.rules.picture(s).Rows...)
	})
	return rows
}
