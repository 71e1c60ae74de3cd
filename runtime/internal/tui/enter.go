package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/internal/vt"
	"example.org/ripple/schema"
)

// NotReadyError reports that the agent was not ready for a prompt: nothing was typed, or something
// opened over the typed text, which was not sent.
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
	// errNotEntered reports that the screen did not show a typed prompt, which was not sent.
	errNotEntered = errors.New("the prompt was typed, but the screen does not show it; it was not sent")
	// errLines reports that the agent accepts no prompt of several lines.
	errLines = errors.New("its screen accepts only prompts of one line")
)

// enterLimit is the time in which a typed prompt must appear.
const enterLimit = 30 * time.Second

// Type passes a user's input to the program unchanged. States that were seen before no longer
// count.
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

// press presses keys, each after the program has reacted to the previous one: a program may
// interpret several keys that it reads at once as one.
func (t *TUI) press(ctx context.Context, keys ...string) error {
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

// heedLimit is how long an unrecognized screen is watched for the effect of a key.
const heedLimit = time.Second

// heeded waits until the program appears to have read the last input: the screen has changed and
// is still, or the program waits with the screen unchanged.
func heeded(ctx context.Context, t *TUI) error {
	limit := time.NewTimer(heedLimit)
	defer limit.Stop()
	for late := false; ; {
		printed := t.term.MoreOutput()
		t.mu.Lock()
		s, drawn, news := t.state(), t.drawn, t.news
		t.mu.Unlock()
		calm := make(<-chan time.Time)
		switch {
		case s.Ended:
			return ErrEnded
		case t.faults.failure() != nil: // the screen is unknown
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

// reaction waits until the program has drawn something and is still, or until the time is up.
func (t *TUI) reaction(ctx context.Context, patience time.Duration) error {
	limit := time.NewTimer(max(patience, 2*still))
	defer limit.Stop()
	for first := true; ; first = false {
		printed := t.term.MoreOutput()
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

// enter types a prompt and sends it. Errors: *NotReadyError, errLines, errNotEntered,
// ErrEnded, and that of the context.
func (t *TUI) enter(ctx context.Context, prompt string) error {
	prompt = typeable(prompt)
	if !t.screen.Prompt.Paste && strings.Contains(prompt, "\n") {
		return fmt.Errorf("%s: %w", t.name, errLines)
	}
	switch s := t.State(); {
	case s.Ended:
		return ErrEnded
	case s.State != schema.ScreenReady && s.State != schema.ScreenError: // an agent with an error may accept a prompt
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
			return fmt.Errorf("%s: %w", t.name, errNotEntered)
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
	return t.press(ctx, t.screen.Prompt.Submit...)
}

// opened reports whether something waits for an answer, which would interpret the keys of a prompt
// as its answer.
func opened(s State) bool {
	switch s.State {
	case schema.ScreenAsks, schema.ScreenMenu, schema.ScreenTrust, schema.ScreenLogin:
		return true
	}
	return false
}

// typeable returns a text without the characters that a program would interpret as keys.
func typeable(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// tailLength is the number of characters at the end of a prompt that are searched for.
const tailLength = 24

// shows returns a function that reports whether the screen shows the prompt one more time
// than now: its end, a row that contains nothing else, or the placeholder for one that is
// too long. The text at that place before may have had the same letters.
func (r *rules) shows(prompt string, picture func() Picture) func() bool {
	end := []rune(inked(prompt))
	tail := string(end[max(len(end)-tailLength, 0):])
	count := func() (texts, rows, signs int) {
		p := picture()
		texts = strings.Count(inked(strings.Join(p.Rows, "")), tail)
		for _, row := range p.Rows {
			ink := inked(row)
			if _, size := utf8.DecodeRuneInString(ink); ink == tail || ink[size:] == tail { // after a prompt sign
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

// inked returns a text without blanks and box-drawing lines, so that it does not depend on how it
// is wrapped.
func inked(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r >= 0x2500 && r <= 0x259f {
			return -1
		}
		return r
	}, s)
}

// allRows returns the rows of the history and the screen.
func (t *TUI) allRows() (rows []string) {
	_ = t.tryScreen("reading the agent's screen", func(s *vt.Screen) { // callers that wait get the error
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
